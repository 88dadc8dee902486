// SPDX-License-Identifier: MPL-2.0
#include "counters/snapshot.hpp"

#include <cerrno>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "counters/owners.hpp"

namespace zlink::counters {
namespace {

// A region with a context, two sockets and a pipe between them.
struct world {
    std::shared_ptr<context_counts> context = std::make_shared<context_counts>(placement{});
    std::shared_ptr<socket_counts> first = std::make_shared<socket_counts>(context, 8);  // PUSH
    std::shared_ptr<socket_counts> second = std::make_shared<socket_counts>(context, 7); // PULL
    std::unique_ptr<pipe_counts> pipe =
        std::make_unique<pipe_counts>(first, second, pipe_flag::inproc | pipe_flag::outgoing);

    void send(std::uint64_t count) {
        pipe->record().forth.written.messages.add(count);
        pipe->record().forth.written.position.add(count * 10);
    }
    void receive(std::uint64_t count) { pipe->record().forth.read.messages.add(count); }
    [[nodiscard]] snapshot look() const { return *take_snapshot(context->memory()->bytes()); }
};

const subject_values &find(const snapshot &in, subject_kind kind, const char *type = nullptr) {
    for (const subject_values &one : in.subjects)
        if (one.kind == kind && (type == nullptr || one.text("type") == type))
            return one;
    static const subject_values none;
    return none;
}

TEST(snapshot, a_pipe_is_a_peer_of_each_of_its_sockets) {
    world now;
    now.pipe->name_peer(pipe_side::first, "server");
    now.send(5);
    now.receive(2);
    const snapshot seen = now.look();
    ASSERT_EQ(seen.subjects.size(), 5U);
    const subject_values &push = find(seen, subject_kind::socket, "PUSH");
    EXPECT_EQ(push.number("sent.messages"), 5U);
    EXPECT_EQ(push.number("sent.bytes"), 50U);
    EXPECT_EQ(push.number("queued.out"), 3U);
    EXPECT_EQ(push.number("peers"), 1U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PULL").number("received.messages"), 2U);
    EXPECT_EQ(find(seen, subject_kind::peer).text("identity"), "server");
    EXPECT_EQ(find(seen, subject_kind::peer).number("outgoing"), 1U);
    EXPECT_EQ(seen.subjects.back().number("outgoing"), 0U);
}

TEST(snapshot, sums_move_to_sockets_and_to_the_context) {
    world now;
    now.send(5);
    now.receive(2);
    now.pipe.reset();
    snapshot seen = now.look();
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("sent.messages"), 5U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("dropped.linger_expired"), 3U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PULL").number("received.messages"), 2U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PULL").number("dropped.unread"), 0U);
    now.first.reset();
    now.second.reset();
    seen = now.look();
    ASSERT_EQ(seen.subjects.size(), 1U);
    EXPECT_EQ(seen.subjects[0].number("sent.messages"), 5U);
    EXPECT_EQ(seen.subjects[0].number("received.messages"), 2U);
    EXPECT_EQ(seen.subjects[0].number("dropped.linger_expired"), 3U);
}

TEST(snapshot, drops_at_the_two_marks_are_apart) {
    world now;
    now.pipe->record().forth.written.dropped_mark.set(4);
    now.pipe->record().forth_seldom.dropped_byte_mark.set(3);
    now.pipe->record().forth_seldom.replayed.set(2);
    const auto expect = [](const subject_values &of) {
        EXPECT_EQ(of.number("dropped.mark_reached"), 4U);
        EXPECT_EQ(of.number("dropped.byte_mark_reached"), 3U);
        EXPECT_EQ(of.number("replayed.messages"), 2U);
    };
    expect(find(now.look(), subject_kind::peer));
    expect(find(now.look(), subject_kind::socket, "PUSH"));
    expect(now.look().subjects[0]);
    now.pipe.reset();
    expect(find(now.look(), subject_kind::socket, "PUSH"));
    EXPECT_EQ(find(now.look(), subject_kind::socket, "PULL").number("dropped.byte_mark_reached"), 0U);
    now.first.reset();
    now.second.reset();
    expect(now.look().subjects[0]);
}

TEST(snapshot, a_side_is_settled_once) {
    world now;
    now.send(4);
    now.pipe->leave(pipe_side::second);
    now.pipe->settle(pipe_side::first, drop_reason::connection_lost);
    now.pipe->settle(pipe_side::first, drop_reason::connection_lost);
    now.pipe.reset();
    const snapshot seen = now.look();
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("sent.messages"), 4U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("dropped.connection_lost"), 4U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("dropped.linger_expired"), 0U);
}

