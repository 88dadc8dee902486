// SPDX-License-Identifier: MPL-2.0
// Monitors of zlink/zlink.hpp.
#include <gtest/gtest.h>

#include "zlink/zlink.hpp"

namespace {

using zlink::monitor_event_type;

TEST(cpp_monitor, hears_of_a_handshake_and_of_its_own_end) {
    zlink::context context;
    zlink::socket server(context, zlink::socket_type::rep), client(context, zlink::socket_type::req);
    server.bind("tcp://127.0.0.1:*");
    zlink::monitor monitor(context, client);
    EXPECT_FALSE(monitor.try_receive().has_value());
    client.connect(server.last_endpoint());
    zlink::monitor_event event;
    while (event.type != monitor_event_type::handshake_succeeded)
        event = monitor.receive();
    EXPECT_EQ(event.endpoint, server.last_endpoint());
    zlink::stop_monitor(client);
    while (event.type != monitor_event_type::monitor_stopped)
        event = monitor.receive();
}

TEST(cpp_monitor, hears_of_chosen_events_only) {
    zlink::context context;
    zlink::socket server(context, zlink::socket_type::rep);
    zlink::monitor monitor(context, server, monitor_event_type::listening | monitor_event_type::closed);
    server.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(monitor.receive().type, monitor_event_type::listening);
    EXPECT_EQ(monitor.reader().get(zlink::opt::type), zlink::socket_type::pair);
}

TEST(cpp_monitor, two_frames_of_another_form_are_no_event) {
    zlink::monitor_event event;
    std::error_code code;
    EXPECT_FALSE(zlink::detail::parse_event(zlink::multipart{"short", "endpoint"}, event, code));
    EXPECT_EQ(code, std::errc::protocol_error);
}

} // namespace
