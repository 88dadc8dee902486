// SPDX-License-Identifier: MPL-2.0
// The memory two ends of a measurement share beside the sockets under test: where to connect, how far each
// has come, and the result. It lies in a shared mapping, so the same code serves two threads and two
// processes.
//
// Threads: each member names its writer. Waits are futexes: an end that waits takes no processor time from
// the library that is measured, and nobody makes a system call unless somebody sleeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace bench {

// Set once by one end, waited for by the other.
class flag {
  public:
    void set();
    [[nodiscard]] bool is_set() const { return word_.load(std::memory_order_acquire) != 0; }
    void wait() const;

  private:
    std::atomic<std::uint32_t> word_{0};
};

// How far a sender may run ahead: 100,000 messages or 64 MiB, whichever is less. That bounds memory without a
// high-water mark. Both ends look at it only once per `stride` messages.
class window {
  public:
    explicit window(std::size_t size_bytes);
    [[nodiscard]] std::uint64_t limit() const { return limit_; }
    [[nodiscard]] std::uint64_t stride() const { return stride_; }

  private:
    std::uint64_t limit_;
    std::uint64_t stride_;
};

// The count of received messages, written by the receiver, and the sender's wait for it.
class progress {
  public:
    void publish(std::uint64_t received);
    [[nodiscard]] bool has_room(std::uint64_t sent, const window &bound) const {
        return sent - received_.load(std::memory_order_relaxed) <= bound.limit();
    }
    // Sleeps until at most half of the window is outstanding.
    void wait_for_room(std::uint64_t sent, const window &bound);

  private:
    alignas(64) std::atomic<std::uint64_t> received_{0};
    std::atomic<std::uint64_t> wanted_{
        UINT64_MAX}; // the count the sleeping sender needs; written by the sender
    std::atomic<std::uint32_t> wakes_{0};
};

struct meeting {
    char endpoint[256] = {};               // written by the binding end before bound
    flag bound;                            // set by the binding end
    flag ready;                            // set by the receiver at its first message
    flag started;                          // set by the receiver when it has the whole warm-up
    flag done;                             // set by the end that measures, when it has measured
    std::atomic<std::int64_t> began_ns{0}; // written by the sender before its first counted message
    std::atomic<std::uint64_t> sent{0};    // written by the sender before its last message
    progress received;
    // The results are written before done.
    double rate = 0;          // messages (or round trips) per second
    std::int64_t took_ns = 0; // from the first counted send to the last receive
    double median_us = 0;
    double p99_us = 0;
};

struct unmap {
    void operator()(meeting *shared) const;
};

// A meeting in an anonymous shared mapping, inherited by processes forked later.
[[nodiscard]] std::unique_ptr<meeting, unmap> make_meeting();

} // namespace bench
