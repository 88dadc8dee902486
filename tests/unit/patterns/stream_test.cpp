// SPDX-License-Identifier: MPL-2.0
// STREAM, and ROUTER with ZMQ_ROUTER_RAW: what a message becomes on its way to a peer that is a bare
// connection.
#include "rig.hpp"

namespace zlink::test {
namespace {

// As the worker does when there is a connection.
far_side &connected(rig &subject, const std::string &id = {}) {
    far_side &peer = subject.connect(id);
    peer.end->introduce_to_peer(metadata_ref(new peer_metadata({}, {})), false);
    subject.process();
    return peer;
}

class stream_pattern : public ::testing::Test {
  protected:
    rig stream{socket_type::stream};
};

TEST_F(stream_pattern, one_frame_behind_the_id_is_a_message) {
    far_side &peer = connected(stream, "P");
    EXPECT_EQ(stream.send("P|one"), 0);
    EXPECT_EQ(stream.send_frame("P", true), 0);
    EXPECT_EQ(stream.send_frame("two", true), 0); // its MORE means nothing
    EXPECT_EQ(stream.send("P|three"), 0);
    EXPECT_EQ(peer.read_all(), "one two three");
}

TEST_F(stream_pattern, an_unknown_peer_is_an_error_and_an_id_alone_takes_a_frame_with_it) {
    far_side &peer = connected(stream, "P");
    EXPECT_EQ(stream.send("Q|lost"), EHOSTUNREACH);
    EXPECT_EQ(stream.send_frame("P", false), 0);
    EXPECT_EQ(stream.send_frame("lost", false), 0);
    EXPECT_EQ(stream.send("P|kept"), 0);
    EXPECT_EQ(peer.read_all(), "kept");
    EXPECT_TRUE(stream.tested->can_send());
}

TEST_F(stream_pattern, a_full_peer_is_asked_for_again_at_the_id) {
    far_side &peer = stream.connect("P", 1);
    EXPECT_EQ(stream.send("P|1"), 0);
    EXPECT_EQ(stream.send("P|2"), EAGAIN);
    EXPECT_TRUE(stream.tested->can_send());
    EXPECT_EQ(peer.read(), "1");
    EXPECT_EQ(stream.send("P|3"), 0);
}

TEST_F(stream_pattern, a_connection_of_ours_has_an_id_at_once) {
    rig::peer &one = stream.make_local_peer();
    ASSERT_TRUE(stream.attach(one));
    const std::string id = one.far.near->notes.routing_id;
    ASSERT_EQ(id.size(), 5U);
    EXPECT_EQ(stream.send_frame(id, true), 0); // its bytes are any, '|' too
    EXPECT_EQ(stream.send_frame("early", false), 0);
    EXPECT_EQ(one.far.read(), "early");
}

TEST_F(stream_pattern, a_name_that_is_taken_is_not_given_twice) {
    far_side &first = connected(stream, "P");
    far_side &second = connected(stream, "P");
    EXPECT_NE(second.near->notes.routing_id, "P");
    second.write("hello");
    EXPECT_EQ(stream.receive_all(), second.near->notes.routing_id + "|hello");
    EXPECT_EQ(stream.send("P|to the first"), 0);
    EXPECT_EQ(first.read(), "to the first");
}

TEST_F(stream_pattern, an_empty_message_is_the_last) {
    far_side &peer = connected(stream, "P");
    EXPECT_EQ(stream.send("P|bye"), 0);
    EXPECT_EQ(stream.send("P|"), 0);
    EXPECT_EQ(stream.send("P|more"), EHOSTUNREACH);
    peer.write("unheard");
    EXPECT_EQ(stream.receive_all(), "");
    EXPECT_EQ(peer.read_all(), "bye ");
    EXPECT_EQ(stream.of(peer).finished, 0); // until its session has sent all
    peer.close();
    stream.process();
    EXPECT_EQ(stream.of(peer).finished, 1);
}

TEST_F(stream_pattern, without_a_connection_it_ends_at_once) {
    far_side &peer = stream.connect("P");
    EXPECT_EQ(stream.send("P|"), 0);
    stream.process();
    EXPECT_EQ(stream.of(peer).finished, 1);
    EXPECT_EQ(stream.send("P|x"), EHOSTUNREACH);
}

TEST_F(stream_pattern, who_is_hung_up_on_while_its_message_is_received_is_received_whole) {
    far_side &peer = connected(stream, "P");
    far_side &other = connected(stream, "Q");
    peer.write("one");
    peer.write("two");
    EXPECT_EQ(stream.receive_frame(), "P");
    EXPECT_EQ(stream.send("P|"), 0);
    EXPECT_EQ(stream.receive_frame(), "one");
    other.write("three");
    EXPECT_EQ(stream.receive_all(), "Q|three");
    peer.close();
    stream.process();
    EXPECT_EQ(stream.of(peer).finished, 1);
}

class raw_router : public ::testing::Test {
  protected:
    raw_router() { router.options.pattern.router_raw = true; }
    rig router{socket_type::router};
};

TEST_F(raw_router, one_frame_is_a_message_and_an_unknown_peer_none) {
    far_side &peer = connected(router, "P");
    EXPECT_EQ(router.send("Q|lost"), 0);
    EXPECT_EQ(router.send_frame("P", true), 0);
    EXPECT_EQ(router.send_frame("one", true), 0);
    EXPECT_EQ(router.send("P|two"), 0);
    EXPECT_EQ(peer.read_all(), "one two");
    EXPECT_EQ(router.send("P|"), 0);
    EXPECT_EQ(peer.read_all(), "");
    router.options.pattern.router_mandatory = true;
    EXPECT_EQ(router.send("P|gone"), EHOSTUNREACH);
}

TEST_F(raw_router, whoever_is_hung_up_on_between_id_and_body_is_forgotten) {
    far_side &peer = router.connect("P"); // no connection yet
    peer.write("one");
    peer.write("two");
    EXPECT_EQ(router.receive_frame(), "P");
    EXPECT_EQ(router.send("P|"), 0);
    EXPECT_EQ(router.of(peer).finished, 1);
    EXPECT_EQ(router.receive(), "-");
}

TEST_F(raw_router, whoever_is_hung_up_on_behind_a_body_is_forgotten) {
    far_side &peer = router.connect("P");
    for (const char *text : {"one", "two", "three"})
        peer.write(text);
    EXPECT_EQ(router.receive(), "P|one");
    EXPECT_EQ(router.receive(), "P|two"); // one of them on the cached route
    EXPECT_EQ(router.send("P|"), 0);
    EXPECT_EQ(router.receive(), "-");
    EXPECT_EQ(router.receive(), "-");
}

TEST_F(raw_router, nobody_is_probed) {
    router.options.pattern.probe_router = true;
    EXPECT_EQ(connected(router, "P").read(), "-");
}

} // namespace
} // namespace zlink::test
