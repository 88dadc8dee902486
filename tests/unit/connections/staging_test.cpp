// SPDX-License-Identifier: MPL-2.0
#include "connections/staging.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "transport/transports.hpp"

namespace zlink::connections {
namespace {

constexpr std::size_t header_size = 9;
constexpr std::size_t part = 4096;

class Staging : public ::testing::Test {
  protected:
    Staging() {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_), 0);
        EXPECT_TRUE(stream_.assign(ends_[0], AF_UNIX));
    }
    ~Staging() override { ::close(ends_[1]); }

    static std::vector<std::uint8_t> body_of(std::size_t size) {
        std::vector<std::uint8_t> body(size);
        for (std::size_t i = 0; i < size; ++i)
            body[i] = static_cast<std::uint8_t>(i * 31 + (i >> 9));
        return body;
    }
    // Reads what has arrived, at most `most` bytes.
    std::vector<std::uint8_t> arrived(std::size_t most) const {
        std::vector<std::uint8_t> all;
        std::vector<std::uint8_t> piece(most);
        ssize_t got = 0;
        while (all.size() < most && (got = ::recv(ends_[1], piece.data(), most - all.size(), 0)) > 0)
            all.insert(all.end(), piece.begin(), piece.begin() + got);
        return all;
    }
    void put(std::span<const std::uint8_t> bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(ends_[1], bytes.data(), bytes.size(), MSG_DONTWAIT);
            if (sent > 0)
                bytes = bytes.subspan(static_cast<std::size_t>(sent));
            else
                std::this_thread::yield();
        }
    }

    boost::asio::io_context context_;
    transport::stream stream_{context_, *transport::find_transport("ipc")};
    int ends_[2] = {-1, -1};
};

// Sends once: what the stream takes at a time.
std::size_t send_once(transport::stream &to, std::span<byte_range> pieces) {
    const transport::io_result put = to.send(pieces);
    return put.status == transport::io_status::ok ? put.bytes : 0;
}

TEST_F(Staging, SendsTheHeaderAndTheWholeBodyInParts) {
    const std::vector<std::uint8_t> header(header_size, 7);
    for (const std::size_t size : {std::size_t{1}, part - 1, part, part + 1, 5 * part + 7}) {
        const std::vector<std::uint8_t> body = body_of(size);
        const std::vector<byte_range> message{{header.data(), header.size()}, {body.data(), body.size()}};
        ASSERT_EQ(send_staged(stream_, message, send_once, part), header.size() + size);
        const std::vector<std::uint8_t> got = arrived(header.size() + size);
        ASSERT_EQ(got.size(), header.size() + size);
        EXPECT_TRUE(std::equal(header.begin(), header.end(), got.begin()));
        EXPECT_TRUE(std::equal(body.begin(), body.end(), got.begin() + header_size));
    }
}

TEST_F(Staging, SaysHowMuchAFullStreamTook) {
    const std::vector<std::uint8_t> header(header_size, 7);
    const std::vector<std::uint8_t> body = body_of(1000 * part + 5);
    const std::vector<byte_range> message{{header.data(), header.size()}, {body.data(), body.size()}};
    const std::size_t taken = send_staged(stream_, message, send_once, part);
    ASSERT_GT(taken, header_size + part);
    ASSERT_LT(taken, header_size + body.size());
    const std::vector<std::uint8_t> got = arrived(body.size());
    ASSERT_EQ(got.size(), taken);
    EXPECT_TRUE(std::equal(got.begin() + header_size, got.end(), body.begin()));
}

TEST_F(Staging, FillsTheRoomInItsOrder) {
    for (const std::size_t size : {part - 1, part, part + 1, 5 * part + 17, 200 * part}) {
        std::vector<std::uint8_t> sent(header_size, 7);
        const std::vector<std::uint8_t> expected = body_of(size);
        sent.insert(sent.end(), expected.begin(), expected.end());
        sent.insert(sent.end(), {1, 2, 3});
        std::thread writer([&] { put(sent); });
        std::vector<std::uint8_t> front(header_size);
        std::vector<std::uint8_t> body(size);
        std::vector<std::uint8_t> log(512);
        std::size_t got = 0;
        while (got < sent.size()) { // as a connection does: what is left of each part
            const auto left = [&](std::vector<std::uint8_t> &target, std::size_t before) {
                return std::span(target).subspan(std::clamp(got, before, before + target.size()) - before);
            };
            const receive_window::room room{left(front, 0), left(body, header_size),
                                            left(log, header_size + size)};
            const transport::io_result result = receive_staged(stream_, room, part);
            got += result.status == transport::io_status::ok ? result.bytes : 0;
        }
        writer.join();
        EXPECT_EQ(got, sent.size());
        EXPECT_EQ(front, std::vector<std::uint8_t>(header_size, 7));
        EXPECT_TRUE(body == expected) << size;
        EXPECT_EQ(log[2], 3);
        EXPECT_EQ(log[3], 0);
    }
}

TEST_F(Staging, TellsThatNothingIsThereAndThatThePeerIsGone) {
    std::vector<std::uint8_t> body(10'000);
    const receive_window::room room{{}, body, {}};
    EXPECT_EQ(receive_staged(stream_, room).status, transport::io_status::again);
    put(body_of(100));
    ASSERT_EQ(::shutdown(ends_[1], SHUT_WR), 0);
    const transport::io_result last = receive_staged(stream_, room);
    EXPECT_EQ(last.status, transport::io_status::ok);
    EXPECT_EQ(last.bytes, 100U);
    EXPECT_EQ(receive_staged(stream_, room).status, transport::io_status::closed);
}

TEST_F(Staging, IsForLargeBodiesOverTcpOnly) {
    alignas(page_bytes) static std::uint8_t memory[2 * page_bytes + 100];
    const std::uint8_t header[header_size] = {};
    const byte_range first{header, header_size};
    const std::vector<byte_range> page{first, {memory, 2 * page_bytes + 1}};
    const std::vector<byte_range> good{first, {memory + 64, 2 * page_bytes + 1}};
    const receive_window::room malloced{{},  std::span(memory).subspan(16), {}, memory + 16, header_size,
                                        true};
    receive_window::room in_row = malloced;
    in_row.alone = false;
    EXPECT_FALSE(needs_staging(stream_, page));
    EXPECT_FALSE(needs_staging(stream_, malloced));
    transport::stream tcp(context_, *transport::find_transport("tcp"));
    ASSERT_TRUE(tcp.assign(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), AF_INET));
    EXPECT_EQ(needs_staging(tcp, page), has_slow_aliased_copies());
    EXPECT_EQ(needs_staging(tcp, malloced), has_slow_aliased_copies());
    EXPECT_FALSE(needs_staging(tcp, in_row));
    tcp.follow({least_aliased_bytes - 1, least_aliased_bytes - 1, true});
    EXPECT_FALSE(needs_staging(tcp, page)) << "each call moves too little";
    EXPECT_FALSE(needs_staging(tcp, malloced)) << "each call moves too little";
    tcp.follow({});
    EXPECT_FALSE(needs_staging(tcp, good));
}

} // namespace
} // namespace zlink::connections
