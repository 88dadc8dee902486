// SPDX-License-Identifier: MPL-2.0
#include "transport/ipc_address.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

namespace zlink::transport {
namespace {

namespace fs = std::filesystem;

// Sets variables of the environment for one test, and puts them back.
class environment {
  public:
    explicit environment(const char *name, const std::string &value) : name_(name) {
        const char *old = std::getenv(name);
        had_ = old != nullptr;
        old_ = had_ ? old : "";
        if (value.empty()) {
            unsetenv(name);
        } else {
            setenv(name, value.c_str(), 1);
        }
    }
    environment(const environment &) = delete;
    environment &operator=(const environment &) = delete;
    ~environment() {
        if (had_) {
            setenv(name_, old_.c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }

  private:
    const char *name_;
    std::string old_;
    bool had_;
};

socket_address bind_address(std::string_view address) {
    return resolve_ipc_bind(*parse_ipc_bind(address))->address;
}

TEST(ipc_address, goes_to_a_socket_address_and_back) {
    for (const std::string &name : {std::string("/tmp/x"), std::string("relative"), std::string("@abstract"),
                                    std::string(107, 'a'), "@" + std::string(106, 'a')}) {
        EXPECT_EQ(ipc_endpoint_text(bind_address(name)), "ipc://" + name);
        EXPECT_EQ(ipc_endpoint_text(*resolve_ipc_connect(*parse_ipc_connect(name))), "ipc://" + name);
    }
}

TEST(ipc_address, tells_what_to_remove_afterwards) {
    EXPECT_EQ(resolve_ipc_bind(*parse_ipc_bind("/tmp/x"))->path, "/tmp/x");
    EXPECT_EQ(resolve_ipc_bind(*parse_ipc_bind("/tmp/x"))->directory, "");
    EXPECT_EQ(resolve_ipc_bind(*parse_ipc_bind("@x"))->path, "");
}

TEST(ipc_address, abstract_name_has_no_final_nul) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_GE(socket, 0);
    const std::string name = "@zlink-unit-" + std::to_string(getpid());
    const socket_address address = bind_address(name);
    ASSERT_EQ(::bind(socket, address.data(), address.size), 0);
    socket_address actual;
    actual.size = sizeof actual.storage;
    EXPECT_EQ(::getsockname(socket, actual.data(), &actual.size), 0);
    EXPECT_EQ(ipc_endpoint_text(actual), "ipc://" + name);
    EXPECT_EQ(actual.size, address.size);
    ::close(socket);
}

TEST(ipc_address, unnamed_peer_has_an_empty_text) {
    socket_address unnamed;
    unnamed.storage.ss_family = AF_UNIX;
    unnamed.size = sizeof unnamed.storage.ss_family;
    EXPECT_EQ(ipc_endpoint_text(unnamed), "ipc://");
}

TEST(ipc_address, wildcard_makes_a_directory_of_its_own) {
    const fs::path root = fs::temp_directory_path() / ("zlink-unit-" + std::to_string(getpid()));
    fs::create_directory(root);
    {
        const environment variable("TMPDIR", root.string());
        const auto made = resolve_ipc_bind(ipc_name{ipc_kind::wildcard, {}});
        const auto other = resolve_ipc_bind(ipc_name{ipc_kind::wildcard, {}});
        ASSERT_TRUE(made.ok() && other.ok());
        EXPECT_NE(made->directory, other->directory);
        EXPECT_EQ(fs::path(made->directory).parent_path(), root);
        EXPECT_EQ(made->path, made->directory + "/socket");
        EXPECT_EQ(ipc_endpoint_text(made->address), "ipc://" + made->path);
        EXPECT_EQ(fs::status(made->directory).permissions(), fs::perms::owner_all);
        EXPECT_FALSE(fs::exists(made->path));
    }
    fs::remove_all(root);
}

TEST(ipc_address, wildcard_takes_the_first_variable_that_is_a_directory) {
    const fs::path root = fs::temp_directory_path() / ("zlink-unit-first-" + std::to_string(getpid()));
    fs::create_directory(root);
    {
        const environment first("TMPDIR", "/nonexistent");
        const environment second("TEMPDIR", "");
        const environment third("TMP", root.string() + "/");
        const auto made = resolve_ipc_bind(ipc_name{ipc_kind::wildcard, {}});
        ASSERT_TRUE(made.ok());
        EXPECT_EQ(fs::path(made->directory).parent_path(), root);
    }
    fs::remove_all(root);
}

TEST(ipc_address, wildcard_is_relative_without_a_variable) {
    const environment first("TMPDIR", "");
    const environment second("TEMPDIR", "");
    const environment third("TMP", "");
    const auto made = resolve_ipc_bind(ipc_name{ipc_kind::wildcard, {}});
    ASSERT_TRUE(made.ok());
    EXPECT_TRUE(made->directory.starts_with("tmp"));
    EXPECT_TRUE(fs::is_empty(made->directory));
    fs::remove(made->directory);
}

TEST(ipc_address, wildcard_below_a_long_path_is_refused) {
    const fs::path root = fs::temp_directory_path() / ("zlink-unit-long-" + std::to_string(getpid()));
    const fs::path deep = root / std::string(100, 'x');
    fs::create_directories(deep);
    {
        const environment variable("TMPDIR", deep.string());
        EXPECT_EQ(resolve_ipc_bind(ipc_name{ipc_kind::wildcard, {}}).code(), ENAMETOOLONG);
        EXPECT_TRUE(fs::is_empty(deep));
    }
    fs::remove_all(root);
}

TEST(ipc_address, nobody_connects_to_the_wildcard) {
    EXPECT_EQ(resolve_ipc_connect(ipc_name{ipc_kind::wildcard, {}}).code(), EINVAL);
}

} // namespace
} // namespace zlink::transport
