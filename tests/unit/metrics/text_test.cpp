// SPDX-License-Identifier: MPL-2.0
#include "metrics/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zlink::metrics {
namespace {

using counters::snapshot;
using counters::subject_kind;
using testing::HasSubstr;
using testing::Not;

snapshot with_a_socket(std::uint32_t pid, const std::string &endpoint) {
    return {pid,
            0,
            "program",
            {{subject_kind::context, 1, 0, {}, {}},
             {subject_kind::socket,
              7,
              0,
              {{"sent.messages", 5}, {"send_blocked.time", 1'500'000'000}},
              {{"type", "PUB"}, {"endpoint", endpoint}}}}};
}

TEST(metrics_text, a_counter_has_its_type_and_its_labels) {
    const snapshot one = with_a_socket(42, "tcp://127.0.0.1:5555");
    EXPECT_THAT(
        text_of(std::span(&one, 1)),
        HasSubstr("# TYPE zlink_sent_messages_total counter\n"
                  "zlink_sent_messages_total{pid=\"42\",program=\"program\",context=\"0\",socket=\"7\","
                  "type=\"PUB\",endpoint=\"tcp://127.0.0.1:5555\"} 5\n"));
}

TEST(metrics_text, times_are_in_seconds) {
    const snapshot one = with_a_socket(42, "");
    EXPECT_THAT(text_of(std::span(&one, 1)), HasSubstr("endpoint=\"\"} 1.500000000\n"));
}

TEST(metrics_text, contexts_of_a_process_have_numbers) {
    const snapshot all[] = {with_a_socket(1, ""), with_a_socket(2, ""), with_a_socket(1, "")};
    const std::string text = text_of(all);
    EXPECT_THAT(text, HasSubstr("pid=\"1\",program=\"program\",context=\"1\""));
    EXPECT_THAT(text, Not(HasSubstr("pid=\"2\",program=\"program\",context=\"1\"")));
}

// A name of ipc may have any byte: none of them may end the value or the line.
TEST(metrics_text, labels_are_escaped) {
    const snapshot one = with_a_socket(1, "ipc://a\"b\\c\nd\x7f");
    EXPECT_THAT(text_of(std::span(&one, 1)), HasSubstr(R"(endpoint="ipc://a\"b\\c\\x0ad\\x7f"})"));
}

TEST(metrics_text, a_name_stands_once) {
    const snapshot all[] = {with_a_socket(1, ""), with_a_socket(2, "")};
    const std::string text = text_of(all);
    for (const char *name : {"zlink_dropped_messages_total", "zlink_queued_messages", "zlink_queued_bytes",
                             "zlink_replayed_messages_total", "zlink_heartbeats_missed_total"}) {
        const std::string line = std::string("# TYPE ") + name + ' ';
        EXPECT_EQ(text.find(line), text.rfind(line));
        EXPECT_NE(text.find(line), std::string::npos);
    }
}

} // namespace
} // namespace zlink::metrics
