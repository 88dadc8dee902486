// SPDX-License-Identifier: MPL-2.0
// A thread that waits for the messages of many connections reads their streams itself, all of them or none:
// what that must not change. Every test first goes back and forth until the streams are with the application.
#include "rig.hpp"

namespace zlink::conformance {
namespace {

constexpr int peers_count = 9;

class caller_runs_many : public transport_test {
  protected:
    // Peers in a thread of their own answer what they are sent, until they are sent "end".
    struct answering {
        explicit answering(std::vector<socket> &peers)
            : thread([&peers] {
                  std::vector<zmq_pollitem_t> items;
                  for (socket &peer : peers)
                      items.push_back({peer.handle(), 0, ZMQ_POLLIN, 0});
                  for (std::size_t ended = 0; ended < peers.size();) {
                      zmq_poll(items.data(), static_cast<int>(items.size()), -1);
                      for (std::size_t i = 0; i < items.size(); ++i) {
                          if (items[i].revents == 0)
                              continue;
                          if (peers[i].receive() == "end")
                              ++ended;
                          else
                              EXPECT_EQ(peers[i].send("answer"), 0);
                      }
                  }
              }) {}
        ~answering() { thread.join(); }
        std::thread thread;
    };

    void make_peers(int type, const std::string &endpoint, int count = peers_count) {
        for (int made = 0; made < count; ++made) {
            socket &peer = peers.emplace_back(owner, type);
            peer.set(ZMQ_ROUTING_ID, name(made));
            adjust(peer);
            EXPECT_EQ(peer.connect(endpoint), 0);
        }
    }
    static std::string name(int of) { return "peer " + std::to_string(of); }
    // ROUTER and DEALERs.
    void converse(socket &hub, int rounds = 30) {
        await_all(hub);
        const answering others(peers);
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < peers.size(); ++i)
                EXPECT_EQ(hub.send(frames{name(static_cast<int>(i)), "question"}), 0);
            for (std::size_t i = 0; i < peers.size(); ++i)
                EXPECT_EQ(hub.receive_frames().back(), "answer");
        }
        for (std::size_t i = 0; i < peers.size(); ++i)
            EXPECT_EQ(hub.send(frames{name(static_cast<int>(i)), "end"}), 0);
    }
    void await_all(socket &hub) {
        if (std::exchange(met, true))
            return;
        for (socket &peer : peers)
            EXPECT_EQ(peer.send("hello"), 0);
        for (std::size_t i = 0; i < peers.size(); ++i)
            EXPECT_EQ(hub.receive_frames().back(), "hello");
    }
    static void pass(int milliseconds) { zmq_poll(nullptr, 0, milliseconds); }
    static std::string large(char first) {
        std::string body(3 * 1024 * 1024 + 13, '\0');
        for (std::size_t i = 0; i < body.size(); ++i)
            body[i] = static_cast<char>(static_cast<std::size_t>(first) + i * 31 + (i >> 12));
        return body;
    }

    std::function<void(socket &)> adjust = [](socket &) {};
    std::vector<socket> peers;
    bool met = false;
};

void with_heartbeats(socket &peer) {
    peer.set(ZMQ_HEARTBEAT_IVL, 50);
    peer.set(ZMQ_HEARTBEAT_TIMEOUT, 2000);
    peer.set(ZMQ_RECONNECT_IVL, -1);
}

TEST_P(caller_runs_many, heartbeats_are_answered_for_an_application_that_is_about_other_things) {
    socket hub(owner, ZMQ_ROUTER);
    adjust = with_heartbeats;
    make_peers(ZMQ_DEALER, bind(hub));
    converse(hub);
    pass(4500);
    converse(hub);
}

TEST_P(caller_runs_many, heartbeats_are_answered_by_a_thread_that_waits) {
    socket hub(owner, ZMQ_ROUTER);
    adjust = with_heartbeats;
    make_peers(ZMQ_DEALER, bind(hub));
    converse(hub);
    EXPECT_FALSE(hub.ready(ZMQ_POLLIN, 4500));
    converse(hub);
}

