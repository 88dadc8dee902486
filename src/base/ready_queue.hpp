// SPDX-License-Identifier: MPL-2.0
// ready_queue: "these things have news for you", from any thread to one.
//
// Threads: notify() from any thread; empty() and drain() from the owner of the queue only.
// Ownership: intrusive. A node is in at most one queue at a time and must outlive its stay there. A queue
// that is never drained again may hold dangling nodes, since a push touches only its own node. Memory order:
// a node's pending bits and the head are read-modify-written seq_cst. A consumer that is about to sleep
// announces it, then checks empty(); a producer pushes, then looks for a sleeper (through the waker). One of
// the two sees the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace zlink {

// Ends the sleep of whoever drains a queue. Called by producers, once per change from empty to not empty.
class waker {
  public:
    virtual void wake() noexcept = 0;

  protected:
    ~waker() = default;
};

class ready_queue;

class ready_node {
  public:
    ready_node(const ready_node &) = delete;
    ready_node &operator=(const ready_node &) = delete;

    // Any thread. Returns true if the node is in no queue and the caller must push it to its own.
    [[nodiscard]] bool add_events(std::uint32_t events) noexcept {
        return pending_.fetch_or(events, std::memory_order_seq_cst) == 0;
    }

    // Any thread. Returns true if none of these events is pending.
    [[nodiscard]] bool free_of(std::uint32_t events) const noexcept {
        return (pending_.load(std::memory_order_acquire) & events) == 0;
    }

    // The events collected since the last call. Runs on the thread that drains the queue.
    virtual void on_ready(std::uint32_t events) = 0;

  protected:
    // `held` events keep the node out of its queue until take_events() is called.
    explicit ready_node(std::uint32_t held = 0) noexcept : pending_(held) {}
    virtual ~ready_node() = default;

    // Keeps the node out of its queue for good. Returns false if it is in the queue (or about to be); try
    // again in on_ready().
    [[nodiscard]] bool mark_closed() noexcept {
        constexpr std::uint32_t sealed = 0x80000000;
        return pending_.fetch_or(sealed, std::memory_order_seq_cst) == 0;
    }
    std::uint32_t take_events() noexcept { return pending_.exchange(0, std::memory_order_seq_cst); }

  private:
    friend class ready_queue;
    std::atomic<std::uint32_t> pending_;
    ready_node *next_ = nullptr;
};

class ready_queue {
  public:
    explicit ready_queue(waker &target) noexcept : target_(target) {}
    ready_queue(const ready_queue &) = delete;
    ready_queue &operator=(const ready_queue &) = delete;

    void notify(ready_node &node, std::uint32_t events) noexcept {
        if (node.add_events(events))
            push(node);
    }
    // Only after node.add_events() has answered true.
    void push(ready_node &node) noexcept {
        ready_node *head = head_.load(std::memory_order_relaxed);
        do
            node.next_ = head;
        while (
            !head_.compare_exchange_weak(head, &node, std::memory_order_seq_cst, std::memory_order_relaxed));
        if (head == nullptr)
            target_.wake();
    }

    // Since the last drain() that left nothing: has nothing been pushed?
    [[nodiscard]] bool nothing_new() const noexcept {
        return head_.load(std::memory_order_seq_cst) == nullptr;
    }
    [[nodiscard]] bool empty() const noexcept { return taken_ == nullptr && nothing_new(); }

    // Runs on_ready of every queued node, oldest first. Returns how many there were. An on_ready that
    // throws, or that drains again, leaves no other node behind: whoever drains next goes on where it
    // stopped.
    std::size_t drain() {
        if (taken_ == nullptr)
            taken_ = reversed(head_.exchange(nullptr, std::memory_order_seq_cst));
        std::size_t count = 0;
        for (; taken_ != nullptr; ++count) { // after take_events() the node may be queued again
            ready_node *node = std::exchange(taken_, taken_->next_);
            node->on_ready(node->take_events());
        }
        return count;
    }

  private:
    static ready_node *reversed(ready_node *node) noexcept {
        ready_node *result = nullptr;
        while (node != nullptr) {
            ready_node *next = node->next_;
            node->next_ = result;
            result = node;
            node = next;
        }
        return result;
    }

    alignas(64) std::atomic<ready_node *> head_{nullptr};
    waker &target_;
    ready_node *taken_ = nullptr; // the owner's: still to be run
};

} // namespace zlink
