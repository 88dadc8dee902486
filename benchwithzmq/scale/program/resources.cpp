// SPDX-License-Identifier: MPL-2.0
#include "scale/program/resources.hpp"

#include "common/clock.hpp"
#include "common/fail.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace bench::scale {
namespace {

// The number after a word of a /proc file; 0 when it is not there.
std::int64_t number_after(const char *path, const std::string &name, const std::string &word) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(name))
            continue;
        const std::size_t place = line.find(word);
        if (place != std::string::npos)
            return std::strtoll(line.c_str() + place + word.size(), nullptr, 10);
    }
    return 0;
}

// The function of count_allocations.so; none when that is not preloaded.
using allocation_count = std::uint64_t();
allocation_count *find_allocation_count() {
    return reinterpret_cast<allocation_count *>(dlsym(RTLD_DEFAULT, "bench_allocation_count"));
}

double microseconds(const timeval &time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
}

std::optional<double> combined(const std::optional<double> &one, const std::optional<double> &other,
                               double sign) {
    return one && other ? std::optional(*one + sign * *other) : std::nullopt;
}

} // namespace

void allow_descriptors(std::uint64_t count) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= count)
        return;
    limit.rlim_cur = count;
    if (limit.rlim_max < count)
        limit.rlim_max = count; // only root may
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        fail("this needs %llu descriptors in a process; raise the limit (ulimit -Hn): %s",
             static_cast<unsigned long long>(count), std::strerror(errno));
}

std::int64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::int64_t total_pages = 0;
    std::int64_t resident_pages = 0;
    if (!(file >> total_pages >> resident_pages))
        fail("/proc/self/statm cannot be read");
    return resident_pages * sysconf(_SC_PAGESIZE);
}

std::int64_t settled_resident_bytes() {
    std::int64_t before = -1;
    std::int64_t now = resident_bytes();
    for (int tries = 0; tries < 40 && now != before; ++tries) {
        sleep_ms(50);
        before = now;
        now = resident_bytes();
    }
    return now;
}

std::int64_t trimmed_resident_bytes() {
    malloc_trim(0);
    return settled_resident_bytes();
}

std::int64_t kernel_bytes() {
    const std::int64_t slabs = number_after("/proc/meminfo", "Slab:", "Slab:") * 1024;
    const std::int64_t buffers = number_after("/proc/net/sockstat", "TCP:", " mem ") * sysconf(_SC_PAGESIZE);
    return slabs + buffers;
}

usage usage::since(const usage &earlier) const {
    return {processor_us - earlier.processor_us, context_switches - earlier.context_switches,
            page_faults - earlier.page_faults, combined(allocations, earlier.allocations, -1)};
}

usage usage::plus(const usage &other) const {
    return {processor_us + other.processor_us, context_switches + other.context_switches,
            page_faults + other.page_faults, combined(allocations, other.allocations, 1)};
}

usage usage_so_far() {
    rusage now{};
    getrusage(RUSAGE_SELF, &now);
    usage read;
    read.processor_us = microseconds(now.ru_utime) + microseconds(now.ru_stime);
    read.context_switches = static_cast<double>(now.ru_nvcsw + now.ru_nivcsw);
    read.page_faults = static_cast<double>(now.ru_minflt);
    static allocation_count *const count = find_allocation_count();
    if (count != nullptr)
        read.allocations = static_cast<double>(count());
    return read;
}

} // namespace bench::scale
