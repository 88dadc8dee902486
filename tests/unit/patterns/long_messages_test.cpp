// SPDX-License-Identifier: MPL-2.0
// A call reads a part of a message of very many frames that is not for the application. The next calls go on.
#include <span>

#include "rig.hpp"

namespace zlink::test {
namespace {

constexpr std::size_t many = 3 * patterns::most_passed_over;

frames repeated(std::string_view head, std::string_view body, std::string_view tail) {
    frames parts = head.empty() ? frames{} : split(head);
    parts.insert(parts.end(), many, std::string(body));
    parts.emplace_back(tail);
    return parts;
}

// Calls until there is a frame. Returns how many calls found none although the pattern has more to read.
int calls_before(rig &tested, std::string &frame) {
    for (int calls = 0;; ++calls) {
        incoming_frame found;
        tested.close_routes();
        if (tested.take_frame(found) == 0) {
            frame.assign(reinterpret_cast<const char *>(found.data), found.size);
            found.drop();
            return calls;
        }
        if (tested.box->ready.empty())
            return -1;
        tested.process();
    }
}

// The frame comes after so many calls that found none.
void expect_frame_after(int calls, rig &tested, const char *text) {
    std::string frame;
    EXPECT_EQ(calls_before(tested, frame), calls);
    EXPECT_EQ(frame, text);
}

TEST(long_messages, a_sub_skips_them_in_parts) {
    rig sub{socket_type::sub};
    EXPECT_TRUE(sub.tested->act(6, std::as_bytes(std::span("wanted", 6))));
    far_side &pub = sub.connect();
    pub.write_frames(repeated("", "wanted", "wanted")); // wanted, so it is received whole
    pub.write_frames(repeated("no", "wanted", "wanted"));
    pub.write("wanted");
    for (std::size_t count = 0; count <= many; ++count)
        ASSERT_EQ(sub.receive_frame(), "wanted");
    expect_frame_after(3, sub, "wanted");
    EXPECT_EQ(sub.receive(), "-");
}

TEST(long_messages, other_peers_are_heard_when_the_one_that_is_skipped_is_gone) {
    rig sub{socket_type::sub};
    EXPECT_TRUE(sub.tested->act(6, std::as_bytes(std::span("wanted", 6))));
    far_side &first = sub.connect();
    far_side &second = sub.connect();
    first.write_frames(repeated("no", "wanted", "wanted"));
    second.write("wanted|rest");
    incoming_frame frame;
    EXPECT_EQ(sub.take_frame(frame), EAGAIN);
    sub.detach(sub.of(first));
    EXPECT_EQ(sub.receive(), "wanted|rest");
}

TEST(long_messages, a_rep_reads_their_envelope_in_parts) {
    rig rep{socket_type::rep};
    far_side &peer = rep.connect();
    peer.write_frames(repeated("", "hop", "no delimiter"));
    frames request = repeated("", "hop", "");
    request.emplace_back("question");
    peer.write_frames(request);
    expect_frame_after(6, rep, "question");
    EXPECT_EQ(rep.send("answer"), 0);
    request.back() = "answer";
    EXPECT_EQ(peer.read_frames(), request);
}

// Over inproc a command may come to a socket that has no use for it.
class many_commands : public ::testing::TestWithParam<socket_type> {};

TEST_P(many_commands, are_passed_over_in_parts) {
    rig tested{GetParam()};
    far_side &peer = tested.connect();
    for (std::size_t count = 0; count < many; ++count)
        peer.write_command("NOISE", "");
    peer.write("message");
    std::string frame;
    EXPECT_GE(calls_before(tested, frame), 2) << "a call passes over all of them";
    EXPECT_EQ(frame, "message");
}

INSTANTIATE_TEST_SUITE_P(long_messages, many_commands,
                         ::testing::Values(socket_type::pair, socket_type::pull, socket_type::dealer,
                                           socket_type::client));

TEST(long_messages, a_rep_forgets_the_envelope_of_a_peer_that_is_gone) {
    rig rep{socket_type::rep};
    far_side &first = rep.connect();
    far_side &second = rep.connect();
    first.write_frames(repeated("", "hop", ""));
    second.write("id||question");
    incoming_frame frame;
    EXPECT_EQ(rep.take_frame(frame), EAGAIN);
    rep.detach(rep.of(first));
    EXPECT_EQ(rep.receive(), "question");
    EXPECT_EQ(rep.send("answer"), 0);
    EXPECT_EQ(second.read(), "id||answer");
}

TEST(long_messages, a_req_drops_what_came_before_its_request_in_parts) {
    rig req{socket_type::req};
    far_side &peer = req.connect();
    peer.write_frames(repeated("|old", "more", "end"));
    peer.write("|old");
    EXPECT_EQ(req.send("question"), 0);
    EXPECT_EQ(peer.read(), "|question");
    peer.write("|answer");
    expect_frame_after(2, req, "answer");
}

TEST(long_messages, a_req_gives_up_a_reply_in_parts) {
    rig req{socket_type::req};
    req.options.pattern.request_relaxed = true;
    far_side &peer = req.connect();
    EXPECT_EQ(req.send("first"), 0);
    peer.write_frames(repeated("|answer", "more", "end"));
    EXPECT_EQ(req.receive_frame(), "answer");
    EXPECT_EQ(req.send("second"), 0);
    EXPECT_EQ(peer.read_all(), "|first |second");
    peer.write("|right");
    expect_frame_after(2, req, "right");
}

TEST(long_messages, an_xpub_hears_the_requests_in_one_message_when_all_were_read) {
    rig xpub{socket_type::xpub};
    far_side &peer = xpub.connect();
    far_side &other = xpub.connect();
    frames requests;
    for (std::size_t count = 0; count < many; ++count)
        requests.push_back("\1" + std::to_string(count));
    peer.write_frames(requests);
    other.write("\1of another");
    std::size_t heard = 0;
    xpub.process();
    EXPECT_EQ(xpub.receive_frame(), "\1of another") << "the long message is not over";
    for (std::string frame; calls_before(xpub, frame) >= 0; ++heard)
        ASSERT_EQ(frame, requests[heard]);
    EXPECT_EQ(heard, many);
    EXPECT_EQ(xpub.tested->topics(), many + 1);
    EXPECT_EQ(xpub.send("7 of many"), 0);
    EXPECT_EQ(peer.read(), "7 of many");
}

TEST(long_messages, a_subscriber_that_goes_in_the_middle_is_forgotten) {
    rig xpub{socket_type::xpub};
    far_side &peer = xpub.connect();
    peer.write_frames(repeated("", "\1x", "\1x"));
    xpub.process();
    EXPECT_EQ(xpub.tested->topics(), 1U);
    xpub.detach(xpub.of(peer));
    EXPECT_EQ(xpub.tested->topics(), 0U);
    far_side &later = xpub.connect();
    later.write("\1y");
    xpub.process();
    EXPECT_EQ(xpub.tested->topics(), 1U);
}

} // namespace
} // namespace zlink::test
