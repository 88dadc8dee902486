// SPDX-License-Identifier: MPL-2.0
#include "common/meeting.hpp"

#include "common/fail.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <linux/futex.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bench {
namespace {

// Not the _PRIVATE operations: the word may be shared with another process.
void sleep_while(const std::atomic<std::uint32_t> &word, std::uint32_t value) {
    syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}

void wake_all(const std::atomic<std::uint32_t> &word) {
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace

void flag::set() {
    word_.store(1, std::memory_order_release);
    wake_all(word_);
}

void flag::wait() const {
    while (!is_set())
        sleep_while(word_, 0);
}

window::window(std::size_t size_bytes)
    : limit_(std::clamp<std::uint64_t>((std::uint64_t{64} << 20) / size_bytes, 16, 100'000)),
      stride_(std::clamp<std::uint64_t>(limit_ / 8, 1, 256)) {}

void progress::publish(std::uint64_t received) {
    received_.store(received, std::memory_order_seq_cst);
    if (received < wanted_.load(std::memory_order_seq_cst))
        return;
    wanted_.store(UINT64_MAX, std::memory_order_relaxed);
    wakes_.fetch_add(1, std::memory_order_release);
    wake_all(wakes_);
}

void progress::wait_for_room(std::uint64_t sent, const window &bound) {
    const std::uint64_t wanted = sent - bound.limit() / 2;
    for (;;) {
        const std::uint32_t wakes = wakes_.load(std::memory_order_acquire);
        wanted_.store(wanted, std::memory_order_seq_cst);
        if (received_.load(std::memory_order_seq_cst) >= wanted) {
            wanted_.store(UINT64_MAX, std::memory_order_relaxed);
            return;
        }
        sleep_while(wakes_, wakes);
    }
}

void unmap::operator()(meeting *shared) const {
    munmap(shared, sizeof *shared);
}

std::unique_ptr<meeting, unmap> make_meeting() {
    void *memory = mmap(nullptr, sizeof(meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("no shared memory: %s", std::strerror(errno));
    return std::unique_ptr<meeting, unmap>(new (memory) meeting);
}

} // namespace bench
