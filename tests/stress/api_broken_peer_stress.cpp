// SPDX-License-Identifier: MPL-2.0
// Peers that die, cut their stream, or talk nonsense: only whole messages are received, everybody else goes
// on.
#include <csignal>
#include <sys/wait.h>

#include "stress/api_tools.hpp"

namespace zlink::stress {
namespace {

// All that is received from `to` until nothing has come for a while after `done`.
std::vector<std::string> received_until(api_socket &to, const std::string &last) {
    std::vector<std::string> all;
    std::string body;
    to.set(ZMQ_RCVTIMEO, 10000);
    while (to.try_receive(body) && body != last)
        all.push_back(body);
    EXPECT_EQ(body, last);
    return all;
}

// The stream ends at every byte of an exchange, in order or by a reset. The received messages are a prefix of
// those that were sent, in whole messages, and a good peer is served all the while.
TEST(BrokenPeers, StreamCutAtEveryByte) {
    const std::string opening = zmtp_opening("PUSH");
    const std::string exchange = opening + zmtp_frame("one") + zmtp_frame("head", true) +
                                 zmtp_frame("", true) + zmtp_frame(std::string(300, 't')) +
                                 zmtp_frame("three");
    api_context context;
    api_socket pull(context, ZMQ_PULL);
    api_socket good(context, ZMQ_PUSH);
    const std::string where = pull.bind("tcp://127.0.0.1:*");
    good.connect(where);
    for (std::size_t cut = 0; cut <= exchange.size(); cut += cut < opening.size() - 4 ? 3U : 1U) {
        {
            const raw_peer peer(where);
            ASSERT_TRUE(peer.connected());
            if (cut % 2 == 0)
                peer.reset_at_close();
            ASSERT_TRUE(peer.send(exchange.substr(0, cut)));
            if (cut >= opening.size())
                peer.read(opening.size()); // greeting and READY: the handshake is over
        }
        ASSERT_GE(good.send("end of " + std::to_string(cut)), 0);
        const auto got = received_until(pull, "end of " + std::to_string(cut));
        // Late frames of earlier rounds are no errors: each is one of those that were sent, and multipart
        // messages are whole.
        for (std::size_t at = 0; at < got.size(); ++at) {
            if (got[at] != "head") {
                ASSERT_TRUE(got[at] == "one" || got[at] == "three")
                    << "round " << cut << ": " << got[at].size();
                continue;
            }
            ASSERT_LT(at + 2, got.size()) << "round " << cut;
            ASSERT_EQ(got[at + 1], "");
            ASSERT_EQ(got[at + 2], std::string(300, 't'));
            at += 2;
        }
    }
}

// A child process is killed in the middle of large and multipart messages; its parts never mix.
TEST(BrokenPeers, KilledWhileSending) {
    for (std::uint64_t round = 0; round < scaled(6); ++round) {
        int endpoint_of[2];
        ASSERT_EQ(::pipe(endpoint_of), 0);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) { // no threads are there yet in this round of the parent
            std::array<char, 256> where{};
            if (::read(endpoint_of[0], where.data(), where.size() - 1) <= 0)
                _exit(1);
            void *context = zmq_ctx_new();
            void *push = zmq_socket(context, ZMQ_PUSH);
            zmq_connect(push, where.data());
            for (std::uint64_t next = 0;; ++next) {
                const std::string first = numbered(next, 8 + next % 300);
                const std::string second = numbered(next, 100000);
                zmq_send(push, first.data(), first.size(), ZMQ_SNDMORE);
                zmq_send(push, second.data(), second.size(), 0);
            }
        }
        {
            api_context context;
            api_socket pull(context, ZMQ_PULL);
            pull.set(ZMQ_RCVHWM, 10);
            const std::string where = pull.bind(round % 2 == 0 ? "tcp://127.0.0.1:*" : "ipc://*");
            ASSERT_GT(::write(endpoint_of[1], where.c_str(), where.size() + 1), 0);
            std::uint64_t next = 0;
            const std::uint64_t kill_at = 20 + round * 7;
            std::string body;
            pull.set(ZMQ_RCVTIMEO, 10000);
            while (pull.try_receive(body)) {
                ASSERT_EQ(number_of(body), next);
                ASSERT_TRUE(pull.more());
                ASSERT_TRUE(pull.try_receive(body, ZMQ_DONTWAIT)) << "half a message";
                ASSERT_EQ(number_of(body), next);
                ASSERT_TRUE(is_whole(body));
                ASSERT_EQ(body.size(), 100000U);
                ASSERT_FALSE(pull.more());
                if (++next == kill_at) {
                    ::kill(child, SIGKILL);
                    pull.set(ZMQ_RCVTIMEO, 300); // what was on the way may still come
                }
            }
            EXPECT_GE(next, kill_at);
        }
        ::waitpid(child, nullptr, 0);
        ::close(endpoint_of[0]);
        ::close(endpoint_of[1]);
    }
}

// A sender whose peer goes and comes back. The queued messages arrive in order, and none twice. Only messages
// that were written into the lost connection are missing.
TEST(BrokenPeers, ReconnectWithQueuedMessages) {
    const std::uint64_t messages = scaled(2000);
    api_context context;
    api_socket push(context, ZMQ_PUSH);
    push.set(ZMQ_SNDHWM, 0);
    push.set(ZMQ_RECONNECT_IVL, 5);
    std::string where;
    {
        api_socket probe(context, ZMQ_PULL);
        where = probe.bind("tcp://127.0.0.1:*");
    }
    push.connect(where);
    for (std::uint64_t next = 0; next < messages; ++next)
        ASSERT_GE(push.send(numbered(next, 20 + next % 3000)), 0);
    ASSERT_GE(push.send("last"), 0);
    std::uint64_t before = 0;
    bool any = false;
    std::string body;
    while (body != "last") {
        api_context own; // a new process, as it were
        api_socket pull(own, ZMQ_PULL);
        pull.set(ZMQ_RCVHWM, 5);
        pull.set(ZMQ_RCVBUF, 4096);
        pull.set(ZMQ_RCVTIMEO, 2000);
        ASSERT_TRUE(eventually([&] { return zmq_bind(pull.get(), where.c_str()) == 0; }));
        for (int count = 0; count < 50 && body != "last"; ++count) {
            if (!pull.try_receive(body)) { // the rest was written into connections that are lost
                ASSERT_TRUE(any);
                return;
            }
            if (body == "last")
                break;
            ASSERT_TRUE(is_whole(body));
            ASSERT_TRUE(!any || number_of(body) > before) << number_of(body) << " after " << before;
            before = number_of(body);
            any = true;
        }
    }
}

// Nobody was there to lose them: everything that was queued before the first connection arrives.
TEST(BrokenPeers, QueuedBeforeTheFirstConnectionAllArrive) {
    api_context context;
    api_socket push(context, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 5);
    push.set(ZMQ_SNDHWM, 0);
    std::string where;
    {
        api_socket probe(context, ZMQ_PULL);
        where = probe.bind("tcp://127.0.0.1:*");
    }
    push.connect(where);
    for (std::uint64_t next = 0; next < 1000; ++next)
        ASSERT_GE(push.send(numbered(next, 8 + next % 20000)), 0);
    api_socket pull(context, ZMQ_PULL);
    ASSERT_TRUE(eventually([&] { return zmq_bind(pull.get(), where.c_str()) == 0; }));
    pull.set(ZMQ_RCVTIMEO, 10000);
    for (std::uint64_t next = 0; next < 1000; ++next)
        ASSERT_EQ(number_of(pull.receive()), next);
}

// A peer sends what it has and goes, while we are sending to it: all of it is received.
TEST(BrokenPeers, WhatAPeerSentBeforeItWentIsReceived) {
    for (std::uint64_t round = 0; round < scaled(20); ++round) {
        api_context context;
        api_socket dealer(context, ZMQ_DEALER);
        dealer.set(ZMQ_SNDHWM, 0);
        dealer.set(ZMQ_RCVHWM, 1);
        dealer.set(ZMQ_RCVTIMEO, 10000);
        const std::string where = dealer.bind("tcp://127.0.0.1:*");
        const std::string opening = zmtp_opening("DEALER");
        {
            const raw_peer peer(where);
            std::string all = opening;
            for (std::uint64_t next = 0; next < 500; ++next)
                all += zmtp_frame(numbered(next, 20));
            ASSERT_TRUE(peer.send(all));
            ASSERT_EQ(number_of(dealer.receive()), 0U);
            peer.read(opening.size());
        }
        for (std::uint64_t next = 1; next < 500; ++next) {
            (void)dealer.send(std::string("to nobody"), ZMQ_DONTWAIT);
            ASSERT_EQ(number_of(dealer.receive()), next);
        }
    }
}

// PINGs without end from a peer that reads nothing, garbage, and silence: the socket serves a good peer.
TEST(BrokenPeers, NonsenseAndSilence) {
    api_context context;
    api_socket pull(context, ZMQ_PULL);
    const std::int64_t largest = 1000;
    ASSERT_EQ(zmq_setsockopt(pull.get(), ZMQ_MAXMSGSIZE, &largest, sizeof largest), 0);
    pull.set(ZMQ_HANDSHAKE_IVL, 100);
    const std::string where = pull.bind("tcp://127.0.0.1:*");
    const raw_peer silent(where);
    const raw_peer half(where);
    ASSERT_TRUE(half.send(zmtp_opening("PUSH").substr(0, 70)));
    const std::string huge = zmtp_opening("PUSH") + std::string("\x02\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 9);
    for (const std::string &nonsense :
         {std::string("GET / HTTP/1.0\r\n\r\n"), std::string(300, '\xFF'), huge,
          zmtp_opening("PUSH") + std::string("\xF8\x01x", 3), zmtp_opening("PUB"),
          zmtp_opening("PUSH") + zmtp_frame(std::string(2000, 'x'))}) {
        const raw_peer peer(where);
        ASSERT_TRUE(peer.send(nonsense));
        peer.read(); // until it is closed
    }
    silent.read();
    half.read();
    const raw_peer flood(where);
    const std::string ping = std::string("\x04\x07\x04PING\0\0", 9);
    std::string many = zmtp_opening("PUSH");
    for (int count = 0; count < 20000; ++count)
        many += ping;
    ASSERT_TRUE(flood.send(many + zmtp_frame("after the flood")));
    EXPECT_EQ(pull.receive(), "after the flood");
    api_socket good(context, ZMQ_PUSH);
    good.connect(where);
    ASSERT_GE(good.send("good"), 0);
    EXPECT_EQ(pull.receive(), "good");
}

} // namespace
} // namespace zlink::stress
