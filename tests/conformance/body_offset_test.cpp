// SPDX-License-Identifier: MPL-2.0
// Large bodies at every place in a page where the kernel's copies may be slow, and at some others. Each
// body arrives, and memory around the body stays as it was.
#include "rig.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <thread>

namespace zlink::conformance {
namespace {

// A body at a chosen offset of a page, with guard bytes around it.
class placed_body {
  public:
    placed_body(std::size_t size, std::size_t offset)
        : size_(size), memory_(static_cast<std::uint8_t *>(::operator new(size + 3 * page, aligned))),
          bytes_(memory_ + page + offset) {
        std::fill_n(memory_, size + 3 * page, guard);
    }
    ~placed_body() { ::operator delete(memory_, aligned); }
    placed_body(const placed_body &) = delete;
    placed_body &operator=(const placed_body &) = delete;

    void fill(std::uint8_t seed) {
        for (std::size_t i = 0; i < size_; ++i)
            bytes_[i] = static_cast<std::uint8_t>(seed + i * 31 + (i >> 10));
    }
    [[nodiscard]] std::uint8_t *data() const { return bytes_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool equals(const placed_body &other) const {
        return std::equal(bytes_, bytes_ + size_, other.bytes_);
    }
    [[nodiscard]] bool guarded() const {
        const auto whole = [](const std::uint8_t *from, const std::uint8_t *to) {
            return std::all_of(from, to, [](std::uint8_t byte) { return byte == guard; });
        };
        return whole(memory_, bytes_) && whole(bytes_ + size_, memory_ + size_ + 3 * page);
    }

  private:
    static constexpr std::size_t page = 4096;
    static constexpr std::align_val_t aligned{page};
    static constexpr std::uint8_t guard = 0xC3;
    std::size_t size_;
    std::uint8_t *memory_;
    std::uint8_t *bytes_;
};

class body_offset : public transport_test {
  protected:
    static int send(socket &from, const placed_body &body) {
        return zmq_send(from.handle(), body.data(), body.size(), 0);
    }
    static int receive(socket &at, const placed_body &body) {
        return zmq_recv(at.handle(), body.data(), body.size(), 0);
    }
};

constexpr std::size_t offsets[] = {0, 1, 8, 9, 10, 16, 24, 25, 26, 64, 2048, 4089, 4090, 4095};

TEST_P(body_offset, bodies_go_back_and_forth_in_one_thread) {
    socket one(owner, ZMQ_PAIR);
    socket other(owner, ZMQ_PAIR);
    other.connect(bind(one));
    std::uint8_t seed = 0;
    for (const std::size_t size : {8193U, 65536U, 300'000U})
        for (const std::size_t from : offsets)
            for (const std::size_t to : offsets) {
                placed_body sent(size, from);
                const placed_body received(size, to);
                const placed_body back(size, to);
                sent.fill(++seed);
                ASSERT_EQ(send(one, sent), static_cast<int>(size));
                ASSERT_EQ(receive(other, received), static_cast<int>(size));
                ASSERT_EQ(send(other, received), static_cast<int>(size));
                ASSERT_EQ(receive(one, back), static_cast<int>(size));
                ASSERT_TRUE(sent.equals(received) && sent.equals(back)) << size << ' ' << from << ' ' << to;
                ASSERT_TRUE(received.guarded() && back.guarded()) << size << ' ' << from << ' ' << to;
            }
}

// The reply waits in another thread: bodies larger than the kernel's buffers are sent in pieces.
TEST_P(body_offset, requests_and_replies_of_two_threads) {
    for (const std::size_t size : {8193U, 300'000U, 5'000'011U})
        for (const std::size_t offset : {0U, 16U, 18U, 2048U}) {
            socket asks(owner, ZMQ_REQ);
            socket answers(owner, ZMQ_REP);
            asks.connect(bind(answers));
            constexpr int rounds = 6;
            std::jthread server([&] {
                const placed_body request(size, offset);
                for (int round = 0; round < rounds; ++round) {
                    ASSERT_EQ(receive(answers, request), static_cast<int>(size));
                    ASSERT_EQ(send(answers, request), static_cast<int>(size));
                }
                EXPECT_TRUE(request.guarded());
            });
            placed_body request(size, offset);
            const placed_body reply(size, offset);
            for (int round = 0; round < rounds; ++round) {
                request.fill(static_cast<std::uint8_t>(round));
                ASSERT_EQ(send(asks, request), static_cast<int>(size));
                ASSERT_EQ(receive(asks, reply), static_cast<int>(size));
                ASSERT_TRUE(request.equals(reply)) << size << ' ' << offset;
            }
            server.join();
            EXPECT_TRUE(reply.guarded());
        }
}

ZLINK_OVER_EVERY_TRANSPORT(body_offset);

} // namespace
} // namespace zlink::conformance
