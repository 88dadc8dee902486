// SPDX-License-Identifier: MPL-2.0
#include "model/races.hpp"

#include <cstdlib>

namespace zlink::model {

namespace {
constexpr std::size_t part_bytes = arena::all_bytes / most_threads;
constexpr std::size_t alignment = 64;
constexpr std::size_t header_bytes = 64; // has the size
} // namespace

// ---- arena

alignas(4096) unsigned char arena::memory_[all_bytes];

void arena::begin() noexcept {
    for (std::size_t &used : used_)
        used = 0;
}

void *arena::allocate(std::size_t thread, std::size_t bytes) noexcept {
    const std::size_t begin = used_[thread] + header_bytes;
    used_[thread] = (begin + bytes + alignment - 1) / alignment * alignment;
    if (used_[thread] > part_bytes)
        std::abort(); // the program is too large for this checker
    unsigned char *const memory = memory_ + thread * part_bytes + begin;
    set_plain_value(memory - header_bytes, sizeof bytes, bytes);
    return memory;
}

std::size_t arena::size_of(const void *memory) noexcept {
    return plain_value(static_cast<const unsigned char *>(memory) - header_bytes, sizeof(std::size_t));
}

// ---- races

// The clock of each thread at its last access of a kind, and the instruction of its last access.
struct races::byte {
    static constexpr std::size_t kinds = 4; // reads and writes, plain and atomic
    std::uint32_t execution;
    bool released;
    std::uint16_t clock[kinds][most_threads];
    const void *site[most_threads];
};

races::byte &races::at(const void *address) noexcept {
    static byte bytes[arena::all_bytes];
    byte &found = bytes[arena::offset_of(address)];
    if (found.execution != execution_) {
        found = byte{};
        found.execution = execution_;
    }
    return found;
}

void races::begin() noexcept {
    ++execution_;
}

bool races::meets(const byte &here, const access &what, const knowledge &known) noexcept {
    for (std::size_t kind = 0; kind < byte::kinds; ++kind) {
        const bool writes = (kind & 1) != 0;
        const bool atomic = (kind & 2) != 0;
        if ((!writes && !what.writes) || (atomic && what.atomic))
            continue;
        for (std::size_t other = 0; other < most_threads; ++other)
            if (other != what.thread && here.clock[kind][other] > known.clock[other]) {
                other_site_ = here.site[other];
                return true;
            }
    }
    return false;
}

const char *races::note(const access &what, const void *address, std::size_t size,
                        const knowledge &known) noexcept {
    const std::size_t kind = (what.writes ? 1U : 0U) + (what.atomic ? 2U : 0U);
    for (std::size_t index = 0; index < size; ++index) {
        byte &here = at(static_cast<const unsigned char *>(address) + index);
        if (here.released)
            return "memory is used after its release";
        if (meets(here, what, known))
            return "two threads are at the same memory, and nothing orders them (data race)";
        here.clock[kind][what.thread] = known.clock[what.thread];
        here.site[what.thread] = what.site;
    }
    return nullptr;
}

// A release is a write: it has to happen after all accesses.
const char *races::release(const access &what, void *memory, std::size_t size,
                           const knowledge &known) noexcept {
    for (std::size_t index = 0; index < size; ++index) {
        byte &here = at(static_cast<unsigned char *>(memory) + index);
        if (here.released)
            return "memory is released twice";
        if (meets(here, what, known))
            return "memory is released while another thread uses it (data race)";
        here.released = true;
    }
    return nullptr;
}

} // namespace zlink::model
