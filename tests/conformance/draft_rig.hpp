// SPDX-License-Identifier: MPL-2.0
// Tools for tests of the draft socket types: messages of one frame with a routing id and a group.
//
// Threads: a message belongs to one; sockets of these types to all.
#pragma once

#include "rig.hpp"

namespace zlink::conformance {

class message {
  public:
    message() { zmq_msg_init(&handle_); }
    explicit message(std::string_view body) {
        EXPECT_EQ(zmq_msg_init_buffer(&handle_, body.data(), body.size()), 0);
    }
    ~message() { zmq_msg_close(&handle_); }
    message(const message &) = delete;

    message &to(std::uint32_t routing_id) {
        EXPECT_EQ(zmq_msg_set_routing_id(&handle_, routing_id), 0);
        return *this;
    }
    message &of(const std::string &group) {
        EXPECT_EQ(zmq_msg_set_group(&handle_, group.c_str()), 0);
        return *this;
    }
    [[nodiscard]] std::string body() {
        return {static_cast<const char *>(zmq_msg_data(&handle_)), zmq_msg_size(&handle_)};
    }
    [[nodiscard]] std::uint32_t routing_id() { return zmq_msg_routing_id(&handle_); }
    [[nodiscard]] std::string group() { return zmq_msg_group(&handle_); }
    [[nodiscard]] zmq_msg_t *handle() { return &handle_; }

    // errno, or 0.
    int send(socket &through, int flags = 0) {
        return zmq_msg_send(&handle_, through.handle(), flags) < 0 ? errno : 0;
    }
    int receive(socket &from, int flags = 0) {
        return zmq_msg_recv(&handle_, from.handle(), flags) < 0 ? errno : 0;
    }

  private:
    zmq_msg_t handle_;
};

// The body, with its group or the error's text.
inline std::string receive_of_group(socket &dish, int flags = 0) {
    message got;
    if (const int code = got.receive(dish, flags); code != 0)
        return zmq_strerror(code);
    return got.group() + "/" + got.body();
}

inline int join(socket &dish, const char *group) {
    return zmq_join(dish.handle(), group) == 0 ? 0 : errno;
}
inline int leave(socket &dish, const char *group) {
    return zmq_leave(dish.handle(), group) == 0 ? 0 : errno;
}

// Until the radio knows the group, what it sends is dropped: sends until something came, and takes that.
inline void await_member(socket &radio, socket &dish, const std::string &group) {
    ASSERT_TRUE(eventually([&] {
        EXPECT_EQ(message("?").of(group).send(radio), 0);
        return dish.ready(ZMQ_POLLIN, 1);
    }));
    // Messages sent meanwhile come before this one, in order.
    ASSERT_EQ(message("!").of(group).send(radio), 0);
    while (receive_of_group(dish) != group + "/!") {
    }
}

} // namespace zlink::conformance
