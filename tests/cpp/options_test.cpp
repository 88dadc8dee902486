// SPDX-License-Identifier: MPL-2.0
// Socket options by name and type.
#include <gtest/gtest.h>

#include "zlink/zlink.hpp"

namespace {

using namespace std::chrono_literals;
namespace opt = zlink::opt;

struct cpp_options : testing::Test {
    zlink::context context;
    zlink::socket dealer{context, zlink::socket_type::dealer};
};

TEST_F(cpp_options, times_are_durations) {
    dealer.set(opt::linger, 2s);
    EXPECT_EQ(dealer.get(opt::linger), 2000ms);
    dealer.set(opt::linger, zlink::infinite);
    EXPECT_EQ(dealer.get(opt::linger), zlink::infinite);
    dealer.set(opt::send_timeout, 1000h);
    EXPECT_EQ(dealer.get(opt::send_timeout), std::chrono::milliseconds(INT_MAX));
    dealer.set(opt::tcp_keepalive_idle, 2min);
    EXPECT_EQ(dealer.get(opt::tcp_keepalive_idle), 120s);
}

TEST_F(cpp_options, flags_numbers_text_and_bytes) {
    dealer.set(opt::ipv6, true);
    EXPECT_TRUE(dealer.get(opt::ipv6));
    dealer.set(opt::ipv6, false);
    EXPECT_FALSE(dealer.get(opt::ipv6));
    dealer.set(opt::send_hwm, 7);
    EXPECT_EQ(dealer.get(opt::send_hwm), 7);
    dealer.set(opt::max_message_size, 5'000'000'000);
    EXPECT_EQ(dealer.get(opt::max_message_size), 5'000'000'000);
    dealer.set(opt::routing_id, std::string("a\0b", 3));
    EXPECT_EQ(dealer.get(opt::routing_id), std::string("a\0b", 3));
    dealer.set(opt::plain_username, "name");
    EXPECT_EQ(dealer.get(opt::plain_username), "name");
    EXPECT_EQ(dealer.get(opt::type), zlink::socket_type::dealer);
    EXPECT_EQ(dealer.get(opt::events), zlink::poll_events::none);
    EXPECT_FALSE(dealer.get(opt::receive_more));
    dealer.bind("tcp://127.0.0.1:*");
    EXPECT_TRUE(dealer.last_endpoint().starts_with("tcp://127.0.0.1:"));
}

TEST_F(cpp_options, keys_are_read_as_text) {
    const std::string key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
    dealer.set(opt::curve_public_key, key);
    EXPECT_EQ(dealer.get(opt::curve_public_key), key);
}

TEST_F(cpp_options, a_value_that_is_not_allowed_is_an_error) {
    EXPECT_THROW(dealer.set(opt::linger, -2ms), zlink::error);
    std::error_code code;
    dealer.set(opt::subscribe, "", code); // not a SUB
    EXPECT_EQ(code, std::errc::invalid_argument);
    dealer.set(opt::send_hwm, 1, code);
    EXPECT_FALSE(code);
}

TEST_F(cpp_options, only_what_can_be_set_says_so) {
    static_assert(opt::linger.can_be_set && opt::linger.can_be_read);
    static_assert(!opt::type.can_be_set && opt::type.can_be_read);
    static_assert(opt::subscribe.can_be_set && !opt::subscribe.can_be_read);
    zlink::socket sub(context, zlink::socket_type::sub);
    sub.set(opt::subscribe, "a");
    sub.set(opt::unsubscribe, "a");
}

#ifdef ZLINK_HAS_ZLINK
TEST_F(cpp_options, counts_of_closed_connections) {
    EXPECT_EQ(dealer.get(opt::closed_peer), 0u);
}
#endif

#ifdef ZLINK_HAS_DRAFTS
TEST_F(cpp_options, draft_types_have_groups_and_routing_ids) {
    zlink::socket server(context, zlink::socket_type::server), client(context, zlink::socket_type::client);
    server.bind("inproc://server");
    client.connect("inproc://server");
    client.send("question");
    zlink::message question = server.receive();
    zlink::message answer("answer");
    answer.set_routing_id(question.routing_id());
    server.send(std::move(answer));
    EXPECT_EQ(client.receive().text(), "answer");
    zlink::socket radio(context, zlink::socket_type::radio), dish(context, zlink::socket_type::dish);
    dish.join("group");
    EXPECT_THROW(dish.leave("other"), zlink::error);
    dish.bind("inproc://dish");
    radio.connect("inproc://dish");
    // A message that is sent before the group of the DISH has arrived is dropped.
    while (!zlink::any(dish.wait(zlink::poll_events::in, 1ms))) {
        zlink::message news("news");
        news.set_group("group");
        radio.send(std::move(news));
    }
    EXPECT_EQ(dish.receive().group(), "group");
}
#endif

} // namespace
