// SPDX-License-Identifier: MPL-2.0
// Layers of a stream: one that adds a number to each byte, reads ahead, and holds what it was given.
#include "transport/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "transport/transports.hpp"

namespace zlink::transport {
namespace {

class shifting_layer final : public stream_layer {
  public:
    explicit shifting_layer(std::uint8_t by) : by_(by) {}

    io_result receive(stream &on, std::span<std::uint8_t> room) noexcept override {
        if (ahead_.empty()) {
            std::array<std::uint8_t, 1024> bytes;
            const io_result got = receive_below(on, bytes);
            if (got.status != io_status::ok)
                return got;
            ahead_.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got.bytes));
        }
        const std::size_t size = std::min(room.size(), ahead_.size());
        for (std::size_t at = 0; at < size; ++at)
            room[at] = static_cast<std::uint8_t>(ahead_[at] - by_);
        ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(size));
        return {io_status::ok, size};
    }
    io_result send(stream &, std::span<const byte_range> pieces) noexcept override {
        std::size_t taken = 0;
        for (const byte_range &piece : pieces) {
            for (std::size_t at = 0; at < piece.size; ++at)
                held_.push_back(static_cast<std::uint8_t>(piece.data[at] + by_));
            taken += piece.size;
        }
        return {io_status::ok, taken};
    }
    bool has_buffered() const noexcept override { return !ahead_.empty(); }
    bool holds_output() const noexcept override { return !held_.empty(); }
    io_status flush(stream &on) noexcept override {
        while (!held_.empty()) {
            const io_result put = send_below(on, {held_.data(), held_.size()});
            if (put.status != io_status::ok)
                return put.status;
            held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(put.bytes));
        }
        return io_status::ok;
    }

  private:
    std::uint8_t by_;
    std::vector<std::uint8_t> ahead_;
    std::vector<std::uint8_t> held_;
};

class stream_layers : public ::testing::Test {
  protected:
    stream_layers() {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_), 0);
        EXPECT_TRUE(stream_.assign(ends_[0], AF_UNIX));
    }
    ~stream_layers() override { ::close(ends_[1]); }

    boost::asio::io_context context_;
    stream stream_{context_, *find_transport("ipc")};
    int ends_[2] = {-1, -1};
    std::array<std::uint8_t, 16> room_{};
};

TEST_F(stream_layers, what_was_read_ahead_is_told_of_until_it_is_received) {
    stream_.add_layer(std::make_unique<shifting_layer>(std::uint8_t{1}));
    EXPECT_FALSE(stream_.has_buffered());
    ASSERT_EQ(::send(ends_[1], "\1\2\3\4\5\6", 6, 0), 6);
    ASSERT_EQ(stream_.receive(std::span(room_).first(2)).bytes, 2U);
    EXPECT_TRUE(stream_.has_buffered());
    EXPECT_EQ(room_[1], 1);
    const std::span all(room_);
    EXPECT_EQ(stream_.receive(all.first(1), all.subspan(1, 1), all.subspan(2)).bytes, 4U)
        << "one part after the other";
    EXPECT_EQ(room_[0], 2);
    EXPECT_EQ(room_[3], 5);
    EXPECT_FALSE(stream_.has_buffered());
    EXPECT_EQ(stream_.receive(all).status, io_status::again);
    ::shutdown(ends_[1], SHUT_WR);
    EXPECT_EQ(stream_.receive(all.first(1), all.subspan(1), {}).status, io_status::closed);
}

TEST_F(stream_layers, a_limit_of_one_receive_holds_for_a_layer) {
    stream_.add_layer(std::make_unique<shifting_layer>(std::uint8_t{1}));
    stream_.follow({.most_received = 3});
    ASSERT_EQ(::send(ends_[1], "123456", 6, 0), 6);
    const std::span all(room_);
    EXPECT_EQ(stream_.receive(all).bytes, 3U);
    EXPECT_EQ(stream_.receive(all.first(1), all.subspan(1, 1), all.subspan(2)).bytes, 3U);
}

TEST_F(stream_layers, held_bytes_leave_when_they_are_flushed_through_all_layers) {
    stream_.add_layer(std::make_unique<shifting_layer>(std::uint8_t{1}));
    stream_.add_layer(std::make_unique<shifting_layer>(std::uint8_t{10}));
    stream_.follow({}); // as a connection does when it begins
    const std::array<std::uint8_t, 3> bytes{1, 2, 3};
    const std::array<byte_range, 1> piece{{{bytes.data(), bytes.size()}}};
    ASSERT_EQ(stream_.send(piece).bytes, 3U);
    EXPECT_TRUE(stream_.holds_output());
    EXPECT_EQ(::recv(ends_[1], room_.data(), room_.size(), 0), -1);
    EXPECT_EQ(stream_.flush(), io_status::ok);
    EXPECT_FALSE(stream_.holds_output());
    ASSERT_EQ(::recv(ends_[1], room_.data(), room_.size(), 0), 3);
    EXPECT_EQ(room_[0], 12);
    EXPECT_EQ(room_[2], 14);
}

TEST_F(stream_layers, a_stream_takes_its_layers_along) {
    stream_.add_layer(std::make_unique<shifting_layer>(std::uint8_t{1}));
    stream moved(std::move(stream_));
    ASSERT_EQ(::send(ends_[1], "b", 1, 0), 1);
    ASSERT_EQ(moved.receive(room_).bytes, 1U);
    EXPECT_EQ(room_[0], 'a');
    EXPECT_FALSE(moved.copied_by_tcp());
}

TEST_F(stream_layers, without_a_layer_nothing_is_buffered_or_held) {
    ASSERT_EQ(::send(ends_[1], "abc", 3, 0), 3);
    EXPECT_EQ(stream_.receive(std::span(room_).first(1)).bytes, 1U);
    EXPECT_FALSE(stream_.has_buffered());
    EXPECT_FALSE(stream_.holds_output());
    EXPECT_EQ(stream_.flush(), io_status::ok);
}

} // namespace
} // namespace zlink::transport
