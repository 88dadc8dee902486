// SPDX-License-Identifier: MPL-2.0
// Tests of threads that read their streams themselves, whichever way they wait. A test first goes back and
// forth until the streams are with the application.
#pragma once

#include "rig.hpp"

namespace zlink::conformance {

class leased_streams_test : public transport_test {
  protected:
    // Waits for a message, and receives it.
    virtual std::string take(socket &from) = 0;
    void converse(socket &one, socket &other, int rounds = 50) {
        for (int round = 0; round < rounds; ++round) {
            EXPECT_EQ(one.send("question"), 0);
            ASSERT_EQ(take(other), "question");
            EXPECT_EQ(other.send("answer"), 0);
            ASSERT_EQ(take(one), "answer");
        }
    }
    static void stay_away(int milliseconds) { zmq_poll(nullptr, 0, milliseconds); }

    // Up to the marks of both ends, a sender gets rid of messages although the receiver does not come.
    void expect_that_messages_are_fetched_meanwhile() {
        socket away(owner, ZMQ_PAIR);
        away.set(ZMQ_RCVHWM, 100'000);
        socket peer = connected(ZMQ_PAIR, bind(away));
        converse(away, peer);
        const std::string body(1000, 'x');
        for (int sent = 0; sent < 40'000; ++sent)
            ASSERT_EQ(peer.send(body), 0) << sent; // some 40 MB: more than the system keeps
        for (int got = 0; got < 40'000; ++got)
            ASSERT_EQ(take(away), body);
        converse(away, peer);
    }
    // The PINGs of a peer are answered during `work`, which reads nothing.
    template <class Work> void expect_heartbeats_during(Work &&work) {
        socket busy(owner, ZMQ_PAIR);
        const std::string endpoint = bind(busy);
        socket peer(owner, ZMQ_PAIR);
        peer.set(ZMQ_HEARTBEAT_IVL, 50);
        peer.set(ZMQ_HEARTBEAT_TIMEOUT, 400);
        peer.set(ZMQ_RECONNECT_IVL, -1);
        peer.connect(endpoint);
        converse(busy, peer);
        work(busy);
        converse(busy, peer);
    }
};

} // namespace zlink::conformance
