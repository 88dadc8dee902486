// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

#include <random>

namespace zlink::test {
namespace {

class router_pattern : public ::testing::Test {
  protected:
    // A connection of ours that nobody has answered yet.
    far_side &connecting() {
        rig::peer &one = router.make_local_peer();
        EXPECT_TRUE(router.attach(one));
        return one.far;
    }
    static void introduce(far_side &peer, const std::string &id, bool again = false) {
        peer.end->introduce_to_peer(metadata_ref(new peer_metadata(id, {{"Socket-Type", "DEALER"}})), again);
    }
    rig router{socket_type::router};
};

TEST_F(router_pattern, puts_the_id_of_the_sender_in_front) {
    far_side &a = router.connect("A");
    far_side &b = router.connect("B");
    a.write("a1|x|y");
    a.write("a2");
    b.write("b1");
    EXPECT_EQ(router.receive_all(), "A|a1|x|y B|b1 A|a2");
}

TEST_F(router_pattern, every_frame_tells_whose_it_is) {
    far_side &peer = connecting();
    introduce(peer, "P");
    peer.write("m|n");
    for (const char *expected : {"P", "m", "n"}) {
        EXPECT_EQ(router.receive_frame(), expected);
        ASSERT_NE(router.last_metadata, nullptr);
        EXPECT_STREQ(router.last_metadata->find("Socket-Type"), "DEALER");
    }
}

TEST_F(router_pattern, sends_to_the_peer_that_is_named) {
    far_side &a = router.connect("A");
    far_side &b = router.connect("B");
    EXPECT_EQ(router.send("B|1|2"), 0);
    EXPECT_EQ(router.send("A|3"), 0);
    EXPECT_EQ(router.send("B||4"), 0);
    EXPECT_EQ(a.read_all(), "3");
    EXPECT_EQ(b.read_all(), "1|2 |4");
}

TEST_F(router_pattern, makes_up_ids_of_five_bytes_that_differ) {
    far_side &a = router.connect();
    far_side &b = router.connect();
    a.write("a");
    b.write("b");
    const std::string first = router.receive_frame();
    EXPECT_EQ(router.receive_frame(), "a");
    const std::string second = router.receive_frame();
    EXPECT_EQ(router.receive_frame(), "b");
    EXPECT_EQ(first.size(), 5U);
    EXPECT_EQ(first[0], '\0');
    EXPECT_EQ(second.size(), 5U);
    EXPECT_NE(first, second);
    EXPECT_EQ(router.send_frame(second, true), 0);
    EXPECT_EQ(router.send_frame("to b", false), 0);
    EXPECT_EQ(b.read(), "to b");
}

TEST_F(router_pattern, drops_what_is_for_nobody) {
    far_side &a = router.connect("A");
    EXPECT_EQ(router.send("nobody|1|2"), 0);
    EXPECT_EQ(router.send("|x"), 0);
    EXPECT_EQ(router.send("A"), 0) << "an id without anything behind it";
    EXPECT_EQ(router.send("nobody"), 0);
    EXPECT_EQ(a.read_all(), "");
    EXPECT_EQ(router.send("A|m"), 0);
    EXPECT_EQ(a.read_all(), "m");
}

TEST_F(router_pattern, drops_what_a_full_peer_has_no_room_for) {
    far_side &a = router.connect("A", 1);
    EXPECT_EQ(router.send("A|1"), 0);
    EXPECT_EQ(router.send("A|2|2"), 0);
    EXPECT_TRUE(router.can_send());
    EXPECT_EQ(a.read_all(), "1");
    EXPECT_EQ(router.send("A|3"), 0);
    EXPECT_EQ(a.read_all(), "3");
}

TEST_F(router_pattern, mandatory_tells_who_is_not_there_and_who_is_full) {
    router.options.pattern.router_mandatory = true;
    EXPECT_FALSE(router.can_send());
    EXPECT_EQ(router.send("A|m"), EHOSTUNREACH);
    EXPECT_EQ(router.send("A"), 0);
    far_side &a = router.connect("A", 1);
    EXPECT_TRUE(router.can_send());
    EXPECT_EQ(router.send("A|1"), 0);
    EXPECT_FALSE(router.can_send());
    EXPECT_EQ(router.send("A|2"), EAGAIN);
    far_side &b = router.connect("B");
    EXPECT_TRUE(router.can_send());
    EXPECT_EQ(router.send("A|2"), EAGAIN);
    const int wakes = router.box->wakes;
    EXPECT_EQ(a.read(), "1");
    EXPECT_EQ(router.box->wakes, wakes + 1);
    EXPECT_EQ(router.send("A|2"), 0);
    EXPECT_EQ(router.send("B|3"), 0);
    EXPECT_EQ(a.read(), "2");
    EXPECT_EQ(b.read(), "3");
    a.close();
    EXPECT_EQ(router.send("A|4"), EHOSTUNREACH);
}

TEST_F(router_pattern, a_connecting_end_is_anonymous_until_its_peer_is_known) {
    router.options.pattern.router_mandatory = true;
    far_side &peer = connecting();
    EXPECT_FALSE(router.can_send());
    introduce(peer, "P");
    peer.write("m");
    EXPECT_EQ(router.receive(), "P|m");
    EXPECT_EQ(router.send("P|n"), 0);
    EXPECT_EQ(peer.read(), "n");
}

TEST_F(router_pattern, a_peer_without_an_id_gets_one_when_it_is_known) {
    far_side &peer = connecting();
    introduce(peer, "");
    peer.write("m");
    EXPECT_EQ(router.receive_frame().size(), 5U);
    EXPECT_EQ(router.receive_frame(), "m");
}

TEST_F(router_pattern, a_local_peer_of_the_same_process_is_known_by_its_messages) {
    far_side &peer = connecting();
    peer.write("m");
    EXPECT_EQ(router.receive_frame().size(), 5U);
    EXPECT_EQ(router.receive_frame(), "m");
    rig::peer &early = router.make_local_peer();
    early.far.write("before");
    ASSERT_TRUE(router.attach(early));
    EXPECT_EQ(router.receive_frame().size(), 5U);
    EXPECT_EQ(router.receive_frame(), "before");
}

TEST_F(router_pattern, the_id_of_the_application_stands_above_that_of_the_peer) {
    rig::peer &one = router.make_local_peer();
    one.far.near->notes.routing_id = "mine";
    ASSERT_TRUE(router.attach(one));
    EXPECT_EQ(router.send("mine|early"), 0);
    introduce(one.far, "theirs");
    one.far.write("m");
    EXPECT_EQ(router.receive(), "mine|m");
    EXPECT_EQ(router.send("theirs|lost"), 0);
    EXPECT_EQ(one.far.read_all(), "early");
}

TEST_F(router_pattern, an_id_outlives_a_new_connection_of_the_same_pipe) {
    far_side &peer = connecting();
    introduce(peer, "first");
    router.process();
    introduce(peer, "second", true);
    peer.write("m");
    EXPECT_EQ(router.receive(), "first|m");
}

TEST_F(router_pattern, a_duplicate_is_ignored) {
    far_side &first = router.connect("A");
    far_side &second = router.connect("A");
    second.write("not seen");
    first.write("seen");
    EXPECT_EQ(router.receive_all(), "A|seen");
    EXPECT_EQ(router.send("A|m"), 0);
    EXPECT_EQ(first.read_all(), "m");
    EXPECT_EQ(second.read_all(), "");
    second.close();
    router.process();
    EXPECT_EQ(router.of(second).finished, 1);
    EXPECT_EQ(router.send("A|n"), 0);
    EXPECT_EQ(first.read_all(), "n") << "the first one keeps its id";
}

TEST_F(router_pattern, a_duplicate_that_introduces_itself_late_is_ignored) {
    far_side &first = router.connect("A");
    far_side &second = connecting();
    introduce(second, "A");
    second.write("not seen");
    first.write("seen");
    second.write("not seen");
    EXPECT_EQ(router.receive_all(), "A|seen");
    router.on_pipe_event(*second.near, pipe_event::readable);
    EXPECT_EQ(router.receive_all(), "");
}

TEST_F(router_pattern, handover_mutes_the_connection_that_had_the_id) {
    router.options.pattern.router_handover = true;
    far_side &first = router.connect("A");
    first.write("unread");
    far_side &second = router.connect("A");
    first.write("unheard");
    router.process();
    EXPECT_EQ(router.receive_all(), "");
    EXPECT_EQ(router.of(first).finished, 0);
    EXPECT_EQ(router.send("A|m"), 0);
    EXPECT_EQ(first.read_all(), "");
    EXPECT_EQ(second.read_all(), "m");
    second.write("n");
    EXPECT_EQ(router.receive_all(), "A|n");
}

TEST_F(router_pattern, handover_waits_for_the_message_that_is_being_received) {
    router.options.pattern.router_handover = true;
    far_side &first = router.connect("A");
    first.write("1|2|3");
    first.write("unread");
    EXPECT_EQ(router.receive_frame(), "A");
    EXPECT_EQ(router.receive_frame(), "1");
    far_side &second = router.connect("A");
    second.write("new");
    EXPECT_EQ(router.of(first).finished, 0);
    EXPECT_EQ(router.receive_frame(), "2");
    EXPECT_EQ(router.receive_frame(), "3");
    EXPECT_FALSE(router.more);
    EXPECT_EQ(router.receive_all(), "A|new");
    EXPECT_EQ(router.of(first).finished, 0);
    EXPECT_EQ(router.of(second).finished, 0);
}

TEST_F(router_pattern, who_lost_its_id_is_finished_once) {
    router.options.pattern.router_handover = true;
    far_side &first = router.connect("A");
    router.connect("A");
    router.tested->on_events(*first.near, pipe_event::readable | pipe_event::peer_closed);
    EXPECT_EQ(router.of(first).finished, 1);
}

TEST_F(router_pattern, handover_between_id_and_body_keeps_the_body) {
    router.options.pattern.router_handover = true;
    far_side &first = router.connect("A");
    first.write("body");
    EXPECT_EQ(router.receive_frame(), "A");
    router.connect("A");
    EXPECT_EQ(router.receive_frame(), "body");
    first.write("unheard");
    EXPECT_EQ(router.receive(), "-");
}

// libzmq reads a peer that has gone to the end. Its id is another one's by then.
TEST_F(router_pattern, handover_reads_who_has_gone_under_an_id_of_its_own) {
    router.options.pattern.router_handover = true;
    far_side &first = router.connect("A");
    first.write("1");
    first.write("2");
    first.close();
    router.process();
    far_side &second = router.connect("A");
    second.write("new");
    std::string heard = router.receive();
    heard += router.receive();
    heard += router.receive();
    EXPECT_EQ(heard.size(), std::string_view("?????|1A|new?????|2").size());
    EXPECT_EQ(heard.substr(5, 7), "|1A|new");
    EXPECT_EQ(heard.substr(0, 5), heard.substr(12, 5));
    EXPECT_EQ(router.receive(), "-");
    EXPECT_EQ(router.of(first).finished, 1);
    EXPECT_EQ(router.send("A|m"), 0);
    EXPECT_EQ(second.read_all(), "m");
}

TEST_F(router_pattern, who_goes_after_the_handover_of_a_message_in_progress_is_read_to_the_end) {
    router.options.pattern.router_handover = true;
    far_side &first = router.connect("A");
    first.write("1|2");
    EXPECT_EQ(router.receive_frame(), "A");
    EXPECT_EQ(router.receive_frame(), "1");
    router.connect("A");
    first.write("3");
    first.close();
    router.process();
    EXPECT_EQ(router.receive_frame(), "2");
    const std::string rest = router.receive();
    EXPECT_EQ(rest.size(), std::string_view("?????|3").size());
    EXPECT_EQ(rest.substr(5), "|3");
    EXPECT_EQ(router.receive(), "-");
    EXPECT_EQ(router.of(first).finished, 1);
}

// Whatever goes on the cached route, and whoever asks between two frames.
TEST_F(router_pattern, frames_on_a_cached_route_are_frames_like_others) {
    std::minstd_rand chance(7);
    std::vector<far_side *> peers{&router.connect("A")};
    const auto some_body = [&](int number) {
        const std::string body = std::to_string(number) + std::string(chance() % 100, 'b');
        return body + (chance() % 4 == 0 ? "|" + std::string(chance() % 300, 'c') : "");
    };
    const auto something_else = [&] {
        router.route_turn = chance() % 3 == 0;
        if (chance() % 16 == 0 && !router.can_send())
            ADD_FAILURE() << "there is room";
        if (chance() % 16 == 0)
            router.close_routes();
        if (chance() % 16 == 0 && !router.tested->state_of("A"))
            ADD_FAILURE() << "it is there";
    };
    for (int number = 0; number < 4000; ++number) {
        if (number == 2000)
            peers.push_back(&router.connect("B"));
        const std::size_t whose = chance() % peers.size();
        const std::string id = whose == 0 ? "A" : "B";
        const std::string there = some_body(number);
        const frames parts = split(id + "|" + there);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            something_else();
            ASSERT_EQ(router.send_frame(parts[i], i + 1 < parts.size()), 0);
        }
        ASSERT_EQ(peers[whose]->read_all(), there);
        const std::string back = some_body(number);
        peers[whose]->write(back);
        std::string got;
        do {
            something_else();
            got += (got.empty() ? "" : "|") + router.receive_frame();
        } while (router.more);
        ASSERT_EQ(got, id + "|" + back);
    }
}

TEST_F(router_pattern, a_frame_that_is_the_id_of_the_peer_is_a_frame) {
    far_side &a = router.connect("A");
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(router.send("A|x"), 0);
        EXPECT_EQ(router.send("A|x|A|y"), 0);
        EXPECT_EQ(router.send("A|A|A|A"), 0);
        EXPECT_EQ(a.read_all(), "x x|A|y A|A|A");
    }
}

