// SPDX-License-Identifier: MPL-2.0
// Threads that wait for messages read streams themselves, threads that send write to them: what that must not
// change.
#include "bare_peer.hpp"
#include "leased_streams_rig.hpp"
#include "security_rig.hpp"

namespace zlink::conformance {
namespace {

class caller_runs : public leased_streams_test {
  protected:
    std::string take(socket &from) override { return from.receive(); }
    // Returns a body that does not fit a stream at once. Every byte follows from its place.
    static std::string large(char first, std::size_t size = 8 * 1024 * 1024 + 13) {
        std::string body(size, '\0');
        for (std::size_t i = 0; i < size; ++i)
            body[i] = static_cast<char>(static_cast<std::size_t>(first) + i * 31 + (i >> 12));
        return body;
    }
};

TEST_P(caller_runs, heartbeats_are_answered_for_an_application_that_is_about_other_things) {
    expect_heartbeats_during([](socket &) { stay_away(1200); });
}

TEST_P(caller_runs, heartbeats_are_answered_by_a_thread_that_waits) {
    expect_heartbeats_during([](socket &waiting) { EXPECT_FALSE(waiting.ready(ZMQ_POLLIN, 1200)); });
}

TEST_P(caller_runs, messages_are_fetched_for_an_application_that_stays_away) {
    expect_that_messages_are_fetched_meanwhile();
}

// Bodies are received where zmq_recv wants them; when it gives up in the middle, its memory is the caller's
// again.
TEST_P(caller_runs, a_receive_that_gives_up_leaves_nothing_behind_in_its_buffer) {
    socket receiver(owner, ZMQ_PULL);
    receiver.set(ZMQ_RCVTIMEO, 1);
    socket sender = connected(ZMQ_PUSH, bind(receiver));
    constexpr int messages = 12;
    std::thread other([&] {
        for (int number = 0; number < messages; ++number) {
            EXPECT_EQ(sender.send(frames{large(static_cast<char>(number))}), 0); // one frame
            stay_away(number % 4);
        }
    });
    const std::size_t size = large(0).size();
    std::array<std::string, 2> buffers{std::string(size, '#'), std::string(size, '#')};
    const std::string untouched(size, '#');
    int got = 0;
    for (std::size_t turn = 0; got < messages; ++turn) {
        std::string &buffer = buffers[turn % 2];
        const int length = zmq_recv(receiver.handle(), buffer.data(), buffer.size(), 0);
        EXPECT_EQ(buffers[(turn + 1) % 2], untouched) << turn;
        if (length < 0) {
            ASSERT_EQ(errno, EAGAIN);
        } else {
            ASSERT_EQ(static_cast<std::size_t>(length), size);
            ASSERT_EQ(buffer, large(static_cast<char>(got)));
            ++got;
        }
        buffer.assign(size, '#');
    }
    other.join();
}

// Large messages like each other are received at once where zmq_recv wants them. Others that come instead,
// one by one or many together, are not lost, and no byte is written beyond them.
TEST_P(caller_runs, messages_that_break_a_row_of_large_ones_are_what_they_are) {
    socket receiver(owner, ZMQ_PAIR);
    socket sender = connected(ZMQ_PAIR, bind(receiver));
    converse(receiver, sender);
    const std::size_t row = 20'000;
    const std::vector<std::size_t> sizes{row, row, row, 3,   row, row, row,    0,   300,     row,
                                         row, row, 255, 256, row, row, 30'000, row, 100'000, row};
    std::string buffer(100'000, '#');
    for (std::size_t together = 1; together <= sizes.size(); ++together)
        for (std::size_t begin = 0; begin < sizes.size(); begin += together) {
            const std::size_t end = std::min(begin + together, sizes.size());
            for (std::size_t index = begin; index < end; ++index)
                ASSERT_EQ(sender.send(frames{large(static_cast<char>(index), sizes[index])}), 0);
            for (std::size_t index = begin; index < end; ++index) {
                if (sizes[index] != row)
                    buffer.assign(buffer.size(), '#');
                const int length = zmq_recv(receiver.handle(), buffer.data(), buffer.size(), 0);
                ASSERT_EQ(static_cast<std::size_t>(length), sizes[index]);
                ASSERT_TRUE(buffer.compare(0, sizes[index], large(static_cast<char>(index), sizes[index])) ==
                            0);
                if (sizes[index] != row) {
                    ASSERT_EQ(buffer.find_first_not_of('#', sizes[index]), buffer.npos) << together;
                }
            }
        }
    converse(receiver, sender);
}

// Small ones go from the sender's memory into the stream, in between those that go by way of the I/O thread.
TEST_P(caller_runs, small_messages_stay_in_order_whichever_way_they_go) {
    socket one(owner, ZMQ_DEALER);
    socket other = connected(ZMQ_DEALER, bind(one));
    converse(one, other);
    constexpr std::size_t rounds = 400;
    std::thread receiver([&] {
        for (std::size_t round = 0, number = 0; round < rounds; ++round) {
            for (std::size_t burst = 0; burst <= round % 7; ++burst, ++number)
                ASSERT_EQ(other.receive(), std::to_string(number) + "|" + std::string(number % 300, 'x'));
            EXPECT_EQ(other.send("next"), 0);
        }
    });
    for (std::size_t round = 0, number = 0; round < rounds; ++round) {
        for (std::size_t burst = 0; burst <= round % 7; ++burst, ++number) {
            EXPECT_EQ(one.send(frames{std::to_string(number), std::string(number % 300, 'x')}), 0);
            if (burst % 3 == 2)
                std::this_thread::sleep_for(std::chrono::microseconds(30)); // a burst ends
        }
        ASSERT_EQ(one.receive(), "next");
    }
    receiver.join();
}

TEST_P(caller_runs, asking_without_waiting_finds_what_comes) {
    socket asking(owner, ZMQ_PAIR);
    socket peer = connected(ZMQ_PAIR, bind(asking));
    for (int turn = 0; turn < 20; ++turn) {
        converse(asking, peer, 5);
        EXPECT_EQ(peer.send("late"), 0);
        std::string got;
        EXPECT_TRUE(eventually([&] { return (got = asking.receive(ZMQ_DONTWAIT)) == "late"; })) << got;
        EXPECT_EQ(peer.send("later"), 0);
        EXPECT_TRUE(eventually([&] { return (asking.get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0; }));
        EXPECT_EQ(asking.receive(ZMQ_DONTWAIT), "later");
    }
}

TEST_P(caller_runs, who_asks_for_the_descriptor_is_told_by_it) {
    socket asking(owner, ZMQ_PAIR);
    socket peer = connected(ZMQ_PAIR, bind(asking));
    converse(asking, peer);
    const int descriptor = asking.get(ZMQ_FD);
    while ((asking.get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0)
        asking.receive();
    EXPECT_EQ(peer.send("ring"), 0);
    zmq_pollitem_t item{nullptr, descriptor, ZMQ_POLLIN, 0};
    EXPECT_EQ(zmq_poll(&item, 1, patience_ms), 1);
    EXPECT_EQ(asking.receive(), "ring");
}

TEST_P(caller_runs, large_messages_that_do_not_fit_the_stream_stay_whole_and_in_order) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    converse(one, other);
    std::thread receiver([&] {
        for (char mark = 'a'; mark < 'h'; ++mark) {
            EXPECT_TRUE(other.receive() == large(mark)) << mark;
            EXPECT_EQ(other.receive(), std::string(3, mark));
        }
    });
    for (char mark = 'a'; mark < 'h'; ++mark) {
        EXPECT_EQ(one.send(frames{large(mark)}), 0);
        EXPECT_EQ(one.send(std::string(3, mark)), 0);
    }
    receiver.join();
    converse(one, other);
}

// The frames before a large last one leave with it; so does what the stream does not take.
TEST_P(caller_runs, a_large_end_takes_the_message_before_it_along) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    converse(one, other);
    const auto message = [](char mark) {
        const std::size_t size = mark % 2 == 0 ? 9000 : 3 * 1024 * 1024;
        return frames{"head", "", std::string(300, mark), large(mark, size)};
    };
    std::thread receiver([&] {
        for (char mark = 'a'; mark < 'm'; ++mark) {
            EXPECT_TRUE(other.receive_frames() == message(mark)) << mark;
            EXPECT_EQ(other.send("next"), 0);
        }
    });
    for (char mark = 'a'; mark < 'm'; ++mark) {
        EXPECT_EQ(one.send(message(mark)), 0);
        EXPECT_EQ(one.receive(), "next");
    }
    receiver.join();
    converse(one, other);
}

// Questions and answers are received behind their delimiter where zmq_recv wants them, those of one frame
// only.
TEST_P(caller_runs, answers_lie_where_they_are_wanted_and_nowhere_else) {
    socket asks(owner, ZMQ_REQ);
    socket answers = connected(ZMQ_REP, bind(asks));
    converse(asks, answers);
    constexpr int rounds = 12;
    const auto body = [](int round) {
        return large(static_cast<char>(round), round % 3 == 0 ? 100'000 : 5'000'000);
    };
    std::thread echo([&] {
        std::string buffer(6'000'000, '#');
        for (int round = 0; round < rounds; ++round) {
            const int length = zmq_recv(answers.handle(), buffer.data(), buffer.size(), 0);
            ASSERT_GT(length, 0);
            EXPECT_TRUE(buffer.compare(0, static_cast<std::size_t>(length), body(round)) == 0) << round;
            frames parts;
            if (round % 2 == 0)
                parts.emplace_back("first");
            parts.push_back(body(round));
            EXPECT_EQ(answers.send(parts), 0);
        }
    });
    asks.set(ZMQ_RCVTIMEO, 2);
    for (int round = 0; round < rounds; ++round) {
        const std::string expected = body(round);
        EXPECT_EQ(asks.send(frames{expected}), 0);
        std::string buffer(6'000'000, '#');
        int length = -1;
        do {
            std::fill(buffer.begin(), buffer.end(), '#');
            length = zmq_recv(asks.handle(), buffer.data(), buffer.size(), 0);
        } while (length < 0 && errno == EAGAIN);
        if (round % 2 == 0) {
            ASSERT_EQ(length, 5);
            ASSERT_EQ(buffer.substr(0, 9), "first####") << "and nothing of what follows";
            ASSERT_TRUE(asks.receive() == expected);
        } else {
            ASSERT_EQ(static_cast<std::size_t>(length), expected.size());
            ASSERT_TRUE(buffer.compare(0, expected.size(), expected) == 0) << round;
        }
    }
    echo.join();
}

TEST_P(caller_runs, a_waiting_thread_learns_that_its_peer_is_gone_and_of_the_next_one) {
    socket server(owner, ZMQ_ROUTER);
    const std::string endpoint = bind(server);
    for (int life = 0; life < 20; ++life) {
        socket client = connected(ZMQ_DEALER, endpoint);
        for (int round = 0; round < 5; ++round) {
            EXPECT_EQ(client.send("hello"), 0);
            const frames asked = server.receive_frames();
            ASSERT_EQ(asked.size(), 2U);
            EXPECT_EQ(server.send(frames{asked[0], "welcome"}), 0);
            ASSERT_EQ(client.receive(), "welcome");
        }
    }
}

TEST_P(caller_runs, the_end_of_the_context_reaches_a_thread_that_sleeps_on_a_stream) {
    socket waiting(owner, ZMQ_PAIR);
    socket peer = connected(ZMQ_PAIR, bind(waiting));
    converse(waiting, peer);
    std::thread ender([&] {
        stay_away(20);
        zmq_ctx_shutdown(owner.handle());
    });
    EXPECT_EQ(waiting.receive(), std::string("error: ") + zmq_strerror(ETERM));
    ender.join();
}

// One after the other they are few, then many, then few.
TEST_P(caller_runs, connections_come_and_go) {
    socket server(owner, ZMQ_ROUTER);
    const std::string endpoint = bind(server);
    std::vector<socket> clients;
    const auto all_are_served = [&] {
        for (socket &client : clients)
            EXPECT_EQ(client.send("ask"), 0);
        for (std::size_t index = 0; index < clients.size(); ++index) {
            const frames asked = server.receive_frames();
            ASSERT_EQ(asked.size(), 2U);
            EXPECT_EQ(server.send(frames{asked[0], "told"}), 0);
        }
        for (socket &client : clients)
            ASSERT_EQ(client.receive(), "told");
    };
    for (int count = 1; count <= 12; ++count) {
        clients.push_back(connected(ZMQ_DEALER, endpoint));
        for (int round = 0; round < 10; ++round)
            all_are_served();
    }
    while (clients.size() > 1) {
        clients.pop_back();
        for (int round = 0; round < 10; ++round)
            all_are_served();
    }
}

// Both are in each other's way: what comes has to be taken while a thread waits for room.
TEST_P(caller_runs, two_senders_that_wait_for_room_do_not_wait_for_each_other) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    converse(one, other);
    constexpr int count = 30'000;
    const std::string body(2000, 'x');
    const auto exchange = [&](socket &own) {
        for (int sent = 0, got = 0; sent < count || got < count;) {
            while (sent < count && own.send(body, ZMQ_DONTWAIT) == 0)
                ++sent;
            const int wanted = (sent < count ? ZMQ_POLLOUT : 0) | (got < count ? ZMQ_POLLIN : 0);
            ASSERT_TRUE(wanted == 0 || own.ready(static_cast<short>(wanted)));
            while (got < count && own.receive(ZMQ_DONTWAIT) == body)
                ++got;
        }
    };
    std::thread second([&] { exchange(other); });
    exchange(one);
    second.join();
}

// Passes what one socket says on to whoever subscribed, as a device with a monitor does, until it is told
// "end".
void pass_on(context &owner, const std::string &from, const std::string &to) {
    socket source(owner, ZMQ_PAIR);
    socket publisher(owner, ZMQ_PUB);
    EXPECT_EQ(source.connect(from), 0);
    EXPECT_EQ(publisher.connect(to), 0);
    for (std::string text = source.receive(); text != "end"; text = source.receive())
        EXPECT_EQ(publisher.send(text), 0);
}

// Processors that are never idle: who is woken first does not always run first.
class busy_processors {
  public:
    busy_processors() {
        for (std::thread &each : threads_)
            each = std::thread([this] {
                while (!over_.load(std::memory_order_relaxed))
                    ;
            });
    }
    ~busy_processors() {
        over_ = true;
        for (std::thread &each : threads_)
            each.join();
    }

  private:
    std::atomic<bool> over_{false};
    std::array<std::thread, 3> threads_;
};

// The subscription leaves when the subscriber looks for messages, the message after it: over another
// connection.
TEST_P(caller_runs, a_subscription_that_came_first_is_known_to_a_thread_that_publishes) {
    const busy_processors meanwhile;
    for (int round = 0; round < 10; ++round) {
        socket source(owner, ZMQ_PAIR);
        socket subscriber(owner, ZMQ_SUB);
        subscriber.set(ZMQ_SUBSCRIBE, "");
        handshake_monitor at_source(owner, source);
        handshake_monitor at_subscriber(owner, subscriber);
        std::thread device(pass_on, std::ref(owner), bind(source), bind(subscriber));
        EXPECT_EQ(at_source.next(), "succeeded");
        EXPECT_EQ(at_subscriber.next(), "succeeded");
        stay_away(100); // the device sleeps
        EXPECT_EQ(subscriber.receive(ZMQ_DONTWAIT), "error: Resource temporarily unavailable");
        EXPECT_EQ(source.send("passed on"), 0);
        EXPECT_TRUE(subscriber.ready(ZMQ_POLLIN, 2000)) << round;
        EXPECT_EQ(source.send("end"), 0);
        device.join();
    }
}

// A second message may come together with an expected large message, or with another one in its place. It is
// there as soon as the first one is. That also holds when an I/O thread reads, which then waits for more.
TEST(rows_of_large_messages, what_is_behind_one_does_not_wait_for_the_next) {
    const auto framed = [](const std::string &body) {
        std::string header("\2\0\0\0\0\0\0\0\0", 9);
        header[7] = static_cast<char>(body.size() >> 8);
        header[8] = static_cast<char>(body.size());
        return header + body;
    };
    context owner;
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    ASSERT_GE(pull.get(ZMQ_FD), 0); // whoever asks for it leaves reading to the I/O threads
    bare_peer peer(pull.last_endpoint());
    peer.shake_hands();
    const std::string row(20'000, 'r'), small("\0\5small", 7);
    for (const std::string &body :
         {row, std::string(9'000, 'm'), std::string(30'000, 'l'), std::string(300, 's')})
        for (int round = 0; round < 5; ++round) {
            for (int before = 0; before < 2; ++before) {
                peer.write(framed(row));
                ASSERT_EQ(pull.receive(), row);
            }
            peer.write(framed(body) + small);
            ASSERT_EQ(pull.receive(), body);
            ASSERT_EQ(pull.receive(), "small") << body.size();
        }
}

// A body that is lent travels by reference, and its header in the queue has the long form. A message that
// goes another way must have the same bytes: the queue gets the part that a stream does not take.
TEST(lent_bodies, have_one_form_on_the_wire) {
    context owner;
    socket push(owner, ZMQ_PUSH);
    ASSERT_EQ(push.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(push.last_endpoint());
    peer.shake_hands("PULL");
    static char body[] = "ten bytes.";
    const std::string form = "\2\0\0\0\0\0\0\0\x0a"s + body;
    for (int round = 0; round < 40; ++round) {
        const int together = round % 4 + 1; // some go at once, some by way of the I/O thread
        for (int number = 0; number < together; ++number) {
            zmq_msg_t lent;
            ASSERT_EQ(zmq_msg_init_data(
                          &lent, body, 10, [](void *, void *) {}, nullptr),
                      0);
            ASSERT_EQ(zmq_msg_send(&lent, push.handle(), 0), 10);
        }
        for (int number = 0; number < together; ++number)
            ASSERT_EQ(peer.read(form.size()), form) << round;
    }
}

ZLINK_OVER_CONNECTIONS(caller_runs);

} // namespace
} // namespace zlink::conformance
