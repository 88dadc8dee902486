// SPDX-License-Identifier: MPL-2.0
// watched_calls: counters of the calls of the system that this program makes on connections.
//
// Threads: any. The program defines recv, recvmsg, send, sendmsg and setsockopt itself. The library sees that
// and calls them (src/base/system_calls.hpp).
#pragma once

#include <atomic>
#include <cstddef>

namespace zlink::tuning_test {

struct call_counts {
    std::atomic<std::size_t> writes{0};
    std::atomic<std::size_t> largest_read{0};  // bytes that came
    std::atomic<std::size_t> largest_write{0}; // bytes that were offered
    std::atomic<std::size_t> confirmations{0}; // calls that set TCP_QUICKACK

    void reset() noexcept { writes = largest_read = largest_write = confirmations = 0; }
};

extern call_counts counted;
// Writes that the calling thread made.
extern thread_local std::size_t own_writes;

} // namespace zlink::tuning_test
