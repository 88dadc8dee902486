// SPDX-License-Identifier: MPL-2.0
#include "connections/log_target.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "transport/descriptor_guard.hpp"

namespace zlink::connections {
namespace {

constexpr int without_waiting = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// A pipe that nobody reads raises SIGPIPE in the thread that writes. The program's own threads do not expect
// it of a call on a socket.
class no_sigpipe {
  public:
    no_sigpipe() noexcept {
        sigset_t pending;
        ::sigemptyset(&pipe_);
        ::sigaddset(&pipe_, SIGPIPE);
        ::sigpending(&pending);
        was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
        ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    no_sigpipe(const no_sigpipe &) = delete;
    no_sigpipe &operator=(const no_sigpipe &) = delete;
    ~no_sigpipe() {
        const timespec at_once{0, 0};
        if (!was_pending_)
            while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
            }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

  private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

} // namespace

log_target::log_target(std::string file) : file_(std::move(file)) {
    struct stat found {};
    if (::fstat(STDERR_FILENO, &found) == 0) {
        stderr_device_ = found.st_dev;
        stderr_inode_ = found.st_ino;
    }
}

bool log_target::write(const std::string &line) noexcept {
    const no_sigpipe meanwhile;
    if (file_.empty())
        return write_to_stderr(line);
    constexpr int mode = 0640;
    const transport::descriptor_guard file(::open(file_.c_str(), without_waiting | O_CREAT, mode));
    if (file.get() < 0) {
        report(errno);
        return false;
    }
    return write_to(file.get(), false, line);
}

// A line that was cut, as on a full disk, does not run into the next one.
bool log_target::write_to(int descriptor, bool is_socket, const std::string &line) noexcept {
    constexpr char end = '\n';
    const auto put = [&](const char *bytes, std::size_t size) {
        return is_socket ? ::send(descriptor, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL)
                         : ::write(descriptor, bytes, size);
    };
    if (torn_.load(std::memory_order_relaxed) && put(&end, 1) == 1)
        torn_.store(false, std::memory_order_relaxed);
    const ssize_t written = put(line.data(), line.size());
    if (written > 0 && static_cast<std::size_t>(written) < line.size())
        torn_.store(true, std::memory_order_relaxed);
    return written == static_cast<ssize_t>(line.size());
}

// Where a program has closed stderr its number may belong to anything. A socket, or a file that is read too,
// is none unless it was there at the beginning. A pipe or a terminal is opened anew, as others may rely on
// its writes that wait.
bool log_target::write_to_stderr(const std::string &line) noexcept {
    struct stat found {};
    if (::fstat(STDERR_FILENO, &found) != 0)
        return false;
    const bool same = found.st_dev == stderr_device_ && found.st_ino == stderr_inode_;
    if (S_ISREG(found.st_mode))
        return (same || (::fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY) &&
               write_to(STDERR_FILENO, false, line);
    if (S_ISSOCK(found.st_mode))
        return same && write_to(STDERR_FILENO, true, line);
    if (!S_ISFIFO(found.st_mode) && !S_ISCHR(found.st_mode))
        return false;
    const transport::descriptor_guard again(::open("/proc/self/fd/2", without_waiting));
    if (again.get() >= 0)
        return write_to(again.get(), false, line);
    pollfd room{STDERR_FILENO, POLLOUT, 0}; // another user's, or there is no /proc
    return ::poll(&room, 1, 0) == 1 && room.revents == POLLOUT && write_to(STDERR_FILENO, false, line);
}

void log_target::report(int code) noexcept {
    if (reported_.exchange(true, std::memory_order_relaxed))
        return;
    try {
        char room[128];
        const char *const why = ::strerror_r(code, room, sizeof room); // the GNU one
        (void)write_to_stderr("zlink: ZLINK_LOG_FILE=" + file_.substr(0, 64) + ": " + why +
                              "; lines are lost\n");
    } catch (const std::exception &) {
        return; // no memory
    }
}

} // namespace zlink::connections
