// SPDX-License-Identifier: MPL-2.0
// Random walks through a writer, a queue, a write cursor, a connection that is sometimes cut, a receive
// window, a queue and a reader. A list of messages is the model. Every walk is told by its seed.
#include <array>
#include <deque>
#include <memory>
#include <random>

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

int adopted = 0;
int freed = 0;
void free_body(void *data, void *) {
    delete static_cast<std::string *>(data);
    ++freed;
}

class walk {
  public:
    walk(unsigned seed, int mark) : random_(seed), out_(mark), in_(mark) {}

    void run(int steps) {
        for (int step = 0; step < steps && !testing::Test::HasFatalFailure(); ++step)
            one_step();
        if (out_.writer().in_message())
            finish_message();
        while (!expected_.empty() && !testing::Test::HasFatalFailure()) {
            const std::size_t moved = transfer(100000);
            ASSERT_TRUE(read_some(100) || moved != 0) << expected_.size() << " messages are lost";
        }
        EXPECT_EQ(cursor_.ranges(std::span(pieces_), 1000), 0U);
        EXPECT_EQ(out_.writer().depth(), 0U);
        EXPECT_EQ(in_.writer().depth(), 0U);
        EXPECT_TRUE(out_.reader().prepare_wait_data());
        EXPECT_TRUE(in_.reader().prepare_wait_data());
    }

  private:
    std::size_t below(std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
    }

    std::size_t some_size() {
        static constexpr std::size_t limits[] = {1, 10, 70, 258, 600, 3000, large_body + 10, 30000, 90000};
        const std::size_t limit = limits[below(std::size(limits))];
        return below(8) == 0 ? limit - 1 : below(limit);
    }

    void one_step() {
        switch (below(16)) {
        case 0:
            if (out_.writer().in_message()) {
                out_.writer().rollback();
                begun_.clear();
            }
            break;
        case 1:
            if (below(10) == 0)
                cut();
            break;
        case 2:
        case 3:
        case 4:
            transfer(1 + below(below(2) == 0 ? 100 : 50000));
            break;
        case 5:
        case 6:
        case 7:
            read_some(1 + below(20));
            break;
        default:
            write_frame(below(3) == 0);
        }
    }

    void finish_message() { write_frame(false); }

    void write_frame(bool more) {
        if (!out_.writer().in_message() && out_.writer().full())
            return;
        auto body = std::make_unique<std::string>(body_of(some_size(), static_cast<unsigned>(below(256))));
        begun_.push_back(*body);
        outgoing_frame frame = frame_of(*body, more);
        if (below(4) == 0) { // the application's memory
            std::string &memory = *body.release();
            frame.owner = buffer::adopt(&memory, memory.size(), free_body, nullptr);
            ++adopted;
        }
        const bool done = out_.writer().write(frame);
        if (frame.owner != nullptr)
            frame.owner->release();
        ASSERT_TRUE(done);
        if (more)
            return;
        (void)out_.writer().commit();
        expected_.push_back(std::move(begun_));
        begun_.clear();
    }

    // Up to `most` bytes go over the connection.
    std::size_t transfer(std::size_t most) {
        const std::string bytes = write_part(cursor_, most, 1 + below(20));
        network_.feed(bytes, 1 + below(20000));
        return bytes.size();
    }

    // The written part has arrived; the rest of a message goes again with the next connection.
    void cut() {
        cursor_.rewind();
        network_.reset();
    }

    bool read_some(std::size_t count) {
        bool any = false;
        while (count-- != 0) {
            const message got = receive(in_);
            if (got.empty())
                return any;
            any = true;
            EXPECT_FALSE(expected_.empty());
            EXPECT_TRUE(got == expected_.front());
            expected_.pop_front();
        }
        return any;
    }

    std::mt19937 random_;
    message_queue out_;
    message_queue in_;
    write_cursor cursor_{out_.reader()};
    receiver network_{in_};
    std::vector<byte_range> pieces_ = std::vector<byte_range>(4);
    message begun_;
    std::deque<message> expected_;
};

TEST(Model, EveryMessageArrivesWholeOnceAndInOrder) {
    adopted = freed = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        walk each(seed, std::array{0, 1, 2, 10, 1000}[seed % 5]);
        each.run(1500);
        if (HasFailure())
            return;
    }
    EXPECT_GT(adopted, 1000);
    EXPECT_EQ(freed, adopted);
}

} // namespace
} // namespace zlink::message_queue_test