TEST_F(router_pattern, id_that_took_the_cached_route_before_its_peer_left_takes_its_message_along) {
    far_side &a = router.connect("A");
    ASSERT_EQ(router.send("A|0"), 0);
    router.route_turn = false;
    ASSERT_TRUE(router.send_id_fast("A"));
    a.close();
    router.process();
    EXPECT_EQ(router.send_frame("lost", false), 0);
    far_side &b = router.connect("A");
    EXPECT_EQ(router.send("A|m"), 0);
    EXPECT_EQ(b.read_all(), "m");
}

TEST_F(router_pattern, id_takes_the_cached_route_only_to_the_peer_it_names_and_with_room) {
    far_side &a = router.connect("A", 2);
    router.connect("B");
    ASSERT_EQ(router.send("A|0"), 0);
    EXPECT_FALSE(router.cached.out.send_id("B"));
    EXPECT_FALSE(router.cached.out.send_id("AB"));
    ASSERT_EQ(router.send("A|1"), 0);
    EXPECT_FALSE(router.cached.out.send_id("A"));
    EXPECT_EQ(router.send("A|dropped"), 0);
    EXPECT_EQ(a.read_all(), "0 1");
}

TEST_F(router_pattern, drops_the_rest_of_a_message_whose_peer_went) {
    far_side &a = router.connect("A");
    EXPECT_EQ(router.send_frame("A", true), 0);
    EXPECT_EQ(router.send_frame("1", true), 0);
    a.close();
    router.process();
    EXPECT_EQ(router.send_frame("2", true), 0);
    EXPECT_EQ(router.send_frame("3", false), 0);
    far_side &b = router.connect("A");
    EXPECT_EQ(router.send("A|m"), 0);
    EXPECT_EQ(b.read_all(), "m");
}

