// SPDX-License-Identifier: MPL-2.0
// Memory that is used over and over: message bodies and the chunks of lanes.
//
// Blocks come in size classes, four per doubling from 64 B to 4 MiB; what is larger goes to the C library. A
// thread keeps a few free blocks of each class to itself and exchanges them with the process in batches under
// a lock, so that the common case takes neither lock nor system call, also when one thread allocates and
// another one frees. Threads: everything here from any thread. Blocks are aligned to 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::pool {

struct block {
    void *memory;            // null when there is no memory
    std::size_t size;        // usable bytes, at least what was asked for
    std::uint8_t size_class; // to be given back with the memory
};

block allocate(std::size_t bytes) noexcept;
void release(void *memory, std::uint8_t size_class) noexcept;

} // namespace zlink::pool
