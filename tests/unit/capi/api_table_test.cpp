// SPDX-License-Identifier: MPL-2.0
// Holds every row of tests/exports/api_options.txt against the library, on every socket type. A row says who
// may set and read the option, its values, and its default. Numbers without a row are checked too.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "unit/capi/table_rows.hpp"
#include "zmq.h"

namespace {

constexpr int last_number = 160;
const std::vector<std::string> type_names = {
    "PAIR",   "PUB",    "SUB",    "REQ",   "REP",  "DEALER", "ROUTER",  "PULL",  "PUSH", "XPUB",   "XSUB",
    "STREAM", "SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM", "PEER", "CHANNEL"};

struct row {
    int number = 0;
    std::string name, access, kind, range, initial, types;

    [[nodiscard]] bool settable() const { return access.find('S') != std::string::npos; }
    [[nodiscard]] bool gettable() const { return access.find_first_of("GA") != std::string::npos; }
    [[nodiscard]] bool gettable_from(const std::string &type) const {
        return access.find('A') != std::string::npos || (gettable() && is_for(type));
    }
    [[nodiscard]] bool is_for(const std::string &type) const {
        return types == "all" || ("," + types + ",").find("," + type + ",") != std::string::npos;
    }
    [[nodiscard]] bool of_int() const {
        return kind == "int" || kind == "bool" || kind == "truth" || kind == "count";
    }
    // Either bound may be missing.
    [[nodiscard]] std::optional<long long> least() const { return bound(range.substr(0, dots())); }
    [[nodiscard]] std::optional<long long> most() const {
        return dots() == std::string::npos ? std::nullopt : bound(range.substr(dots() + 2));
    }

  private:
    [[nodiscard]] std::size_t dots() const { return range.find(".."); }
    static std::optional<long long> bound(const std::string &text) {
        return text.empty() || text == "-" ? std::nullopt : std::optional(std::stoll(text));
    }
};

std::vector<row> table() {
    return zlink::table_rows<row>(ZLINK_REPOSITORY "/tests/exports/api_options.txt",
                                  [](std::istream &words, row &next) {
                                      words >> next.number >> next.name >> next.access >> next.kind >>
                                          next.range >> next.initial >> next.types;
                                  });
}

// A fresh socket for each question: what was set before must not matter.
class api_table : public testing::TestWithParam<int> {
  protected:
    ~api_table() override { EXPECT_EQ(zmq_ctx_term(context_), 0); }

    // errno, or 0.
    int set(const row &option, const void *value, std::size_t size) {
        return with_socket([&](void *socket) { return zmq_setsockopt(socket, option.number, value, size); });
    }
    int set(const row &option, long long value) {
        const int number = static_cast<int>(value);
        return set(option, &number, sizeof number);
    }
    // The bytes that are read after a set.
    std::string read(const row &option, const void *value = nullptr, std::size_t size = 0) {
        std::array<char, 512> room{};
        std::size_t used = room_for(option, room.size());
        EXPECT_EQ(with_socket([&](void *socket) {
                      if (value != nullptr && zmq_setsockopt(socket, option.number, value, size) != 0)
                          return -1;
                      return zmq_getsockopt(socket, option.number, room.data(), &used);
                  }),
                  0);
        return {room.data(), used};
    }

    void check_get(const row &option);
    void check_set(const row &option);
    void check_int(const row &option);
    void check_wide(const row &option);
    void check_bytes(const row &option);
    void check_refused(const row &option);

    [[nodiscard]] const std::string &type() const { return type_names[static_cast<std::size_t>(GetParam())]; }

  private:
    static std::size_t room_for(const row &option, std::size_t most) {
        if (option.of_int() || option.number == ZMQ_HEARTBEAT_TTL)
            return sizeof(int);
        return option.kind == "u64" || option.kind == "i64" ? sizeof(std::uint64_t) : most;
    }
    template <class Question> int with_socket(Question &&question) {
        void *socket = zmq_socket(context_, GetParam());
        EXPECT_NE(socket, nullptr);
        const int code = question(socket) < 0 ? errno : 0;
        zmq_close(socket);
        return code;
    }