TEST_F(router_pattern, peer_that_goes_between_id_and_body_leaves_the_body) {
    far_side &a = router.connect("A");
    EXPECT_EQ(router.receive(), "-");
    a.write("body");
    EXPECT_EQ(router.receive_frame(), "A");
    a.close();
    router.process();
    EXPECT_EQ(router.of(a).finished, 0);
    EXPECT_EQ(router.receive_frame(), "body");
    EXPECT_EQ(router.receive(), "-");
    EXPECT_EQ(router.of(a).finished, 1);
}

TEST_F(router_pattern, forgets_a_peer_that_is_detached_between_id_and_body) {
    far_side &a = router.connect("A");
    far_side &b = router.connect("B");
    a.write(std::string(20000, 'l'));
    b.write("b");
    EXPECT_EQ(router.receive_frame(), "A");
    router.detach(router.of(a));
    EXPECT_EQ(router.receive(), "B|b");
}

TEST_F(router_pattern, hears_and_says_hello_with_empty_messages) {
    far_side &peer = router.connect("A");
    peer.write("");
    EXPECT_EQ(router.receive(), "A|");
    router.options.pattern.probe_router = true;
    far_side &probed = router.connect("B");
    EXPECT_EQ(probed.read(), "");
    EXPECT_EQ(peer.read(), "-");
}

TEST_F(router_pattern, an_anonymous_end_that_goes_is_finished_at_once) {
    far_side &peer = connecting();
    peer.close();
    router.process();
    EXPECT_EQ(router.of(peer).finished, 1);
}

} // namespace
} // namespace zlink::test
