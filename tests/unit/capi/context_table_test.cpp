// SPDX-License-Identifier: MPL-2.0
// Holds every row of tests/exports/api_context_options.txt against the library. A row says who may set and
// read the option, its values, and its default. Numbers without a row are checked too.
#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <map>
#include <string>
#include <vector>

#include "unit/capi/table_rows.hpp"
#include "zmq.h"

namespace {

struct row {
    int number = 0;
    std::string name, access, kind, range, initial;

    [[nodiscard]] bool settable() const { return access.find('S') != std::string::npos; }
    [[nodiscard]] bool gettable() const { return access.find('G') != std::string::npos; }
    [[nodiscard]] int least() const { return std::stoi(range.substr(0, range.find(".."))); }
    [[nodiscard]] int most() const { return std::stoi(range.substr(range.find("..") + 2)); }
};

std::vector<row> table() {
    return zlink::table_rows<row>(
        ZLINK_REPOSITORY "/tests/exports/api_context_options.txt", [](std::istream &words, row &next) {
            words >> next.number >> next.name >> next.access >> next.kind >> next.range >> next.initial;
        });
}

class context_table : public testing::Test {
  protected:
    ~context_table() override { EXPECT_EQ(zmq_ctx_term(context_), 0); }
    int set(int number, int value) { return zmq_ctx_set(context_, number, value) == 0 ? 0 : errno; }

    void check_set(const row &option) {
        for (const int value : {option.least(), option.most()}) {
            EXPECT_EQ(set(option.number, value), 0) << value;
            if (option.gettable()) {
                const int read = option.kind == "truth" ? int{value != 0} : value;
                EXPECT_EQ(zmq_ctx_get(context_, option.number), read);
            }
        }
        EXPECT_EQ(set(option.number, option.least() - 1), EINVAL);
    }
    void check_text(const row &option) {
        char room[32] = "?";
        std::size_t used = sizeof room;
        EXPECT_EQ(zmq_ctx_get_ext(context_, option.number, room, &used), 0);
        EXPECT_EQ(std::string(room), option.initial == "empty" ? "" : option.initial);
        const auto most = static_cast<std::size_t>(option.most());
        const std::string longest(most, 't'), longer(most + 1, 't');
        EXPECT_EQ(zmq_ctx_set_ext(context_, option.number, longest.data(), longest.size()), 0);
        used = sizeof room;
        EXPECT_EQ(zmq_ctx_get_ext(context_, option.number, room, &used), 0);
        EXPECT_EQ(std::string(room), longest);
        EXPECT_EQ(zmq_ctx_set_ext(context_, option.number, longer.data(), longer.size()), -1);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_EQ(zmq_ctx_set_ext(context_, option.number, "", 0), -1);
    }

    void *context_ = zmq_ctx_new();
};

TEST_F(context_table, rows_hold) {
    std::size_t rows = 0;
    for (const row &option : table()) {
        SCOPED_TRACE(std::to_string(option.number) + " " + option.name);
        ++rows;
        if (option.gettable() && option.kind != "text") {
            EXPECT_EQ(zmq_ctx_get(context_, option.number), std::stoi(option.initial));
        }
        if (option.kind == "int" || option.kind == "truth")
            check_set(option);
        else if (option.kind == "text")
            check_text(option);
    }
    EXPECT_EQ(rows, 13U);
}

TEST_F(context_table, what_is_only_set_or_only_read_is_refused_the_other_way) {
    std::map<int, std::string> access; // two options may share a number
    for (const row &option : table())
        access[option.number] += option.access;
    for (const auto &[number, ways] : access) {
        SCOPED_TRACE(number);
        if (ways.find('G') == std::string::npos) {
            EXPECT_EQ(zmq_ctx_get(context_, number), -1);
            EXPECT_EQ(errno, EINVAL);
        }
        if (ways.find('S') == std::string::npos) {
            for (const int value : {0, 1, 64})
                EXPECT_EQ(set(number, value), EINVAL);
        }
    }
}

TEST_F(context_table, numbers_without_a_row_are_refused) {
    std::map<int, bool> known;
    for (const row &option : table())
        known[option.number] = true;
    for (int number = -1; number <= 160; ++number) {
        if (known.contains(number))
            continue;
        EXPECT_EQ(set(number, 1), EINVAL) << number;
        EXPECT_EQ(zmq_ctx_get(context_, number), -1) << number;
        EXPECT_EQ(errno, EINVAL) << number;
    }
}

} // namespace