    void *context_ = zmq_ctx_new();
};

template <class Number> std::string bytes_of(Number number) {
    return {reinterpret_cast<const char *>(&number), sizeof number};
}

void api_table::check_get(const row &option) {
    if (option.kind == "set" && option.initial == "-")
        return; // keys: of forms of their own
    const std::string value = read(option);
    if (option.initial == "-")
        return;
    if (option.initial == "empty")
        EXPECT_EQ(value, option.kind == "text" ? std::string(1, '\0') : std::string());
    else if (option.kind == "u64" || option.kind == "i64")
        EXPECT_EQ(value, bytes_of<std::int64_t>(std::stoll(option.initial)));
    else
        EXPECT_EQ(value, bytes_of(std::stoi(option.initial)));
}

void api_table::check_int(const row &option) {
    const long long least = option.least().value(), most = option.most().value();
    for (const long long accepted : {least, most}) {
        EXPECT_EQ(set(option, accepted), 0) << accepted;
        if (!option.gettable())
            continue;
        const int given = static_cast<int>(accepted);
        const int expected = option.kind == "truth" ? (given != 0 ? 1 : 0) : given;
        EXPECT_EQ(read(option, &given, sizeof given), bytes_of(expected)) << accepted;
    }
    if (least > INT_MIN) {
        EXPECT_EQ(set(option, least - 1), EINVAL);
    }
    if (most < INT_MAX) {
        EXPECT_EQ(set(option, most + 1), EINVAL);
    }
    const std::array<char, 9> other{};
    for (const std::size_t size : {0U, 1U, 3U, 5U, 8U})
        EXPECT_EQ(set(option, other.data(), size), EINVAL) << "size " << size;
}

void api_table::check_wide(const row &option) {
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1}, INT64_MAX}) {
        EXPECT_EQ(set(option, &value, sizeof value), 0);
        if (option.gettable()) {
            EXPECT_EQ(read(option, &value, sizeof value), bytes_of(value));
        }
    }
    const std::array<char, 9> other{};
    for (const std::size_t size : {0U, 4U, 7U, 9U})
        EXPECT_EQ(set(option, other.data(), size), EINVAL) << "size " << size;
}

void api_table::check_bytes(const row &option) {
    const auto least = static_cast<std::size_t>(option.least().value());
    const auto most = static_cast<std::size_t>(option.most().value_or(300));
    for (const std::size_t accepted : {least, most}) {
        const std::string value(accepted, 'v');
        EXPECT_EQ(set(option, value.data(), value.size()), 0) << accepted;
        if (option.gettable()) {
            EXPECT_EQ(read(option, value.data(), value.size()), option.kind == "text" ? value + '\0' : value);
        }
    }
    const std::string value(most + 1, 'v');
    if (least > 0) {
        EXPECT_EQ(set(option, value.data(), least - 1), EINVAL);
    }
    if (option.most()) {
        EXPECT_EQ(set(option, value.data(), value.size()), EINVAL);
    }
}

void api_table::check_set(const row &option) {
    if (option.kind == "u64" || option.kind == "i64")
        check_wide(option);
    else if (option.kind == "text" || option.kind == "binary")
        check_bytes(option);
    else if (option.of_int())
        check_int(option);
}

// With values that fit many kinds of options.
void api_table::check_refused(const row &option) {
    const std::array<char, 8> zeros{};
    for (const std::size_t size : {1U, 4U, 8U})
        EXPECT_EQ(set(option, zeros.data(), size), EINVAL) << "size " << size;
    EXPECT_EQ(set(option, 1), EINVAL);
}

TEST_P(api_table, rows_hold) {
    std::map<int, bool> known;
    for (const row &option : table()) {
        SCOPED_TRACE(std::to_string(option.number) + " " + option.name + " on " + type());
        EXPECT_FALSE(std::exchange(known[option.number], true)) << "a second row";
        const bool in_reach = option.is_for(type());
        if (option.settable() && in_reach)
            check_set(option);
        else
            check_refused(option);
        std::array<char, 512> room{};
        if (option.gettable_from(type()))
            check_get(option);
        else
            for (std::size_t size : {sizeof(int), sizeof(std::int64_t), room.size()}) {
                void *context = zmq_ctx_new();
                void *socket = zmq_socket(context, GetParam());
                EXPECT_EQ(zmq_getsockopt(socket, option.number, room.data(), &size), -1);
                EXPECT_EQ(errno, EINVAL);
                zmq_close(socket);
                zmq_ctx_term(context);
            }
    }
    EXPECT_EQ(known.size(), 112U);
}

TEST_P(api_table, numbers_without_a_row_are_refused) {
    std::map<int, bool> known;
    for (const row &option : table())
        known[option.number] = true;
    for (int number = -1; number <= last_number; ++number)
        if (!known.contains(number)) {
            SCOPED_TRACE(number);
            row option;
            option.number = number;
            check_refused(option);
        }
}

INSTANTIATE_TEST_SUITE_P(of_type, api_table, testing::Range(0, 21), [](const auto &instance) {
    return type_names[static_cast<std::size_t>(instance.param)];
});

} // namespace
