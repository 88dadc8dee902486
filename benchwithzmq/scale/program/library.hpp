// SPDX-License-Identifier: MPL-2.0
// Context, sockets and addresses over the public API; every call that fails ends the program.
//
// Threads: a context serves any thread, a socket one at a time. Sockets have no high-water mark and a linger
// of 0: the scenarios bound what is under way themselves.
#pragma once

#include "common/body.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace bench::scale {

class context {
  public:
    explicit context(int io_threads = 1, int sockets = 16);
    ~context();
    context(const context &) = delete;
    context &operator=(const context &) = delete;
    [[nodiscard]] void *get() const { return handle_; }

  private:
    void *handle_;
};

class socket {
  public:
    socket(const context &owner, int type);
    ~socket();
    socket(socket &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    socket(const socket &) = delete;
    socket &operator=(const socket &) = delete;
    socket &operator=(socket &&) = delete;

    // Binds, and says where: wildcards are resolved.
    std::string bind(const std::string &endpoint);
    void connect(const std::string &endpoint);
    void subscribe(std::string_view topic);

    void send(const body &message) { send(message.data(), message.size(), 0); }
    void send(const void *bytes, std::size_t size, int flags);
    // A frame that must have exactly the message's size.
    void receive(body &message);
    // A frame of at most `capacity` bytes; its size.
    std::size_t receive(void *bytes, std::size_t capacity);
    // The same, but false when nothing is there.
    bool try_receive(void *bytes, std::size_t capacity);
    // Lets the library do what is due in calls on this socket, and nothing else.
    void touch();
    [[nodiscard]] void *get() const { return handle_; }

  private:
    void set(int option, int value);
    void unlimit(int option);

    void *handle_;
};

// Where to bind: a socket file of this process for ipc, removed at the end by the process that made it.
class address {
  public:
    // `suffix` tells several of a process apart.
    explicit address(const std::string &transport, const std::string &suffix = "");
    ~address();
    address(const address &) = delete;
    address &operator=(const address &) = delete;
    [[nodiscard]] const std::string &endpoint() const { return endpoint_; }

  private:
    std::string endpoint_;
    std::string file_;
};

} // namespace bench::scale
