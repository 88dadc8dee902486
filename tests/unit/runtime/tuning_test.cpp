// SPDX-License-Identifier: MPL-2.0
#include "runtime/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace zlink::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using environment = std::map<std::string, std::string>;

struct reading {
    tuning found;
    std::vector<std::string> refused;
};

reading read(const environment &variables) {
    reading done;
    done.found = read_tuning(
        [&](const char *name) {
            const auto place = variables.find(name);
            return place == variables.end() ? nullptr : place->second.c_str();
        },
        [&](const tuning_row &row, const char *text) {
            done.refused.push_back(std::string(row.name) + "=" + text);
        });
    return done;
}

tuning accepted(const std::string &name, const std::string &text) {
    const reading done = read({{name, text}});
    EXPECT_THAT(done.refused, IsEmpty());
    return done.found;
}

TEST(tuning, an_empty_environment_and_empty_values_are_the_defaults) {
    environment blank;
    for (const tuning_row &row : tuning_rows())
        blank[row.name] = "";
    for (const environment &variables : {environment{}, blank}) {
        const reading done = read(variables);
        EXPECT_EQ(done.found, tuning{});
        EXPECT_THAT(done.refused, IsEmpty());
    }
}

TEST(tuning, the_default_of_a_row_is_a_value_and_changes_nothing) {
    for (const tuning_row &row : tuning_rows())
        EXPECT_EQ(accepted(row.name, std::string(row.standard)), tuning{}) << row.name;
}

TEST(tuning, every_row_sets_its_field) {
    EXPECT_FALSE(accepted("ZMQ_ASIO_TCP_NODELAY", "0").tcp_nodelay);
    EXPECT_EQ(accepted("ZMQ_ASIO_TCP_QUICKACK", "0").tcp_quickack, false);
    EXPECT_EQ(accepted("ZMQ_ASIO_TCP_QUICKACK", "1").tcp_quickack, true);
    EXPECT_EQ(accepted("ZMQ_ASIO_TCP_BUSY_POLL", "50").tcp_busy_poll_us, 50);
    EXPECT_EQ(accepted("ZMQ_ASIO_TCP_SYNC_WRITE", "0").tcp_sync_write, sync_writing::by_io_thread);
    EXPECT_EQ(accepted("ZMQ_ASIO_TCP_SYNC_WRITE", "1").tcp_sync_write, sync_writing::by_sender);
    EXPECT_EQ(accepted("ZMQ_ASIO_TCP_SYNC_WRITE", "router").tcp_sync_write, sync_writing::by_routers);
    EXPECT_EQ(accepted("ZMQ_IN_BATCH_SIZE", "1").in_batch_bytes, 1U);
    EXPECT_EQ(accepted("ZMQ_OUT_BATCH_SIZE", "131072").out_batch_bytes, 131072U);
    EXPECT_EQ(accepted("ZMQ_ASIO_MIN_OUT_BATCH", "4096").min_out_batch_bytes, 4096U);
    EXPECT_EQ(accepted("ZMQ_ASIO_IOCTX_MODE", "run_for").io_loop, loop_mode::run_for);
    EXPECT_EQ(accepted("ZMQ_ASIO_IOCTX_MODE", "poll").io_loop, loop_mode::poll);
    EXPECT_EQ(accepted("ZLINK_SPIN_US", "0").spin_us, 0U);
    EXPECT_EQ(accepted("ZLINK_SPIN_US", "20").spin_us, 20U);
    EXPECT_FALSE(accepted("ZLINK_STREAMS", "0").streams);
    EXPECT_EQ(accepted("ZLINK_IN_TURN", "65536").in_turn_bytes, 65536U);
}

TEST(tuning, a_row_sets_one_field_only) {
    const reading done = read({{"ZLINK_SPIN_US", "7"}, {"ZMQ_ASIO_TCP_NODELAY", "0"}});
    tuning expected;
    expected.spin_us = 7;
    expected.tcp_nodelay = false;
    EXPECT_EQ(done.found, expected);
}

