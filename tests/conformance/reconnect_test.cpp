// SPDX-License-Identifier: MPL-2.0
// Connecting sockets with peers that are absent, refuse or go away. Covers the options about reconnecting. No
// linger time is spent on messages that have nowhere to go.
#include <algorithm>
#include <climits>
#include <cstring>
#include <optional>

#include "bare_peer.hpp"

namespace zlink::conformance {

namespace {

enum { option_reconnect_stop = 109, stop_refused = 1, stop_handshake_failed = 2, stop_after_disconnect = 4 };

struct event {
    int kind;
    std::uint32_t value;
};

// Hears of what happens to the connections of a socket.
class watcher {
  public:
    watcher(context &owner, socket &watched, int mask) : monitor_(owner, ZMQ_PAIR) {
        const std::string endpoint = "inproc://watcher-" + std::to_string(next_number());
        EXPECT_EQ(zmq_socket_monitor(watched.handle(), endpoint.c_str(), mask), 0);
        EXPECT_EQ(monitor_.connect(endpoint), 0);
    }
    // The next one; none when there is none for `timeout_ms`.
    std::optional<event> next(int timeout_ms = patience_ms) {
        if (!monitor_.ready(ZMQ_POLLIN, timeout_ms))
            return {};
        const frames parts = monitor_.receive_frames();
        std::uint16_t kind = 0;
        std::uint32_t value = 0;
        std::memcpy(&kind, parts[0].data(), sizeof kind);
        std::memcpy(&value, parts[0].data() + sizeof kind, sizeof value);
        return event{kind, value};
    }
    int next_kind(int timeout_ms = patience_ms) { return next(timeout_ms).value_or(event{0, 0}).kind; }

  private:
    socket monitor_;
};

class reconnect : public transport_test {
  protected:
    // A socket that would wait for ever for its messages to go.
    socket patient() {
        socket made(owner, ZMQ_PUSH);
        made.set(ZMQ_LINGER, -1);
        made.set(ZMQ_RECONNECT_IVL, 5);
        return made;
    }
};
using reconnect_tcp = reconnect;

int step_after(int number, int interval, int maximum) {
    return number == 0 ? interval : std::min(maximum, 2 * step_after(number - 1, interval, maximum));
}

} // namespace

TEST_P(reconnect, backs_off_from_the_interval_to_the_maximum_and_never_beyond) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 2);
    push.set(ZMQ_RECONNECT_IVL_MAX, 50);
    watcher events(owner, push, ZMQ_EVENT_CONNECT_RETRIED);
    ASSERT_EQ(push.connect(unused_endpoint(GetParam())), 0);
    std::vector<std::uint32_t> at_maximum;
    for (int number = 0; number < 20; ++number) {
        const auto retried = events.next();
        ASSERT_TRUE(retried);
        const int step = step_after(number, 2, 50);
        EXPECT_GE(static_cast<int>(retried->value), step - step / 4);
        EXPECT_LE(static_cast<int>(retried->value), step);
        if (step == 50)
            at_maximum.push_back(retried->value);
    }
    // Many sockets whose peer has gone do not come back all at once.
    EXPECT_NE(*std::ranges::min_element(at_maximum), *std::ranges::max_element(at_maximum));
}

TEST_P(reconnect, without_a_maximum_waits_for_the_interval_and_up_to_as_much_again) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 10);
    push.set(ZMQ_RECONNECT_IVL_MAX, 3); // less than the interval: ignored
    watcher events(owner, push, ZMQ_EVENT_CONNECT_RETRIED);
    ASSERT_EQ(push.connect(unused_endpoint(GetParam())), 0);
    for (int number = 0; number < 10; ++number) {
        const auto retried = events.next();
        ASSERT_TRUE(retried);
        EXPECT_GE(retried->value, 10U);
        EXPECT_LE(retried->value, 20U);
    }
}

TEST_P(reconnect, the_longest_interval_is_one) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, INT_MAX);
    watcher events(owner, push, ZMQ_EVENT_CONNECT_RETRIED);
    ASSERT_EQ(push.connect(unused_endpoint(GetParam())), 0);
    const auto retried = events.next();
    ASSERT_TRUE(retried);
    EXPECT_EQ(retried->value, static_cast<std::uint32_t>(INT_MAX));
}

