// SPDX-License-Identifier: MPL-2.0
// CLIENT, SERVER, PEER, CHANNEL, SCATTER, GATHER: zmq_socket(3), RFC 41; routing ids, zmq_connect_peer,
// zmq_disconnect_peer.
#include "draft_rig.hpp"

#include <map>

namespace zlink::conformance {
namespace {

class client_server : public transport_test {
  protected:
    socket server_{owner, ZMQ_SERVER};
};

TEST_P(client_server, a_reply_goes_to_whom_it_is_for) {
    const std::string endpoint = bind(server_);
    socket alice = connected(ZMQ_CLIENT, endpoint);
    socket bob = connected(ZMQ_CLIENT, endpoint);
    ASSERT_EQ(alice.send("from alice"), 0);
    ASSERT_EQ(bob.send("from bob"), 0);
    std::map<std::string, std::uint32_t> ids;
    for (int i = 0; i < 2; ++i) {
        message request;
        ASSERT_EQ(request.receive(server_), 0);
        EXPECT_NE(request.routing_id(), 0U);
        ids[request.body()] = request.routing_id();
    }
    ASSERT_EQ(ids.size(), 2U);
    EXPECT_NE(ids["from alice"], ids["from bob"]);
    ASSERT_EQ(message("to bob").to(ids["from bob"]).send(server_), 0);
    ASSERT_EQ(message("to alice").to(ids["from alice"]).send(server_), 0);
    EXPECT_EQ(alice.receive(), "to alice");
    EXPECT_EQ(bob.receive(), "to bob");
    message reply;
    ASSERT_EQ(message("again").to(ids["from bob"]).send(server_), 0);
    ASSERT_EQ(reply.receive(bob), 0);
    EXPECT_EQ(reply.routing_id(), 0U) << "a client's messages come from no one in particular";
}

TEST_P(client_server, a_message_to_nobody_is_refused) {
    socket client = connected(ZMQ_CLIENT, bind(server_));
    ASSERT_EQ(client.send("x"), 0);
    message request;
    ASSERT_EQ(request.receive(server_), 0);
    EXPECT_EQ(server_.send("no id"), EHOSTUNREACH);
    EXPECT_EQ(message("unknown").to(request.routing_id() + 1).send(server_), EHOSTUNREACH);
    message kept("kept");
    EXPECT_EQ(kept.to(request.routing_id() + 1).send(server_), EHOSTUNREACH);
    EXPECT_EQ(kept.body(), "kept") << "what was not sent is still the caller's";
    EXPECT_EQ(kept.routing_id(), request.routing_id() + 1);
    client.close();
    ASSERT_TRUE(eventually([&] {
        return message("gone").to(request.routing_id()).send(server_, ZMQ_DONTWAIT) == EHOSTUNREACH;
    }));
}

TEST_P(client_server, large_and_empty_messages_pass) {
    socket client = connected(ZMQ_CLIENT, bind(server_));
    for (const std::size_t size : {0U, 1U, 33U, 34U, 300U, 9000U, 300'000U}) {
        const std::string body(size, 'b');
        ASSERT_EQ(message(body).send(client), 0);
        message request;
        ASSERT_EQ(request.receive(server_), 0);
        EXPECT_EQ(request.body(), body);
        ASSERT_EQ(request.send(server_), 0) << "a message that is sent back goes where it came from";
        EXPECT_EQ(client.receive(), body);
    }
}

TEST_P(client_server, parts_are_refused) {
    socket client = connected(ZMQ_CLIENT, bind(server_));
    EXPECT_EQ(client.send("a", ZMQ_SNDMORE), EINVAL);
    ASSERT_EQ(client.send("b"), 0);
    message request;
    ASSERT_EQ(request.receive(server_), 0);
    EXPECT_EQ(request.body(), "b");
    EXPECT_EQ(request.send(server_, ZMQ_SNDMORE), EINVAL);
    EXPECT_EQ(server_.get(ZMQ_RCVMORE), 0);
}

TEST_P(client_server, a_full_peer_blocks_until_it_has_room) {
    server_.set(ZMQ_SNDHWM, 2);
    server_.set(ZMQ_SNDTIMEO, 10);
    const std::string endpoint = bind(server_);
    socket client(owner, ZMQ_CLIENT);
    client.set(ZMQ_RCVHWM, 2);
    ASSERT_EQ(client.connect(endpoint), 0);
    ASSERT_EQ(client.send("x"), 0);
    message request;
    ASSERT_EQ(request.receive(server_), 0);
    const std::string body(100'000, 'x');
    int sent = 0;
    while (message(body).to(request.routing_id()).send(server_) == 0)
        ++sent;
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_GE(sent, 2);
    EXPECT_EQ(message(body).to(request.routing_id()).send(server_, ZMQ_DONTWAIT), EAGAIN);
    server_.set(ZMQ_SNDTIMEO, patience_ms);
    std::thread blocked([&] { EXPECT_EQ(message("last").to(request.routing_id()).send(server_), 0); });
    for (int i = 0; i < sent; ++i)
        EXPECT_EQ(client.receive().size(), body.size());
    EXPECT_EQ(client.receive(), "last");
    blocked.join();
}

TEST_P(client_server, a_client_talks_to_its_servers_in_turn) {
    socket other(owner, ZMQ_SERVER);
    socket client = connected(ZMQ_CLIENT, bind(server_));
    ASSERT_EQ(client.connect(bind(other)), 0);
    for (int i = 0; i < 6; ++i)
        ASSERT_EQ(client.send("x"), 0);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(server_.receive(), "x");
        EXPECT_EQ(other.receive(), "x");
    }
    EXPECT_TRUE(server_.quiet());
    EXPECT_TRUE(other.quiet());
}

TEST_P(client_server, a_server_may_drop_a_peer) {
    socket client = connected(ZMQ_CLIENT, bind(server_));
    ASSERT_EQ(client.send("x"), 0);
    message request;
    ASSERT_EQ(request.receive(server_), 0);
    EXPECT_EQ(zmq_disconnect_peer(server_.handle(), request.routing_id()), 0);
    EXPECT_EQ(zmq_disconnect_peer(server_.handle(), request.routing_id()), -1);
    EXPECT_EQ(errno, EHOSTUNREACH);
    EXPECT_EQ(request.send(server_), EHOSTUNREACH);
    EXPECT_EQ(zmq_disconnect_peer(client.handle(), 1), -1);
    EXPECT_EQ(errno, ENOTSUP);
}

ZLINK_OVER_EVERY_TRANSPORT(client_server);

// ----

class peers : public transport_test {
  protected:
    peers() { caller_.prepare_for(std::string(GetParam()) + "://"); }
    socket bound_{owner, ZMQ_PEER};
    socket caller_{owner, ZMQ_PEER};
};

TEST_P(peers, talk_by_the_ids_they_have_of_each_other) {
    const std::uint32_t id = zmq_connect_peer(caller_.handle(), bind(bound_).c_str());
    ASSERT_NE(id, 0U);
    ASSERT_EQ(message("hello").to(id).send(caller_), 0);
    message got;
    ASSERT_EQ(got.receive(bound_), 0);
    EXPECT_EQ(got.body(), "hello");
    ASSERT_EQ(message("hello yourself").to(got.routing_id()).send(bound_), 0);
    message reply;
    ASSERT_EQ(reply.receive(caller_), 0);
    EXPECT_EQ(reply.body(), "hello yourself");
    EXPECT_EQ(reply.routing_id(), id);
}

TEST_P(peers, each_connection_has_an_id_of_its_own) {
    socket third(owner, ZMQ_PEER);
    const std::uint32_t first = zmq_connect_peer(caller_.handle(), bind(bound_).c_str());
    const std::uint32_t second = zmq_connect_peer(caller_.handle(), bind(third).c_str());
    ASSERT_NE(first, 0U);
    ASSERT_NE(second, 0U);
    EXPECT_NE(first, second);
    ASSERT_EQ(message("2").to(second).send(caller_), 0);
    ASSERT_EQ(message("1").to(first).send(caller_), 0);
    EXPECT_EQ(bound_.receive(), "1");
    EXPECT_EQ(third.receive(), "2");
    EXPECT_EQ(zmq_disconnect_peer(caller_.handle(), first), 0);
    EXPECT_EQ(message("1").to(first).send(caller_), EHOSTUNREACH);
    ASSERT_EQ(message("2").to(second).send(caller_), 0);
    EXPECT_EQ(third.receive(), "2");
}

TEST_P(peers, connecting_by_id_says_what_is_wrong) {
    socket client(owner, ZMQ_CLIENT), router(owner, ZMQ_ROUTER);
    const std::string endpoint = bind(bound_);
    const auto refused = [](void *handle, const char *where) {
        errno = 0;
        return zmq_connect_peer(handle, where) == 0 ? errno : 0;
    };
    EXPECT_EQ(refused(client.handle(), endpoint.c_str()), ENOTSUP);
    EXPECT_EQ(refused(router.handle(), endpoint.c_str()), ENOTSUP);
    EXPECT_EQ(refused(nullptr, endpoint.c_str()), ENOTSOCK);
    EXPECT_EQ(refused(caller_.handle(), "nowhere"), EINVAL);
    EXPECT_EQ(refused(caller_.handle(), "gopher://x"), EPROTONOSUPPORT);
    caller_.set(ZMQ_IMMEDIATE, 1);
    EXPECT_EQ(refused(caller_.handle(), endpoint.c_str()), EFAULT);
}

ZLINK_OVER_EVERY_TRANSPORT(peers);

// ----

class channel : public transport_test {};

TEST_P(channel, two_ends_talk_freely) {
    socket one(owner, ZMQ_CHANNEL);
    socket two = connected(ZMQ_CHANNEL, bind(one));
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(one.send("down"), 0);
        ASSERT_EQ(two.send("up"), 0);
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(one.receive(), "up");
        EXPECT_EQ(two.receive(), "down");
    }
    EXPECT_EQ(one.send("a", ZMQ_SNDMORE), EINVAL);
}

TEST_P(channel, a_third_finds_no_place_until_the_second_has_gone) {
    socket one(owner, ZMQ_CHANNEL);
    const std::string endpoint = bind(one);
    socket two = connected(ZMQ_CHANNEL, endpoint);
    ASSERT_EQ(two.send("two"), 0);
    EXPECT_EQ(one.receive(), "two");
    {
        socket three = connected(ZMQ_CHANNEL, endpoint);
        three.send("three", ZMQ_DONTWAIT);
        EXPECT_TRUE(one.quiet());
    }
    ASSERT_EQ(two.send("still here"), 0);
    EXPECT_EQ(one.receive(), "still here");
    two.close();
    ASSERT_TRUE(eventually([&] {
        socket next = connected(ZMQ_CHANNEL, endpoint);
        next.send("next", ZMQ_DONTWAIT);
        return one.ready(ZMQ_POLLIN, 50);
    }));
    EXPECT_EQ(one.receive(), "next");
}

ZLINK_OVER_EVERY_TRANSPORT(channel);

class scatter_gather : public transport_test {};

TEST_P(scatter_gather, messages_go_round_and_are_taken_fairly) {
    socket one(owner, ZMQ_GATHER), two(owner, ZMQ_GATHER);
    socket from(owner, ZMQ_SCATTER);
    const std::string first = bind(one), second = bind(two);
    ASSERT_EQ(from.connect(first), 0);
    ASSERT_EQ(from.connect(second), 0);
    for (int i = 0; i < 8; ++i)
        ASSERT_EQ(from.send("x"), 0);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(one.receive(), "x");
        EXPECT_EQ(two.receive(), "x");
    }
    EXPECT_TRUE(one.quiet());
    EXPECT_EQ(from.send("a", ZMQ_SNDMORE), EINVAL);
    EXPECT_EQ(one.send("x"), ENOTSUP);
    EXPECT_EQ(from.receive_frames(ZMQ_DONTWAIT).front(), std::string("error: ") + zmq_strerror(ENOTSUP));
}

ZLINK_OVER_EVERY_TRANSPORT(scatter_gather);

// Over connections PUSH and GATHER do not talk.
TEST(gather, drops_a_message_of_parts_that_came_anyway) {
    context owner;
    socket gather(owner, ZMQ_GATHER), push(owner, ZMQ_PUSH);
    const std::string endpoint = unused_endpoint("inproc");
    ASSERT_EQ(gather.bind(endpoint), 0);
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(push.send("a|b|c"), 0);
    ASSERT_EQ(push.send("whole"), 0);
    EXPECT_EQ(gather.receive(), "whole");
}

// ----

class draft_types : public ::testing::TestWithParam<int> {
  protected:
    context owner_;
};

TEST_P(draft_types, say_what_they_are) {
    socket made(owner_, GetParam());
    EXPECT_EQ(made.get(ZMQ_TYPE), GetParam());
    EXPECT_EQ(made.get(ZMQ_THREAD_SAFE), 1);
    int descriptor = 0;
    std::size_t size = sizeof descriptor;
    EXPECT_EQ(zmq_getsockopt(made.handle(), ZMQ_FD, &descriptor, &size), -1);
    EXPECT_EQ(errno, EINVAL) << "a descriptor would be of one thread's use only";
    EXPECT_EQ(zmq_join(made.handle(), "a"), GetParam() == ZMQ_DISH ? 0 : -1);
    EXPECT_EQ(zmq_socket_get_peer_state(made.handle(), "a", 1), -1);
    EXPECT_EQ(errno, ENOTSUP);
    EXPECT_EQ(zmq_ctx_shutdown(owner_.handle()), 0);
    EXPECT_EQ(made.send("x"), ETERM);
}

INSTANTIATE_TEST_SUITE_P(all, draft_types,
                         ::testing::Values(ZMQ_SERVER, ZMQ_CLIENT, ZMQ_RADIO, ZMQ_DISH, ZMQ_GATHER,
                                           ZMQ_SCATTER, ZMQ_PEER, ZMQ_CHANNEL));

} // namespace
} // namespace zlink::conformance
