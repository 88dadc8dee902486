// SPDX-License-Identifier: MPL-2.0
// Memory that is used over and over: message bodies and the segments of queues.
//
// Blocks come in size classes, four per doubling from 64 B to 4 MiB; larger ones go to the C library. A
// thread keeps a few free blocks of each class to itself and exchanges them with the process in batches under
// a lock, so that the common case takes neither lock nor system call, also when one thread allocates and
// another one frees. Threads: everything here from any thread. Blocks are aligned to 16 bytes.
//
// Memory that is kept is bounded. A thread keeps at most 1 MiB, the process 32 MiB more, of all classes
// together; a class that is used no more makes way for one that is. After the last `use` nothing is kept but
// by threads.
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

// A context's use of the pool: while there is one, the process keeps free blocks. The end of the last one
// gives them to the C library, with those of the calling thread.
class use {
  public:
    use() noexcept;
    ~use();
    use(const use &) = delete;
    use &operator=(const use &) = delete;
};

} // namespace zlink::pool