// zmq_disconnect leaves a message that the program was told of.
TEST(snapshot, what_the_other_side_still_receives_is_not_dropped) {
    world now;
    now.send(4);
    now.pipe->settle(pipe_side::first, drop_reason::connection_lost);
    snapshot seen = now.look();
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("dropped.connection_lost"), 0U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("queued.out"), 4U);
    now.receive(3);
    now.pipe.reset();
    seen = now.look();
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("sent.messages"), 4U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("dropped.linger_expired"), 1U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PULL").number("received.messages"), 3U);
}

TEST(snapshot, a_side_that_leaves_is_no_peer_if_nothing_waits_for_the_other_one) {
    world now;
    now.send(4);
    now.receive(1);
    now.pipe->leave(pipe_side::second); // the receiver: the sender counts what was not read
    snapshot seen = now.look();
    EXPECT_EQ(find(seen, subject_kind::socket, "PULL").number("peers"), 0U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PULL").number("received.messages"), 1U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("queued.out"), 3U);
    now.send(1); // it has not heard yet
    now.pipe->settle(pipe_side::first, drop_reason::connection_lost);
    now.pipe.reset();
    seen = now.look();
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("sent.messages"), 5U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("dropped.connection_lost"), 4U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PULL").number("received.messages"), 1U);
}

TEST(snapshot, a_side_that_leaves_stays_while_something_waits_for_the_other_one) {
    world now;
    now.pipe->set_flag(pipe_flag::connected, true);
    now.send(4);
    now.pipe->leave(pipe_side::first);
    snapshot seen = now.look();
    EXPECT_EQ(find(seen, subject_kind::peer).text("state"), "disconnected");
    EXPECT_EQ(find(seen, subject_kind::peer).number("connected"), 0U);
    EXPECT_EQ(seen.subjects.back().text("state"), "connected"); // as the receiver has it
    now.receive(4);
    now.pipe.reset();
    seen = now.look();
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("sent.messages"), 4U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PUSH").number("dropped.linger_expired"), 0U);
    EXPECT_EQ(find(seen, subject_kind::socket, "PULL").number("received.messages"), 4U);
}

// Whoever reads while sums move sees all of them once.
TEST(snapshot, books_balance_while_pipes_come_and_go) {
    world now;
    std::atomic<bool> over{false};
    std::thread owner([&] {
        for (int round = 0; round < 2000; ++round) {
            pipe_counts brief(now.first, now.second, 0);
            brief.record().forth.written.messages.set(1);
            brief.record().forth.read.messages.set(1);
        }
        over = true;
    });
    std::uint64_t before = 0;
    while (!over) {
        const snapshot seen = now.look();
        const std::uint64_t sent = find(seen, subject_kind::socket, "PUSH").number("sent.messages");
        EXPECT_GE(sent, before);
        before = sent;
    }
    owner.join();
    EXPECT_EQ(find(now.look(), subject_kind::socket, "PUSH").number("sent.messages"), 2000U);
}

// Another program may write anything into a file of that name.
TEST(snapshot, a_broken_region_is_refused_or_read_within_its_bounds) {
    world now;
    now.send(3);
    const auto bytes = now.context->memory()->bytes();
    std::vector<std::uint64_t> copy(bytes.size() / 8);
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    const auto look = [&](std::size_t size) {
        return take_snapshot(std::as_bytes(std::span(copy)).first(size));
    };
    EXPECT_TRUE(look(bytes.size()));
    for (const std::size_t size : {0U, 8U, 120U, 128U, 4096U})
        EXPECT_EQ(look(size).code(), EPROTO) << size;
    for (std::size_t word = 0; word < 200; ++word) {
        const std::uint64_t right = copy[word];
        for (const std::uint64_t wrong :
             {std::uint64_t{0}, ~std::uint64_t{0}, right + 1, right << 32 | right}) {
            copy[word] = wrong;
            (void)look(bytes.size());
        }
        copy[word] = right;
    }
    EXPECT_TRUE(look(bytes.size()));
}

TEST(snapshot, json_has_all_of_it) {
    world now;
    now.pipe->name_peer(pipe_side::first, std::string_view("\0\xFFid", 4));
    now.pipe->describe("inproc://\"quoted\"", "NULL");
    now.send(2);
    const snapshot seen = now.look();
    const std::string json = to_json({&seen, 1});
    EXPECT_NE(json.find("\"identity\":\"0x00ff6964\""), std::string::npos) << json;
    EXPECT_NE(json.find("inproc://\\\"quoted\\\""), std::string::npos);
    EXPECT_NE(json.find("\"type\":\"PUSH\""), std::string::npos);
    EXPECT_NE(json.find("\"sent.messages\":2"), std::string::npos);
    EXPECT_EQ(to_json({}), "{\"contexts\":[]}");
}

} // namespace
} // namespace zlink::counters
