// SPDX-License-Identifier: MPL-2.0
// ZMQ_ASIO_TCP_SYNC_WRITE: which thread writes to a stream.
#include <chrono>
#include <cstdio>

#include "conformance/rig.hpp"
#include "tuning/environment.hpp"
#include "tuning/watched_calls.hpp"

namespace zlink::tuning_test {
namespace {

using conformance::context;
using conformance::socket;
using std::chrono::microseconds;

// More than the time of a write and less than the gap that ends a burst (src/pipe/pipe.hpp).
constexpr microseconds short_pause{8};
constexpr microseconds long_pause{200};

struct pattern {
    int sender;
    int receiver;
};
constexpr pattern push_pull{ZMQ_PUSH, ZMQ_PULL};
constexpr pattern dealer_router{ZMQ_DEALER, ZMQ_ROUTER};

struct sent {
    std::size_t messages;
    std::size_t by_sender; // writes
    std::size_t in_all;    // writes
    [[nodiscard]] bool mostly_by_sender() const noexcept { return by_sender * 2 > messages; }
    [[nodiscard]] bool in_batches() const noexcept { return in_all * 10 < messages; }
};

// The application's thread does something else between two messages.
void work_for(microseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

struct pace {
    std::size_t messages;
    microseconds pause;
    std::size_t burst = 1; // messages between two pauses
    std::size_t size = 64; // bytes
};

constexpr pace short_bursts{400, long_pause, 4};

sent send_many(const char *transport, pattern types, const pace &how) {
    context owner;
    socket from(owner, types.sender);
    socket to(owner, types.receiver);
    to.set(ZMQ_RCVHWM, 0);
    from.set(ZMQ_SNDHWM, 0);
    const bool tcp = std::string_view(transport) == "tcp";
    EXPECT_EQ(to.bind(tcp ? "tcp://127.0.0.1:*" : conformance::unused_endpoint(transport)), 0);
    EXPECT_EQ(from.connect(to.last_endpoint()), 0);
    EXPECT_EQ(from.send("here"), 0);
    EXPECT_EQ(to.receive_frames().back(), "here");
    counted.reset();
    own_writes = 0;
    const std::string body(how.size, 'x');
    for (std::size_t count = 0; count < how.messages; ++count) {
        EXPECT_EQ(zmq_send(from.handle(), body.data(), body.size(), 0), static_cast<int>(how.size));
        if ((count + 1) % how.burst == 0)
            work_for(how.pause);
    }
    const std::size_t by_sender = own_writes;
    for (std::size_t count = 0; count < how.messages; ++count)
        EXPECT_EQ(to.receive_frames().back(), body);
    const sent done{how.messages, by_sender, counted.writes};
    std::fprintf(stderr, "%zu messages, %zu writes, %zu of them by the sender\n", how.messages, done.in_all,
                 by_sender);
    return done;
}

sent paced(const char *transport, pattern types) {
    return send_many(transport, types, {2000, short_pause});
}
sent rare(const char *transport, pattern types) {
    return send_many(transport, types, {200, long_pause});
}
sent dense(const char *transport, pattern types) {
    return send_many(transport, types, {100'000, microseconds(0)});
}

TEST(sync_write_death, unset_a_lone_message_is_written_at_once_and_one_of_a_burst_is_not) {
    expect_with({}, [] {
        return rare("tcp", push_pull).mostly_by_sender() && !paced("tcp", push_pull).mostly_by_sender() &&
               dense("tcp", push_pull).in_batches();
    });
}

TEST(sync_write_death, one_writes_at_once) {
    expect_with({{"ZMQ_ASIO_TCP_SYNC_WRITE", "1"}}, [] {
        return paced("tcp", push_pull).mostly_by_sender() && rare("tcp", push_pull).mostly_by_sender();
    });
}

TEST(sync_write_death, one_keeps_the_batches_of_a_stream_of_messages) {
    expect_with({{"ZMQ_ASIO_TCP_SYNC_WRITE", "1"}}, [] { return dense("tcp", push_pull).in_batches(); });
}

TEST(sync_write_death, one_writes_the_messages_of_a_short_burst_at_once) {
    expect_with({}, [] { return !send_many("tcp", push_pull, short_bursts).mostly_by_sender(); });
    expect_with({{"ZMQ_ASIO_TCP_SYNC_WRITE", "1"}},
                [] { return send_many("tcp", push_pull, short_bursts).mostly_by_sender(); });
}

TEST(sync_write_death, one_is_about_tcp) {
    expect_with({{"ZMQ_ASIO_TCP_SYNC_WRITE", "1"}}, [] {
        return !paced("ipc", push_pull).mostly_by_sender() && rare("ipc", push_pull).mostly_by_sender();
    });
}

TEST(sync_write_death, zero_leaves_all_writing_to_io_threads) {
    expect_with({{"ZMQ_ASIO_TCP_SYNC_WRITE", "0"}}, [] {
        return rare("tcp", push_pull).by_sender == 0 && dense("tcp", push_pull).by_sender == 0 &&
               send_many("tcp", push_pull, {20, long_pause, 1, 100'000}).by_sender == 0;
    });
}

TEST(sync_write_death, zero_is_about_tcp) {
    expect_with({{"ZMQ_ASIO_TCP_SYNC_WRITE", "0"}}, [] { return rare("ipc", push_pull).mostly_by_sender(); });
}

TEST(sync_write_death, router_is_about_router_and_dealer) {
    expect_with({{"ZMQ_ASIO_TCP_SYNC_WRITE", "router"}}, [] {
        return paced("tcp", dealer_router).mostly_by_sender() &&
               !paced("tcp", push_pull).mostly_by_sender() && rare("tcp", push_pull).mostly_by_sender() &&
               dense("tcp", dealer_router).in_batches();
    });
}

} // namespace
} // namespace zlink::tuning_test
