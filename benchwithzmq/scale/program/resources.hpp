// SPDX-License-Identifier: MPL-2.0
// What a process takes from the machine: memory, processor time, switches, page faults, allocations,
// descriptors.
//
// Threads: any; counts are those of the whole calling process, but for the kernel's memory, which is that of
// the machine.
#pragma once

#include <cstdint>
#include <optional>

namespace bench::scale {

// Lets this process and those it starts have that many descriptors; fails where the system does not allow it.
void allow_descriptors(std::uint64_t count);

// Resident bytes of this process. settled_: as soon as two readings in a row are equal, within two seconds.
[[nodiscard]] std::int64_t resident_bytes();
[[nodiscard]] std::int64_t settled_resident_bytes();
// After free memory of the C library's heap has gone back to the system: what is really in use.
[[nodiscard]] std::int64_t trimmed_resident_bytes();

// Kernel memory of the whole machine: slabs (descriptors, socket structures) and buffers of TCP sockets.
[[nodiscard]] std::int64_t kernel_bytes();

struct usage {
    double processor_us = 0; // user and system
    double context_switches = 0;
    double page_faults = 0;                 // minor ones: fresh memory
    std::optional<double> allocations = {}; // when count_allocations.so is loaded

    // What came since an earlier reading.
    [[nodiscard]] usage since(const usage &earlier) const;
    [[nodiscard]] usage plus(const usage &other) const;
};

[[nodiscard]] usage usage_so_far();

} // namespace bench::scale