TEST_P(caller_runs_many, messages_are_fetched_for_an_application_that_stays_away) {
    socket hub(owner, ZMQ_ROUTER);
    hub.set(ZMQ_RCVHWM, 100'000);
    make_peers(ZMQ_DEALER, bind(hub));
    converse(hub);
    const std::string body(10'000, 'x');
    for (int sent = 0; sent < 2000; ++sent)
        for (socket &peer : peers)
            ASSERT_EQ(peer.send(body), 0) << sent; // some 20 MB each: more than the system keeps
    for (int got = 0; got < 2000 * peers_count; ++got)
        ASSERT_EQ(hub.receive_frames().back(), body);
    converse(hub);
}

// Streams are left alone where a queue is full, and read again when it is not.
TEST_P(caller_runs_many, high_water_marks_hold_and_nothing_stays_behind) {
    socket hub(owner, ZMQ_PULL);
    hub.set(ZMQ_RCVHWM, 3);
    adjust = [](socket &peer) { peer.set(ZMQ_SNDHWM, 3); };
    make_peers(ZMQ_PUSH, bind(hub));
    constexpr int messages = 400;
    std::vector<std::thread> senders;
    for (int i = 0; i < peers_count; ++i)
        senders.emplace_back([&, i] {
            const std::string filling(static_cast<std::size_t>(i) * 997, 'f');
            for (int sent = 0; sent < messages; ++sent)
                ASSERT_EQ(peers[static_cast<std::size_t>(i)].send(
                              frames{std::to_string(i), std::to_string(sent), filling}),
                          0);
        });
    std::array<int, peers_count> next{};
    for (int got = 0; got < messages * peers_count; ++got) {
        if (got % 500 == 499)
            pass(30);
        const frames message = hub.receive_frames();
        ASSERT_EQ(message.size(), 3U);
        const int from = std::stoi(message[0]);
        ASSERT_EQ(std::stoi(message[1]), next[static_cast<std::size_t>(from)]++);
        ASSERT_EQ(message[2].size(), static_cast<std::size_t>(from) * 997);
    }
    for (std::thread &sender : senders)
        sender.join();
    for (socket &peer : peers) {
        pass(2);
        EXPECT_EQ(peer.send("afterwards"), 0);
        ASSERT_EQ(hub.receive(), "afterwards");
    }
}

TEST_P(caller_runs_many, a_full_queue_does_not_keep_others_from_being_read) {
    socket hub(owner, ZMQ_DEALER);
    hub.set(ZMQ_RCVHWM, 1);
    make_peers(ZMQ_DEALER, bind(hub));
    for (int turn = 0; turn < 50; ++turn) {
        for (socket &peer : peers)
            EXPECT_EQ(peer.send("message"), 0);
        if (turn % 10 == 0)
            pass(12);
        for (int got = 0; got < peers_count; ++got)
            ASSERT_EQ(hub.receive(), "message");
    }
    EXPECT_TRUE(hub.quiet());
}

TEST_P(caller_runs_many, what_does_not_fit_the_streams_goes_out_while_others_come_in) {
    socket hub(owner, ZMQ_ROUTER);
    make_peers(ZMQ_DEALER, bind(hub));
    converse(hub);
    for (int turn = 0; turn < 3; ++turn) {
        for (int i = 0; i < peers_count; ++i)
            EXPECT_EQ(hub.send(frames{name(i), large(static_cast<char>(i + turn))}), 0);
        for (socket &peer : peers)
            EXPECT_EQ(peer.send("meanwhile"), 0);
        for (int i = 0; i < peers_count; ++i)
            ASSERT_EQ(hub.receive_frames().back(), "meanwhile");
        for (int i = 0; i < peers_count; ++i)
            ASSERT_TRUE(peers[static_cast<std::size_t>(i)].receive_frames().back() ==
                        large(static_cast<char>(i + turn)));
        converse(hub, 3);
    }
}

TEST_P(caller_runs_many, large_messages_come_in_whole) {
    socket hub(owner, ZMQ_ROUTER);
    make_peers(ZMQ_DEALER, bind(hub));
    converse(hub);
    std::thread sender([&] {
        for (int i = 0; i < peers_count; ++i)
            EXPECT_EQ(peers[static_cast<std::size_t>(i)].send(frames{large(static_cast<char>(i))}), 0);
    });
    for (int got = 0; got < peers_count; ++got) {
        const frames message = hub.receive_frames();
        ASSERT_EQ(message.size(), 2U);
        ASSERT_TRUE(message[1] == large(static_cast<char>(message[0].back() - '0')));
    }
    sender.join();
}

TEST_P(caller_runs_many, peers_leave_and_come) {
    socket hub(owner, ZMQ_ROUTER);
    const std::string endpoint = bind(hub);
    make_peers(ZMQ_DEALER, endpoint);
    converse(hub);
    for (int turn = 0; turn < 10; ++turn) {
        peers.clear();
        for (int i = 0; i < peers_count; ++i) {
            socket passing = connected(ZMQ_DEALER, endpoint);
            passing.set(ZMQ_LINGER, -1);
            EXPECT_EQ(passing.send("passing"), 0);
        }
        for (int i = 0; i < peers_count; ++i)
            ASSERT_EQ(hub.receive_frames().back(), "passing");
        // A peer with the routing id of a peer that is still there would be refused.
        hub.set(ZMQ_ROUTER_MANDATORY, 1);
        for (int i = 0; i < peers_count; ++i)
            ASSERT_TRUE(eventually([&] { return hub.send(frames{name(i), "gone?"}) == EHOSTUNREACH; }));
        hub.set(ZMQ_ROUTER_MANDATORY, 0);
        met = false;
        make_peers(ZMQ_DEALER, endpoint, peers_count);
        converse(hub, 3);
    }
}

TEST_P(caller_runs_many, asking_without_waiting_finds_what_comes) {
    socket hub(owner, ZMQ_ROUTER);
    make_peers(ZMQ_DEALER, bind(hub));
    for (int turn = 0; turn < 10; ++turn) {
        converse(hub, 3);
        EXPECT_EQ(peers.back().send("late"), 0);
        frames got;
        EXPECT_TRUE(eventually([&] { return (got = hub.receive_frames(ZMQ_DONTWAIT)).back() == "late"; }));
        EXPECT_EQ(peers.front().send("later"), 0);
        EXPECT_TRUE(eventually([&] { return (hub.get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0; }));
        EXPECT_EQ(hub.receive_frames(ZMQ_DONTWAIT).back(), "later");
    }
}

TEST_P(caller_runs_many, who_asks_for_the_descriptor_is_told_by_it) {
    socket hub(owner, ZMQ_ROUTER);
    make_peers(ZMQ_DEALER, bind(hub));
    converse(hub);
    const int descriptor = hub.get(ZMQ_FD);
    while ((hub.get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0)
        hub.receive_frames();
    EXPECT_EQ(peers.back().send("ring"), 0);
    zmq_pollitem_t item{nullptr, descriptor, ZMQ_POLLIN, 0};
    EXPECT_EQ(zmq_poll(&item, 1, patience_ms), 1);
    EXPECT_TRUE((hub.get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0);
    EXPECT_EQ(hub.receive_frames().back(), "ring");
}

TEST_P(caller_runs_many, polling_two_poll_groups_finds_what_comes_on_either) {
    socket one(owner, ZMQ_ROUTER);
    socket other(owner, ZMQ_PULL);
    make_peers(ZMQ_DEALER, bind(one));
    const std::string endpoint = bind(other);
    std::vector<socket> pushers;
    for (int i = 0; i < peers_count; ++i)
        pushers.push_back(connected(ZMQ_PUSH, endpoint));
    converse(one);
    std::thread sender([&] {
        for (int turn = 0; turn < 200; ++turn) {
            if (turn % 20 == 0)
                pass(1);
            EXPECT_EQ(pushers[static_cast<std::size_t>(turn % peers_count)].send("pushed"), 0);
            EXPECT_EQ(peers[static_cast<std::size_t>(turn % peers_count)].send("dealt"), 0);
        }
    });
    std::array<zmq_pollitem_t, 2> items{
        {{one.handle(), 0, ZMQ_POLLIN, 0}, {other.handle(), 0, ZMQ_POLLIN, 0}}};
    int dealt = 0;
    int pushed = 0;
    while (dealt < 200 || pushed < 200) {
        ASSERT_GT(zmq_poll(items.data(), 2, patience_ms), 0);
        if (items[0].revents != 0) {
            ASSERT_EQ(one.receive_frames().back(), "dealt");
            ++dealt;
        }
        if (items[1].revents != 0) {
            ASSERT_EQ(other.receive(), "pushed");
            ++pushed;
        }
    }
    sender.join();
}

TEST_P(caller_runs_many, what_was_sent_goes_out_behind_a_socket_that_closes) {
    for (int turn = 0; turn < 3; ++turn) {
        peers.clear();
        met = false;
        socket hub(owner, ZMQ_ROUTER);
        hub.set(ZMQ_LINGER, -1);
        make_peers(ZMQ_DEALER, bind(hub));
        converse(hub, 5);
        for (socket &peer : peers)
            EXPECT_EQ(peer.send("nobody reads it"), 0);
        for (int i = 0; i < peers_count; ++i)
            EXPECT_EQ(hub.send(frames{name(i), large(static_cast<char>(i))}), 0);
        hub.close();
        for (int i = 0; i < peers_count; ++i)
            ASSERT_TRUE(peers[static_cast<std::size_t>(i)].receive_frames().back() ==
                        large(static_cast<char>(i)));
    }
}

TEST_P(caller_runs_many, the_end_of_the_context_ends_a_wait) {
    socket hub(owner, ZMQ_ROUTER);
    make_peers(ZMQ_DEALER, bind(hub));
    converse(hub);
    std::thread waiting([&] {
        EXPECT_EQ(hub.receive_frames().back(), std::string("error: ") + zmq_strerror(ETERM));
        hub.close();
    });
    pass(20);
    EXPECT_EQ(zmq_ctx_shutdown(owner.handle()), 0);
    waiting.join();
}

ZLINK_OVER_CONNECTIONS(caller_runs_many);

} // namespace
} // namespace zlink::conformance
