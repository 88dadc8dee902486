// SPDX-License-Identifier: MPL-2.0
// Owners of contexts and sockets of <zmq.h>, with errors that say what to do. A socket is for one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <zmq.h>

namespace cli {

using message = std::vector<std::string>; // its frames

struct socket_type {
    const char *name;
    int number;
    bool sends;
    bool receives;
};

const std::vector<socket_type> &socket_types();
std::vector<std::string> socket_type_names();
// The row of a name of the list, in any case.
const socket_type &find_socket_type(std::string_view name);

class context {
  public:
    context();
    ~context();
    context(const context &) = delete;
    context &operator=(const context &) = delete;

    void *handle() const { return handle_; }
    // Waits until the closed sockets have sent what they had, or their linger is over. False if a signal came
    // first, or a second passed after one: the context is then given up, and the process should end.
    bool end();

  private:
    void *handle_;
};

class socket {
  public:
    socket(context &owner, int type);
    ~socket();
    socket(const socket &) = delete;
    socket &operator=(const socket &) = delete;

    void *handle() const { return handle_; }
    void close();

    void set(int option, int value, const char *name);
    void set(int option, std::string_view value, const char *name);
    int get(int option) const;
    std::string last_endpoint() const;

    void bind(const std::string &endpoint);
    void connect(const std::string &endpoint);
    // Of a PEER. Returns the number to which it sends.
    std::uint32_t connect_peer(const std::string &endpoint);

    // SUB subscribes, DISH joins the group.
    void subscribe(const std::string &topic);

    // Do not wait. False if there is none, or no room. The first frame is the number of the peer in digits,
    // for SERVER and PEER, or the group, for RADIO and DISH.
    bool receive(message &into);
    bool send(const message &frames);

  private:
    // Frames that the application sees, in place of the number of a peer (SERVER, PEER) or the group (DISH).
    void add_address(zmq_msg_t &last, message &frames) const;
    bool send_addressed(const message &frames);

    int type_;
    void *handle_;
};

// Throws a failure if the endpoint is to be connected and has a port that no host has.
void check_port(const std::string &endpoint);

// A failure for the error of the last call: "cannot ACT: REASON". Known errors say what to do.
[[noreturn]] void fail_with_errno(const std::string &act);

} // namespace cli
