// SPDX-License-Identifier: MPL-2.0
#include "connections/event_log.hpp"

#include <cerrno>
#include <gtest/gtest.h>

namespace zlink::connections {
namespace {

using runtime::log_level;

const std::chrono::system_clock::time_point moment{std::chrono::microseconds(1'700'000'000'000'042)};

logged_event logged(const socket_event &event) {
    return {event, socket_type::pull, 7, moment, 4711};
}

TEST(event_log, writes_a_line_of_text) {
    const socket_event accepted{event_kind::accepted, 12, "tcp://127.0.0.1:5555", "tcp://127.0.0.1:40000"};
    EXPECT_EQ(text_line(logged(accepted)),
              "2023-11-14T22:13:20.000042Z zlink[4711] info accepted socket=PULL#7 "
              "local=tcp://127.0.0.1:5555 remote=tcp://127.0.0.1:40000 descriptor=12");
    const socket_event failed{event_kind::bind_failed, EADDRINUSE, "127.0.0.1:5555"};
    EXPECT_EQ(text_line(logged(failed)), "2023-11-14T22:13:20.000042Z zlink[4711] error bind_failed "
                                         "socket=PULL#7 local=127.0.0.1:5555 errno=98 "
                                         "reason=\"Address already in use\"");
}

TEST(event_log, writes_an_object_of_json) {
    const socket_event failed{event_kind::accept_failed, EUSERS, "tcp://127.0.0.1:5555"};
    EXPECT_EQ(json_line(logged(failed)),
              R"({"time":"2023-11-14T22:13:20.000042Z","level":"warning","pid":4711,)"
              R"("event":"accept_failed","type":"PULL","socket":7,"local":"tcp://127.0.0.1:5555",)"
              R"("remote":"","errno":87,"reason":"Too many users"})");
    const socket_event done{event_kind::handshake_succeeded};
    EXPECT_EQ(json_line(logged(done)), R"({"time":"2023-11-14T22:13:20.000042Z","level":"info","pid":4711,)"
                                       R"("event":"handshake_succeeded","type":"PULL","socket":7,"local":"",)"
                                       R"("remote":""})");
}

TEST(event_log, says_why) {
    const auto ends = [](const socket_event &event, const std::string &text) {
        EXPECT_TRUE(text_line(logged(event)).ends_with(text)) << text_line(logged(event));
    };
    socket_event ended{event_kind::disconnected, 5};
    ended.reason = closed_reason::heartbeat;
    ends(ended, " disconnected socket=PULL#7 descriptor=5 reason=\"heartbeat\"");
    ends({event_kind::handshake_failed_protocol, 0x11000002},
         " code=285212674 reason=\"the mechanisms differ\"");
    ends({event_kind::handshake_failed_auth, 400}, " code=400 reason=\"the ZAP handler refuses the peer\"");
    ends({event_kind::handshake_failed_auth, 10107}, " code=10107 reason=\"A certificate of the peer has expired\"");
    ends({event_kind::handshake_failed_protocol, 7}, " code=7");
    ends({event_kind::handshake_failed_no_detail, EPIPE}, " errno=32 reason=\"Broken pipe\"");
    ends({event_kind::connect_retried, 120}, " connect_retried socket=PULL#7 after_ms=120");
}

TEST(event_log, says_how_many_lines_were_left_out) {
    EXPECT_EQ(left_out_line(9900, false, moment, 4711),
              "2023-11-14T22:13:20.000042Z zlink[4711] warning lines_left_out count=9900");
    EXPECT_EQ(left_out_line(9900, true, moment, 4711),
              R"({"time":"2023-11-14T22:13:20.000042Z","level":"warning","pid":4711,)"
              R"("event":"lines_left_out","count":9900})");
}

TEST(event_log, cuts_long_endpoints) {
    const socket_event long_one{event_kind::listening, 3, std::string(100'000, 'x')};
    EXPECT_LT(text_line(logged(long_one)).size(), 1000U);
    EXPECT_LT(json_line(logged(long_one)).size(), 1000U);
}

TEST(event_log, lets_no_endpoint_end_a_line_or_a_text) {
    const socket_event wicked{event_kind::listening, 3, "ipc://a\n\"b\\\xFF"};
    for (const std::string &line : {text_line(logged(wicked)), json_line(logged(wicked))}) {
        EXPECT_NE(line.find("ipc://a\\u000a\\u0022b\\u005c\\u00ff"), std::string::npos) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos);
    }
    const socket_event spaced{event_kind::listening, 3, "ipc://a descriptor=4"};
    EXPECT_NE(text_line(logged(spaced)).find(" local=ipc://a\\u0020descriptor=4 descriptor=3"),
              std::string::npos);
}

TEST(event_log, knows_a_level_for_each_event_of_a_connection) {
    EXPECT_EQ(level_of({event_kind::bind_failed}), log_level::error);
    EXPECT_EQ(level_of({event_kind::handshake_failed_auth}), log_level::warning);
    EXPECT_EQ(level_of({event_kind::disconnected}), log_level::info);
    EXPECT_EQ(level_of({event_kind::connect_retried}), log_level::debug);
    EXPECT_EQ(level_of({event_kind::closed, 3, "tcp://127.0.0.1:5555"}), log_level::info); // a listener
    EXPECT_EQ(level_of({event_kind::closed, 3, "", "tcp://127.0.0.1:5555", true}), log_level::debug);
    EXPECT_EQ(level_of({event_kind::pipes_stats}), log_level::off);
    EXPECT_EQ(level_of({event_kind::monitor_stopped}), log_level::off);
}

} // namespace
} // namespace zlink::connections