TEST(tuning, wrong_values_are_told_and_ignored) {
    const environment wrong{
        {"ZMQ_ASIO_TCP_NODELAY", "yes"},     {"ZMQ_ASIO_TCP_QUICKACK", "2"},
        {"ZMQ_ASIO_TCP_BUSY_POLL", "-1"},    {"ZMQ_ASIO_TCP_SYNC_WRITE", "AUTO"},
        {"ZMQ_ASIO_IOCTX_MODE", "0"},        {"ZLINK_IN_TURN", "1023"},
        {"ZMQ_ASIO_MIN_OUT_BATCH", "4096 "}, {"ZLINK_SPIN_US", "1e3"},
        {"ZMQ_IN_BATCH_SIZE", "0"},          {"ZMQ_OUT_BATCH_SIZE", "99999999999999999999"}};
    const reading done = read(wrong);
    EXPECT_EQ(done.found, tuning{});
    std::vector<std::string> told;
    for (const auto &[name, text] : wrong)
        told.push_back(name + "=" + text);
    EXPECT_THAT(done.refused, ::testing::UnorderedElementsAreArray(told));
}

TEST(tuning, a_wrong_value_leaves_the_others) {
    const reading done = read({{"ZLINK_SPIN_US", "often"}, {"ZMQ_OUT_BATCH_SIZE", "2048"}});
    EXPECT_THAT(done.refused, ElementsAre("ZLINK_SPIN_US=often"));
    EXPECT_EQ(done.found.out_batch_bytes, 2048U);
    EXPECT_EQ(done.found.spin_us, std::nullopt);
}

TEST(tuning, the_ends_of_a_range_belong_to_it) {
    for (const tuning_row &row : tuning_rows()) {
        if (row.low > row.high)
            continue;
        EXPECT_EQ(parse_tuning(row, std::to_string(row.low)), row.low) << row.name;
        EXPECT_EQ(parse_tuning(row, std::to_string(row.high)), row.high) << row.name;
        EXPECT_EQ(parse_tuning(row, std::to_string(row.low - 1)), std::nullopt) << row.name;
        EXPECT_EQ(parse_tuning(row, std::to_string(row.high + 1)), std::nullopt) << row.name;
    }
}

TEST(tuning, names_are_unique_and_have_a_known_beginning) {
    std::set<std::string> names;
    for (const tuning_row &row : tuning_rows()) {
        const std::string name = row.name;
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_TRUE(name.starts_with("ZMQ_") || name.starts_with("ZLINK_")) << name;
    }
}

// Runs in a process of its own: the environment is read once.
void look_twice() {
    ::setenv("ZLINK_SPIN_US", "often", 1);
    ::setenv("ZMQ_OUT_BATCH_SIZE", "4096", 1);
    const tuning &first = process_tuning();
    ::setenv("ZMQ_OUT_BATCH_SIZE", "8192", 1);
    const tuning &second = process_tuning();
    std::_Exit(&first == &second && first.out_batch_bytes == 4096 && !first.spin_us ? 0 : 1);
}

TEST(tuning_death, the_process_reads_once_and_tells_once) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(look_twice(), ::testing::ExitedWithCode(0),
                ::testing::MatchesRegex(
                    "zlink: ZLINK_SPIN_US=often: [a-z ]+[(]adaptive, 0 to 1000000[)]; ignored\n"));
}

// ---- the document

std::string accepts(const tuning_row &row) {
    std::string text;
    for (const tuning_word &word : row.words)
        text += (text.empty() ? "`" : ", `") + std::string(word.text) + "`";
    if (row.low > row.high)
        return text;
    const bool two = row.high == row.low + 1;
    const std::string range = std::to_string(row.low) + (two ? ", " : " to ") + std::to_string(row.high);
    return text.empty() ? range : text + ", " + range;
}

std::string documented(const tuning_row &row) {
    std::string unit(row.unit);
    return "| `" + std::string(row.name) + "` | " + std::string(row.meaning) + " | " + accepts(row) + " | " +
           std::string(row.standard) + " | " + (unit.empty() ? "" : unit + " ") + "|";
}

TEST(tuning_document, its_table_is_the_table) {
    std::ifstream file(ZLINK_REPOSITORY "/docs/api/tuning.md");
    ASSERT_TRUE(file.good());
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("| `"))
            found.push_back(line);
    std::vector<std::string> expected;
    std::string whole;
    for (const tuning_row &row : tuning_rows()) {
        expected.push_back(documented(row));
        whole += expected.back() + "\n";
    }
    EXPECT_EQ(found, expected) << "the rows of docs/api/tuning.md have to be:\n" << whole;
}

} // namespace
} // namespace zlink::runtime
