// SPDX-License-Identifier: MPL-2.0
#include "runtime/io_thread.hpp"

#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

namespace zlink::runtime {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 30s; // against a hang; nothing is timed

class in_every_mode : public ::testing::TestWithParam<loop_mode> {};

// Ends its stay in the mailbox by telling.
class news final : public ready_node {
  public:
    explicit news(int awaited) : left_(awaited) {}
    void on_ready(std::uint32_t) override {
        if (--left_ == 0)
            done_.set_value();
    }
    std::future<void> done() { return done_.get_future(); }

  private:
    int left_;
    std::promise<void> done_;
};

TEST_P(in_every_mode, posted_work_and_timers_run) {
    io_thread thread(GetParam());
    std::promise<std::thread::id> ran;
    std::promise<void> fired;
    boost::asio::steady_timer timer(thread.context());
    thread.post([&] {
        ran.set_value(std::this_thread::get_id());
        timer.expires_after(2ms);
        timer.async_wait([&](const boost::system::error_code &) { fired.set_value(); });
    });
    ASSERT_TRUE(thread.start({}));
    auto where = ran.get_future();
    ASSERT_EQ(where.wait_for(patience), std::future_status::ready);
    EXPECT_NE(where.get(), std::this_thread::get_id());
    EXPECT_EQ(fired.get_future().wait_for(patience), std::future_status::ready);
    thread.stop();
}

TEST_P(in_every_mode, news_in_the_mailbox_is_found) {
    io_thread thread(GetParam());
    ASSERT_TRUE(thread.start({}));
    for (int round = 0; round < 50; ++round) {
        news node(1);
        auto done = node.done();
        thread.box()->ready.notify(node, 1);
        ASSERT_EQ(done.wait_for(patience), std::future_status::ready) << round;
        std::promise<void> passed; // the node is no longer used
        thread.post([&] { passed.set_value(); });
        ASSERT_EQ(passed.get_future().wait_for(patience), std::future_status::ready);
    }
    thread.stop();
}

TEST_P(in_every_mode, what_was_posted_before_the_stop_runs) {
    io_thread thread(GetParam());
    ASSERT_TRUE(thread.start({}));
    int ran = 0;
    for (int count = 0; count < 100; ++count)
        thread.post([&] { ++ran; });
    thread.stop();
    EXPECT_EQ(ran, 100);
}

TEST_P(in_every_mode, handlers_have_their_turn_beside_a_busy_mailbox) {
    // Queues itself again from within, so that the mailbox is never empty.
    class restless final : public ready_node {
      public:
        explicit restless(ready_queue &queue) : queue_(queue) {}
        void on_ready(std::uint32_t) override {
            if (going)
                queue_.notify(*this, 1);
        }
        bool going = true; // the I/O thread's

      private:
        ready_queue &queue_;
    };
    io_thread thread(GetParam());
    restless node(thread.box()->ready);
    ASSERT_TRUE(thread.start({}));
    thread.box()->ready.notify(node, 1);
    std::promise<void> ran;
    thread.post([&] {
        node.going = false;
        ran.set_value();
    });
    EXPECT_EQ(ran.get_future().wait_for(patience), std::future_status::ready);
    thread.stop();
}

TEST_P(in_every_mode, a_turn_of_many_nodes_is_followed_by_handlers) {
    // Counts the turns of a mailbox that is never empty.
    class restless final : public ready_node {
      public:
        explicit restless(ready_queue &queue) : queue_(queue) {}
        void on_ready(std::uint32_t) override {
            ++turns;
            if (going)
                queue_.notify(*this, 1);
        }
        bool going = true; // this and the next: the I/O thread's
        int turns = 0;

      private:
        ready_queue &queue_;
    };
    io_thread thread(GetParam());
    std::vector<std::unique_ptr<restless>> nodes;
    for (int count = 0; count < 200; ++count) {
        nodes.push_back(std::make_unique<restless>(thread.box()->ready));
        thread.box()->ready.notify(*nodes.back(), 1);
    }
    std::promise<int> turns;
    thread.post([&] {
        for (const auto &node : nodes)
            node->going = false;
        turns.set_value(nodes.front()->turns);
    });
    ASSERT_TRUE(thread.start({}));
    auto seen = turns.get_future();
    ASSERT_EQ(seen.wait_for(patience), std::future_status::ready);
    EXPECT_EQ(seen.get(), 1);
    thread.stop();
}

INSTANTIATE_TEST_SUITE_P(loop, in_every_mode,
                         ::testing::Values(loop_mode::run, loop_mode::run_for, loop_mode::poll),
                         [](const ::testing::TestParamInfo<loop_mode> &mode) {
                             switch (mode.param) {
                             case loop_mode::run:
                                 return "run";
                             case loop_mode::run_for:
                                 return "run_for";
                             case loop_mode::poll:
                                 break;
                             }
                             return "poll";
                         });

} // namespace
} // namespace zlink::runtime