TEST_P(reconnect, backs_off_anew_after_a_connection_that_was_stable) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 1);
    push.set(ZMQ_RECONNECT_IVL_MAX, 32);
    watcher events(owner, push, ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(push.connect(endpoint), 0);
    for (int number = 0; number < 6; ++number)
        ASSERT_EQ(events.next_kind(), ZMQ_EVENT_CONNECT_RETRIED);
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(endpoint), 0);
    while (events.next_kind() != ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
    }
    EXPECT_EQ(events.next_kind(40), 0); // longer than the longest step
    ASSERT_EQ(pull.unbind(endpoint), 0);
    const auto retried = events.next();
    ASSERT_TRUE(retried);
    EXPECT_EQ(retried->value, 1U);
}

TEST_P(reconnect, nothing_waits_for_a_peer_that_is_not_looked_for_again) {
    for (const int interval : {0, -1}) {
        socket push = patient();
        push.set(ZMQ_RECONNECT_IVL, interval);
        watcher events(owner, push, ZMQ_EVENT_CLOSED);
        ASSERT_EQ(push.connect(unused_endpoint(GetParam())), 0);
        EXPECT_EQ(push.send("to nobody"), 0);
        EXPECT_EQ(events.next_kind(), ZMQ_EVENT_CLOSED);
        push.close();
    }
    owner.term(); // which does not hang
}

TEST_P(reconnect, an_attempt_under_way_is_waited_for_though_none_follows) {
    socket pull(owner, ZMQ_PULL);
    socket push = patient();
    push.set(ZMQ_RECONNECT_IVL, -1);
    ASSERT_EQ(push.connect(bind(pull)), 0);
    EXPECT_EQ(push.send("to somebody"), 0);
    push.close();
    EXPECT_EQ(pull.receive(), "to somebody");
}

TEST_P(reconnect, stop_after_disconnect_ends_the_attempts_and_not_a_connection) {
    socket push = patient();
    push.set(option_reconnect_stop, stop_after_disconnect);
    const std::string nobody = unused_endpoint(GetParam());
    {
        watcher events(owner, push, ZMQ_EVENT_CONNECT_RETRIED);
        ASSERT_EQ(push.connect(nobody), 0);
        EXPECT_EQ(push.send("to nobody"), 0);
        ASSERT_EQ(events.next_kind(), ZMQ_EVENT_CONNECT_RETRIED);
    }
    EXPECT_EQ(push.disconnect(nobody), 0);

    socket pull(owner, ZMQ_PULL);
    const std::string somebody = bind(pull);
    ASSERT_EQ(push.connect(somebody), 0);
    ASSERT_TRUE(push.ready(ZMQ_POLLOUT));
    EXPECT_EQ(push.send("to somebody"), 0);
    EXPECT_EQ(push.disconnect(somebody), 0);
    EXPECT_EQ(pull.receive(), "to somebody");
    push.close();
    pull.close();
    owner.term(); // which does not hang
}

TEST_P(reconnect, stop_after_disconnect_tells_the_monitor_that_it_has_closed) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, patience_ms); // the next attempt does not come
    push.set(option_reconnect_stop, stop_after_disconnect);
    watcher events(owner, push, ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECT_RETRIED);
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(push.connect(endpoint), 0);
    EXPECT_EQ(events.next_kind(), ZMQ_EVENT_CLOSED);
    EXPECT_EQ(events.next_kind(), ZMQ_EVENT_CONNECT_RETRIED);
    ASSERT_EQ(push.disconnect(endpoint), 0);
    EXPECT_EQ(events.next_kind(), ZMQ_EVENT_CLOSED);
    EXPECT_EQ(events.next_kind(quiet_ms), 0);
}

TEST_P(reconnect, goes_on_after_disconnect_for_what_was_sent_without_that_option) {
    socket push = patient();
    watcher events(owner, push, ZMQ_EVENT_CONNECT_RETRIED);
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(push.connect(endpoint), 0);
    EXPECT_EQ(push.send("late"), 0);
    ASSERT_EQ(events.next_kind(), ZMQ_EVENT_CONNECT_RETRIED);
    EXPECT_EQ(push.disconnect(endpoint), 0);
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(endpoint), 0);
    EXPECT_EQ(pull.receive(), "late");
}

