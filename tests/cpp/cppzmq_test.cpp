// SPDX-License-Identifier: MPL-2.0
// Usual programs of cppzmq, compiled with zlink's zmq.h and run on zlink.
#include <gtest/gtest.h>

#include <zmq.hpp>
#include <zmq_addon.hpp>

#ifndef ZLINK_C_CONSTANTS_H
#error "this is not zlink's zmq.h"
#endif

TEST(cppzmq, asks_and_answers) {
    zmq::context_t context(1);
    zmq::socket_t server(context, zmq::socket_type::rep), client(context, zmq::socket_type::req);
    server.bind("tcp://127.0.0.1:*");
    client.set(zmq::sockopt::linger, 0);
    client.connect(server.get(zmq::sockopt::last_endpoint));
    client.send(zmq::buffer("Hello"), zmq::send_flags::none);
    zmq::message_t request;
    ASSERT_TRUE(server.recv(request, zmq::recv_flags::none));
    EXPECT_EQ(request.size(), 6u);
    server.send(zmq::str_buffer("World"));
    zmq::message_t reply;
    ASSERT_TRUE(client.recv(reply));
    EXPECT_EQ(reply.to_string(), "World");
}

TEST(cppzmq, publishes_multipart_and_polls) {
    zmq::context_t context;
    zmq::socket_t push(context, ZMQ_PUSH), pull(context, ZMQ_PULL);
    pull.bind("inproc://multi");
    push.connect("inproc://multi");
    zmq::multipart_t frames;
    frames.addstr("one");
    frames.addstr("two");
    ASSERT_TRUE(frames.send(push));
    zmq::pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}};
    EXPECT_EQ(zmq::poll(items, 1, std::chrono::milliseconds(-1)), 1);
    zmq::multipart_t got(pull);
    EXPECT_EQ(got.size(), 2u);
    EXPECT_EQ(got.popstr(), "one");
}

TEST(cppzmq, throws_its_error) {
    zmq::context_t context;
    zmq::socket_t socket(context, ZMQ_REQ);
    try {
        socket.bind("nonsense");
        FAIL();
    } catch (const zmq::error_t &failure) {
        EXPECT_EQ(failure.num(), EINVAL);
    }
}
