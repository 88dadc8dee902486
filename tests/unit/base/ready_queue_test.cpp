// SPDX-License-Identifier: MPL-2.0
#include "base/ready_queue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <vector>

namespace zlink {
namespace {

class counting_waker final : public waker {
  public:
    void wake() noexcept override { ++wakes; }
    int wakes = 0;
};

class node final : public ready_node {
  public:
    explicit node(std::uint32_t held = 0) : ready_node(held) {}
    void on_ready(std::uint32_t events) override {
        seen.push_back(events);
        if (then)
            then();
    }
    using ready_node::mark_closed;
    using ready_node::take_events;
    std::vector<std::uint32_t> seen;
    std::function<void()> then;
};

struct ReadyQueue : testing::Test {
    counting_waker target;
    ready_queue queue{target};
    std::vector<int> order;
};

TEST_F(ReadyQueue, CollectsEventsAndWakesOncePerBatch) {
    node first;
    node second;
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.drain(), 0U);
    queue.notify(first, 1);
    queue.notify(second, 4);
    queue.notify(first, 2);
    EXPECT_EQ(target.wakes, 1);
    EXPECT_FALSE(queue.empty());
    EXPECT_EQ(queue.drain(), 2U);
    EXPECT_EQ(first.seen, std::vector<std::uint32_t>{3});
    EXPECT_EQ(second.seen, std::vector<std::uint32_t>{4});
    EXPECT_TRUE(queue.empty());
    queue.notify(first, 8);
    EXPECT_EQ(target.wakes, 2);
    EXPECT_EQ(queue.drain(), 1U);
    EXPECT_EQ(first.seen, (std::vector<std::uint32_t>{3, 8}));
}

TEST_F(ReadyQueue, RunsTheOldestFirst) {
    std::vector<node> nodes(5);
    for (int index = 0; index < 5; ++index)
        nodes[static_cast<std::size_t>(index)].then = [this, index] { order.push_back(index); };
    for (node &each : nodes)
        queue.notify(each, 1);
    queue.drain();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(ReadyQueue, WhatComesDuringADrainIsForTheNext) {
    node one;
    one.then = [&] {
        if (one.seen.size() < 3)
            queue.notify(one, 2);
    };
    queue.notify(one, 1);
    EXPECT_TRUE(queue.drain());
    EXPECT_EQ(one.seen.size(), 1U);
    EXPECT_EQ(target.wakes, 2);
    EXPECT_TRUE(queue.drain());
    EXPECT_TRUE(queue.drain());
    EXPECT_FALSE(queue.drain());
    EXPECT_EQ(one.seen, (std::vector<std::uint32_t>{1, 2, 2}));
}

TEST_F(ReadyQueue, AnExceptionLosesNoOtherNode) {
    node first;
    node second;
    first.then = [] { throw std::runtime_error("no"); };
    queue.notify(first, 1);
    queue.notify(second, 1);
    EXPECT_THROW(queue.drain(), std::runtime_error);
    EXPECT_FALSE(queue.empty());
    first.then = nullptr;
    queue.notify(first, 2);
    EXPECT_TRUE(queue.drain());
    EXPECT_EQ(second.seen.size(), 1U);
    EXPECT_FALSE(queue.empty());
    EXPECT_TRUE(queue.drain());
    EXPECT_EQ(first.seen, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(ReadyQueue, ADrainInADrainGoesOn) {
    node first;
    node second;
    first.then = [this] { queue.drain(); };
    queue.notify(first, 1);
    queue.notify(second, 1);
    EXPECT_TRUE(queue.drain());
    EXPECT_EQ(first.seen.size(), 1U);
    EXPECT_EQ(second.seen.size(), 1U);
}

TEST_F(ReadyQueue, HeldEventsKeepANodeOut) {
    node held(0x100);
    queue.notify(held, 1);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(held.take_events(), 0x101U);
    queue.notify(held, 1);
    EXPECT_TRUE(queue.drain());
}

TEST_F(ReadyQueue, SealingWorksOutsideTheQueueOnly) {
    node one;
    queue.notify(one, 1);
    EXPECT_FALSE(one.mark_closed());
    bool sealed = false;
    one.then = [&] { sealed = one.mark_closed(); };
    EXPECT_TRUE(queue.drain());
    EXPECT_TRUE(sealed);
    queue.notify(one, 1);
    EXPECT_TRUE(queue.empty());
}

} // namespace
} // namespace zlink