TEST_P(reconnect, stop_after_disconnect_is_not_about_peers_that_go) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = bind(pull);
    socket push = patient();
    push.set(option_reconnect_stop, stop_after_disconnect | stop_handshake_failed);
    watcher events(owner, push, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_CONNECT_RETRIED);
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(events.next_kind(), ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    pull.close();
    ASSERT_EQ(events.next_kind(), ZMQ_EVENT_CONNECT_RETRIED);
    socket again(owner, ZMQ_PULL);
    ASSERT_TRUE(eventually([&] { return again.bind(endpoint) == 0; }));
    EXPECT_EQ(push.send("back"), 0);
    EXPECT_EQ(again.receive(), "back");
}

TEST_P(reconnect, stop_when_refused_concerns_tcp) {
    const bool stops = std::string_view(GetParam()) != "ipc";
    socket push = patient();
    push.set(option_reconnect_stop, stop_refused);
    watcher events(owner, push, ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECT_RETRIED);
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(push.connect(endpoint), 0);
    if (stops) { // before or after the refusal
        EXPECT_THAT(push.send("first", ZMQ_DONTWAIT), testing::AnyOf(0, EAGAIN));
    } else {
        EXPECT_EQ(push.send("first"), 0);
    }
    ASSERT_EQ(events.next_kind(), ZMQ_EVENT_CLOSED);
    EXPECT_EQ(events.next_kind(stops ? quiet_ms : patience_ms), stops ? 0 : ZMQ_EVENT_CONNECT_RETRIED);
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(endpoint), 0);
    if (!stops) {
        EXPECT_EQ(pull.receive(), "first");
        return;
    }
    ASSERT_TRUE(eventually([&] { return !push.ready(ZMQ_POLLOUT, 0); }));
    EXPECT_EQ(push.send("lost", ZMQ_DONTWAIT), EAGAIN);
    EXPECT_EQ(push.disconnect(endpoint), ENOENT); // it has gone of itself
    ASSERT_EQ(push.connect(endpoint), 0);         // and may be asked for again
    EXPECT_EQ(push.send("second"), 0);
    EXPECT_EQ(pull.receive(), "second");
}

TEST(reconnect_stop, ctx_term_does_not_wait_for_a_peer_that_refused) {
    context owner;
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_LINGER, -1);
    push.set(option_reconnect_stop, stop_refused);
    ASSERT_EQ(push.connect(unused_endpoint("tcp")), 0);
    // Before or after the refusal, and so are the next two.
    EXPECT_THAT(push.send("to nobody", ZMQ_DONTWAIT), testing::AnyOf(0, EAGAIN));
    push.close();
    owner.term();
}

TEST(reconnect_stop, ctx_term_does_not_wait_for_a_peer_whose_handshake_failed) {
    for (const std::string_view greeting : {"", "HTTP/1.1 400 Bad Request\r\n\r\n"}) {
        context owner;
        bare_listener listener;
        socket push(owner, ZMQ_PUSH);
        push.set(ZMQ_LINGER, -1);
        push.set(ZMQ_RECONNECT_IVL, 1);
        push.set(ZMQ_HANDSHAKE_IVL, 20);
        push.set(option_reconnect_stop, stop_handshake_failed);
        watcher events(owner, push, ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED);
        ASSERT_EQ(push.connect(listener.endpoint()), 0);
        EXPECT_EQ(push.send("to nobody"), 0);
        const int peer = listener.accept();
        ASSERT_GE(peer, 0);
        EXPECT_EQ(::send(peer, greeting.data(), greeting.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(greeting.size()));
        ASSERT_EQ(events.next_kind(), ZMQ_EVENT_DISCONNECTED);
        EXPECT_EQ(events.next_kind(quiet_ms), 0);
        ::close(peer);
    }
}

TEST(reconnect_stop, a_handshake_that_fails_is_tried_again_without_the_option) {
    context owner;
    bare_listener listener;
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ(push.connect(listener.endpoint()), 0);
    for (int i = 0; i < 3; ++i) {
        const int peer = listener.accept();
        ASSERT_GE(peer, 0);
        ::close(peer);
    }
}

ZLINK_OVER_CONNECTIONS(reconnect);

} // namespace zlink::conformance
