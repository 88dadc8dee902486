// SPDX-License-Identifier: MPL-2.0
#include "connections/log_target.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zlink::connections {
namespace {

// Stderr is something else meanwhile.
class other_stderr {
  public:
    explicit other_stderr(int descriptor) : before_(::dup(STDERR_FILENO)) {
        descriptor < 0 ? ::close(STDERR_FILENO) : ::dup2(descriptor, STDERR_FILENO);
    }
    ~other_stderr() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
    }
    other_stderr(const other_stderr &) = delete;

  private:
    int before_;
};

std::string file_name(const char *name) {
    return ::testing::TempDir() + "zlink-log-" + std::to_string(::getpid()) + "-" + name;
}
std::string content(const std::string &file) {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
}
std::string waiting_in(int pipe) {
    std::string bytes(100'000, ' ');
    const ssize_t size = ::recv(pipe, bytes.data(), bytes.size(), MSG_DONTWAIT);
    const ssize_t read = size < 0 && errno == ENOTSOCK ? ::read(pipe, bytes.data(), bytes.size()) : size;
    return bytes.substr(0, read < 0 ? 0 : static_cast<std::size_t>(read));
}

TEST(log_target, appends_to_a_file_that_may_be_moved_away) {
    const std::string file = file_name("moved");
    log_target target(file);
    EXPECT_TRUE(target.write("one\n"));
    EXPECT_TRUE(target.write("two\n"));
    EXPECT_EQ(content(file), "one\ntwo\n");
    ASSERT_EQ(::unlink(file.c_str()), 0);
    EXPECT_TRUE(target.write("three\n"));
    EXPECT_EQ(content(file), "three\n");
    ::unlink(file.c_str());
}

TEST(log_target, says_once_that_a_file_cannot_be_opened) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
    {
        const other_stderr meanwhile(ends[1]);
        log_target target("/no/such/folder/log");
        EXPECT_FALSE(target.write("one\n"));
        EXPECT_FALSE(target.write("two\n"));
    }
    EXPECT_EQ(waiting_in(ends[0]),
              "zlink: ZLINK_LOG_FILE=/no/such/folder/log: No such file or directory; lines are lost\n");
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(log_target, survives_a_full_disk) {
    log_target full("/dev/full");
    EXPECT_FALSE(full.write("one\n"));
    // A file that may grow no more takes a part of a line. The next line begins anew.
    const std::string file = file_name("limit");
    log_target target(file);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{6, before.rlim_max};
    auto *const handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_TRUE(target.write("one\n"));
    EXPECT_FALSE(target.write("three\n"));
    EXPECT_FALSE(target.write("four\n"));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_TRUE(target.write("five\n"));
    EXPECT_EQ(content(file), "one\nth\nfive\n");
    ::unlink(file.c_str());
}

TEST(log_target, does_not_wait_for_a_pipe_that_is_full) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0); // its writes wait
    {
        const other_stderr meanwhile(ends[1]);
        log_target target("");
        const std::string line(5'000, 'x');
        int written = 0;
        for (int i = 0; i < 100; ++i)
            written += target.write(line) ? 1 : 0;
        EXPECT_GT(written, 0);
        EXPECT_LT(written, 100);
    }
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(log_target, raises_no_signal_where_nobody_reads) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    {
        const other_stderr meanwhile(ends[1]);
        log_target target("");
        EXPECT_FALSE(target.write("one\n")); // SIGPIPE would end the test
    }
    ::close(ends[1]);
    sigset_t blocked;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    EXPECT_EQ(::sigismember(&blocked, SIGPIPE), 0);
}

// A socket that gets the number of a closed stderr is a peer's.
TEST(log_target, writes_to_no_socket_that_was_not_stderr_at_the_beginning) {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    {
        const other_stderr closed(-1);
        log_target target("");
        EXPECT_FALSE(target.write("one\n"));
        ASSERT_EQ(::dup2(pair[1], STDERR_FILENO), STDERR_FILENO);
        EXPECT_FALSE(target.write("two\n"));
        log_target from_the_beginning("");
        EXPECT_TRUE(from_the_beginning.write("three\n"));
    }
    EXPECT_EQ(waiting_in(pair[0]), "three\n");
    ::close(pair[0]);
    ::close(pair[1]);
}

// Memory of the library is read and written; a log is only written.
TEST(log_target, writes_to_no_file_that_is_read_too) {
    const std::string file = file_name("memory");
    const int memory = ::open(file.c_str(), O_RDWR | O_CREAT, 0600),
              log = ::open(file.c_str(), O_WRONLY | O_APPEND);
    {
        const other_stderr closed(-1);
        log_target target("");
        ASSERT_EQ(::dup2(memory, STDERR_FILENO), STDERR_FILENO);
        EXPECT_FALSE(target.write("one\n"));
        ASSERT_EQ(::dup2(log, STDERR_FILENO), STDERR_FILENO);
        EXPECT_TRUE(target.write("two\n"));
    }
    EXPECT_EQ(content(file), "two\n");
    ::close(memory);
    ::close(log);
    ::unlink(file.c_str());
}

} // namespace
} // namespace zlink::connections
