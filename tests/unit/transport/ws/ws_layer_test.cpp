// SPDX-License-Identifier: MPL-2.0
// The layer of ws on a stream: frames of all sizes go through a buffer that is often full, into rooms of any
// size. Large bodies take one system call each way.
#include "transport/ws/ws_layer.hpp"

#include <algorithm>
#include <array>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "counters/layout.hpp"
#include "transport/stream.hpp"
#include "transport/transports.hpp"
#include "ws_bytes.hpp"

namespace zlink::transport {
namespace {

using namespace test;

const std::string greeting(zmtp_greeting_size, 'g');
const std::string ready = zmtp_frame(4, "\5READY\x0bSocket-Type\0\0\0\4PUSH"s);
const std::string ping = zmtp_frame(4, "\4PING\0\0"s);
const std::string pong = "\4\5\4PONG"s;
constexpr std::size_t header_and_body = 9 + 65536;

// Gives the same numbers in each run.
class numbers {
  public:
    explicit numbers(std::uint32_t seed) : last_(seed) {}
    std::size_t below(std::size_t most) {
        last_ = last_ * 1664525 + 1013904223;
        return (last_ >> 8U) % most;
    }

  private:
    std::uint32_t last_;
};

class ws_layers : public ::testing::TestWithParam<ws_side> {
  protected:
    ws_layers() {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_), 0);
        EXPECT_TRUE(from_.assign(ends_[0], AF_UNIX));
        EXPECT_TRUE(to_.assign(ends_[1], AF_UNIX));
        const ws_side other = GetParam() == ws_side::client ? ws_side::server : ws_side::client;
        from_.add_layer(std::make_unique<ws_layer>(terms_of(GetParam()), no_bytes()));
        to_.add_layer(std::make_unique<ws_layer>(terms_of(other), no_bytes()));
        from_.follow({});
        to_.follow({});
    }
    static zws_terms terms_of(ws_side side) { return {.side = side, .peer_type = "PULL", .routing_id = {}}; }
    static std::span<const std::uint8_t> no_bytes() { return {}; }
    // Sends what fits of at most `most` bytes from `at` on, in two pieces.
    std::size_t send(const std::string &all, std::size_t at, std::size_t most) {
        const auto bytes = bytes_of(all).subspan(at, std::min(most, all.size() - at));
        const std::size_t first = std::min<std::size_t>(bytes.size(), 9);
        const std::array<byte_range, 2> pieces{
            {{bytes.data(), first}, {bytes.data() + first, bytes.size() - first}}};
        const io_result put = from_.send(pieces);
        EXPECT_NE(put.status, io_status::closed);
        return put.status == io_status::ok ? put.bytes : 0;
    }
    // Receives into parts of these sizes, and adds the bytes to `all`.
    std::size_t receive(std::string &all, std::size_t front, std::size_t body, std::size_t log) {
        std::vector<std::uint8_t> room(front + body + log);
        const std::span whole(room);
        const io_result got =
            to_.receive(whole.first(front), whole.subspan(front, body), whole.subspan(front + body));
        EXPECT_NE(got.status, io_status::closed);
        const std::size_t bytes = got.status == io_status::ok ? got.bytes : 0;
        all += text_of(whole.first(bytes));
        return bytes;
    }
    // Sends all of it, and returns what is received.
    std::string pass(const std::string &all, std::uint32_t seed) {
        numbers random(seed);
        std::string received;
        for (std::size_t at = 0, idle = 0; at < all.size() || from_.holds_output() || idle < 2;) {
            const std::size_t sent = at < all.size() ? send(all, at, 1 + random.below(300'000)) : 0;
            at += sent;
            EXPECT_NE(from_.flush(), io_status::closed);
            EXPECT_NE(to_.flush(), io_status::closed);
            const std::size_t got =
                receive(received, random.below(20), random.below(200'000), 1 + random.below(1000));
            idle = sent + got == 0 ? idle + 1 : 0;
            if (idle > 1000)
                break;
        }
        return received;
    }

    boost::asio::io_context context_;
    stream from_{context_, *find_transport("ipc")};
    stream to_{context_, *find_transport("ipc")};
    int ends_[2] = {-1, -1};
};

TEST_P(ws_layers, frames_of_all_sizes_pass_whole_through_a_full_buffer) {
    for (std::uint32_t seed = 1; seed < 9; ++seed) {
        numbers random(seed);
        std::string sent = seed == 1 ? greeting + ready : ""s;
        std::string expected = seed == 1 ? ready : ""s;
        for (int count = 0; count < 60; ++count) {
            const std::size_t most = std::array<std::size_t, 4>{100, 300, 20'000, 400'000}[random.below(4)];
            std::string body(random.below(most), '\0');
            for (char &byte : body)
                byte = static_cast<char>(random.below(256));
            const std::string frame = zmtp_frame(static_cast<char>(random.below(2)), body);
            sent += frame;
            expected += frame;
            if (random.below(5) == 0) {
                sent += ping;
                expected += pong;
            }
        }
        std::string received = pass(sent, seed);
        if (seed == 1)
            received.erase(0, zmtp_greeting_size);
        ASSERT_EQ(received.size(), expected.size()) << seed;
        ASSERT_TRUE(received == expected) << seed;
    }
}

TEST_P(ws_layers, a_large_body_and_its_header_take_one_call_each_way) {
    const std::string message = zmtp_frame(0, std::string(65536, 'b'));
    std::string received;
    counters::pipe_record counts{};
    ASSERT_EQ(send(greeting + ready, 0, 1000), greeting.size() + ready.size());
    ASSERT_EQ(receive(received, 0, 0, 1000), greeting.size() + ready.size());
    from_.count_calls(&counts);
    to_.count_calls(&counts);
    for (int count = 1; count < 6; ++count) {
        ASSERT_EQ(send(message, 0, message.size()), message.size());
        EXPECT_EQ(counts.send_calls.get(), static_cast<std::uint64_t>(count));
        if (count == 1) { // as a reader that has seen the beginning of the first body
            ASSERT_EQ(receive(received, 0, 0, 512), 512U);
            continue;
        }
        const std::uint64_t before = counts.receive_calls.get();
        ASSERT_EQ(receive(received, 0, header_and_body - 512, 512), header_and_body);
        EXPECT_EQ(counts.receive_calls.get(), before + 1) << count;
    }
    from_.count_calls(nullptr);
    to_.count_calls(nullptr);
}

INSTANTIATE_TEST_SUITE_P(sides, ws_layers, ::testing::Values(ws_side::client, ws_side::server));

} // namespace
} // namespace zlink::transport
