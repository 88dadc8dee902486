// SPDX-License-Identifier: MPL-2.0
#include "core/pipe_table.hpp"

#include <gtest/gtest.h>

#include <array>

#include "unit/patterns/rig.hpp"

namespace zlink::core {
namespace {

using test::far_side;

class silent_owner final : public pipe_owner {
    void on_pipe_event(pipe_end &, std::uint32_t) override {}
};

// Returns how many messages the end takes.
std::uint64_t write_until_full(pipe_end &end) {
    while (!end.out().full()) {
        EXPECT_TRUE(end.out().write(test::as_frame("message", false)));
        end.writer().commit();
    }
    return end.out().depth();
}

// Would a send write to the stream itself, when the reader of the queue sleeps?
bool writes_directly(far_side &side) {
    EXPECT_TRUE(side.end->prepare_wait_data());
    return side.near->writer().may_write_direct();
}

struct table_rig {
    explicit table_rig(socket_type type = socket_type::pair) : table(traits_of(type), groups) {}
    ~table_rig() {
        while (!table.all().empty())
            close(*table.all().begin()->first);
        table.forget_all();
        for (auto &side : sides)
            side->close();
    }
    // The marks are 0: there are none.
    far_side &add(pipe_peer kind) {
        auto both = pipe::create({0, keep_rule::all, false, {kind}}, {0});
        sides.push_back(std::make_unique<far_side>(both->first(), both->second(), both));
        both->first().attach(owner, box);
        table.add({both, &both->first()});
        return *sides.back();
    }
    void close(pipe_end &end) {
        const new_pipe removed = table.remove(end);
        end.close();
        box->ready.drain();
    }

    silent_owner owner;
    std::shared_ptr<test::counting_mailbox> box = std::make_shared<test::counting_mailbox>();
    direct_io::poll_groups groups;
    pipe_table table;
    std::vector<std::unique_ptr<far_side>> sides;
};

TEST(pipe_table, tells_pipes_of_this_process_from_others) {
    table_rig rig;
    EXPECT_TRUE(rig.table.empty());
    EXPECT_FALSE(rig.table.only_inproc());
    far_side &inproc = rig.add(pipe_peer::socket);
    EXPECT_TRUE(rig.table.only_inproc());
    far_side &stream = rig.add(pipe_peer::connection);
    EXPECT_TRUE(rig.table.any_inproc());
    EXPECT_FALSE(rig.table.only_inproc());
    EXPECT_TRUE(rig.table.contains(stream.near));
    rig.close(*stream.near);
    EXPECT_FALSE(rig.table.contains(stream.near));
    EXPECT_TRUE(rig.table.only_inproc());
    rig.close(*inproc.near);
    EXPECT_TRUE(rig.table.empty());
    EXPECT_FALSE(rig.table.any_inproc());
}

TEST(pipe_table, closes_ends_that_are_noted_while_it_closes_others) {
    table_rig rig;
    far_side &one = rig.add(pipe_peer::connection);
    far_side &other = rig.add(pipe_peer::connection);
    rig.table.note_finished(*one.near);
    EXPECT_TRUE(rig.table.any_finished());
    std::vector<pipe_end *> closed;
    rig.table.close_finished([&](pipe_end &end) {
        closed.push_back(&end);
        if (&end == one.near)
            rig.table.note_finished(*other.near);
    });
    EXPECT_EQ(closed, (std::vector<pipe_end *>{one.near, other.near}));
    EXPECT_FALSE(rig.table.any_finished());
}

TEST(pipe_table, adds_up_the_marks_of_both_sockets_of_this_process) {
    table_rig rig;
    far_side &joined = rig.add(pipe_peer::socket);
    joined.near->joined.receive_hwm = 3;
    joined.near->other().joined.receive_hwm = 2;
    rig.table.set_high_water_marks(1, 10);
    EXPECT_EQ(write_until_full(*joined.near), 3U); // 1 and the other's 2
    far_side &stream = rig.add(pipe_peer::connection);
    rig.table.set_high_water_marks(1, 10);
    EXPECT_EQ(write_until_full(*stream.near), 1U);
}

TEST(pipe_table, lets_few_streams_of_a_publisher_be_written_directly) {
    for (const socket_type type : {socket_type::pub, socket_type::push}) {
        table_rig rig(type);
        for (int count = 0; count < 4; ++count)
            rig.add(pipe_peer::connection);
        far_side &first = *rig.sides.front();
        EXPECT_TRUE(writes_directly(first));
        far_side &fifth = rig.add(pipe_peer::connection);
        EXPECT_EQ(writes_directly(first), type == socket_type::push);
        EXPECT_EQ(writes_directly(fifth), type == socket_type::push);
        rig.close(*fifth.near);
        EXPECT_TRUE(writes_directly(first));
    }
}

TEST(pipe_table, posts_memory_to_the_peer_of_a_lone_pipe) {
    table_rig rig;
    far_side &peer = rig.add(pipe_peer::socket);
    std::array<std::uint8_t, 64> memory{};
    rig.table.begin_receive();
    rig.table.post_to_peer({memory, 0});
    EXPECT_FALSE(peer.near->posted().place.memory.empty());
    rig.add(pipe_peer::socket); // the next message may come from here
    EXPECT_TRUE(peer.near->posted().place.memory.empty());
    rig.table.post_to_peer({memory, 0});
    EXPECT_TRUE(peer.near->posted().place.memory.empty());
    EXPECT_FALSE(rig.table.end_receive());
}

TEST(pipe_table, keeps_a_parting_end_until_the_other_side_has_heard) {
    table_rig rig;
    far_side &peer = rig.add(pipe_peer::socket);
    pipe_end &parting = *peer.near;
    rig.table.part(rig.table.remove(parting), 0);
    EXPECT_TRUE(rig.table.empty());
    EXPECT_FALSE(parting.gone());
    EXPECT_EQ(peer.take_events() & pipe_event::peer_closed, pipe_event::peer_closed);
    rig.table.forget_all();
    EXPECT_TRUE(parting.gone());
}

} // namespace
} // namespace zlink::core
