// SPDX-License-Identifier: MPL-2.0
// Many producers, one consumer that sleeps: no event and no wakeup is lost, and no node is in the queue
// twice.
#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "stress/stress_tools.hpp"

namespace zlink::stress {
namespace {

class counting_node final : public ready_node {
  public:
    void on_ready(std::uint32_t events) override {
        ++runs;
        collected |= events;
    }
    using ready_node::mark_closed;
    std::uint64_t runs = 0;      // the consumer's
    std::uint32_t collected = 0; // the consumer's
};

constexpr std::uint32_t producers = 4;

// Every producer raises its bit on a node. It waits until the consumer has seen the bit before it raises it
// there again. So the number of answers is exact.
TEST(ReadyQueueStress, EveryEventIsSeen) {
    constexpr std::size_t node_count = 8;
    const std::uint64_t rounds = scaled(5000);
    sleeping_mailbox box;
    std::array<counting_node, node_count> nodes;
    std::array<std::array<std::atomic<std::uint64_t>, producers>, node_count> answered{};
    std::atomic<std::uint32_t> running{producers};
    const auto produce = [&](std::uint32_t me) {
        std::minstd_rand random(me);
        std::array<std::uint64_t, node_count> asked{};
        for (std::uint64_t round = 0; round < rounds; ++round) {
            const std::size_t at = random() % node_count;
            while (answered[at][me].load() != asked[at])
                std::this_thread::yield();
            ++asked[at];
            box.ready.notify(nodes[at], 1U << me);
        }
        for (std::size_t at = 0; at < node_count; ++at)
            while (answered[at][me].load() != asked[at])
                std::this_thread::yield();
        running.fetch_sub(1);
        box.wake();
    };
    std::vector<std::thread> threads;
    for (std::uint32_t me = 0; me < producers; ++me)
        threads.emplace_back(produce, me);
    while (running.load() != 0) {
        if (!box.ready.drain())
            box.sleep();
        for (std::size_t at = 0; at < node_count; ++at) {
            const std::uint32_t events = std::exchange(nodes[at].collected, 0);
            for (std::uint32_t me = 0; me < producers; ++me)
                if ((events & (1U << me)) != 0)
                    answered[at][me].fetch_add(1);
        }
    }
    for (std::thread &each : threads)
        each.join();
    EXPECT_TRUE(box.ready.empty());
    std::uint64_t total = 0;
    for (const auto &of_node : answered)
        for (const auto &each : of_node)
            total += each.load();
    EXPECT_EQ(total, producers * rounds);
}

// Sealed nodes may be destroyed while producers go on with other nodes.
TEST(ReadyQueueStress, SealedNodesMayGo) {
    const std::uint64_t rounds = scaled(2000);
    sleeping_mailbox box;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        auto node = std::make_unique<counting_node>();
        std::atomic<bool> done{false};
        std::thread producer([&] {
            for (std::uint32_t event = 0; event < 4; ++event)
                box.ready.notify(*node, 1U << event);
            done.store(true);
        });
        while (!node->mark_closed())
            box.ready.drain();
        EXPECT_TRUE(box.ready.empty());
        producer.join();
        EXPECT_FALSE(box.ready.drain());
    }
}

} // namespace
} // namespace zlink::stress
