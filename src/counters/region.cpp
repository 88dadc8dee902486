// SPDX-License-Identifier: MPL-2.0
#include "counters/region.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/cancellation.hpp"
#include "base/fence.hpp"

namespace zlink::counters {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t smallest_step = 2 * page;
constexpr std::size_t largest_step = 256 * page;
constexpr int most_tries = 100; // that a signal interrupts
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

std::size_t head_bytes() noexcept {
    const std::size_t used = fields_begin + fields().size_bytes();
    return (used + page - 1) / page * page;
}

// Takes pages for good: a store into them never fails.
bool allocate(int descriptor, std::size_t from, std::size_t bytes) noexcept {
    const uncancelled meanwhile;
    int code = EINTR;
    for (int tries = 0; code == EINTR && tries < most_tries; ++tries)
        code = ::posix_fallocate(descriptor, static_cast<off_t>(from), static_cast<off_t>(bytes));
    return code == 0;
}

// A file that grows beyond the limit would bring a signal.
bool file_size_allowed(std::size_t bytes) noexcept {
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

} // namespace

// ---- the region

region::region(const placement &where) {
    const uncancelled meanwhile;
    free_.reserve(smallest_step / record_bytes);
    if (where.shared)
        map_shared(where);
    if (base_ != nullptr)
        return;
    reserved_ = head_bytes() + smallest_step;
    base_ = ::mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) {
        base_ = nullptr;
        throw std::bad_alloc();
    }
    size_.store(head_bytes(), std::memory_order_relaxed);
    lay_out_head();
    (void)grow();
}

region::~region() {
    const uncancelled meanwhile;
    ::munmap(base_, reserved_);
    if (descriptor_ >= 0) {
        release_to_children(descriptor_);
        ::close(descriptor_);
    }
    if (!path_.empty())
        ::unlink(path_.c_str());
}

// Nothing is mapped if the system refuses anything.
void region::map_shared(const placement &where) {
    const std::size_t first = head_bytes() + smallest_step;
    if (!file_size_allowed(first))
        return;
    descriptor_ = where.directory.empty()
                      ? ::memfd_create(std::string(file_name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING)
                      : open_file(where.directory);
    if (descriptor_ < 0)
        return;
    void *mapped = MAP_FAILED;
    if (allocate(descriptor_, 0, first))
        mapped =
            ::mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
    if (mapped == MAP_FAILED) {
        ::close(std::exchange(descriptor_, -1));
        if (!path_.empty())
            ::unlink(std::exchange(path_, {}).c_str());
        return;
    }
    base_ = mapped;
    reserved_ = most_bytes;
    withhold_from_children(descriptor_);
    if (path_.empty())
        ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE);
    size_.store(first, std::memory_order_relaxed);
    lay_out_head();
    for (std::size_t index = smallest_step / record_bytes; index != 0; --index)
        free_.push_back(static_cast<std::uint32_t>(index - 1));
    top().records.set(smallest_step / record_bytes, std::memory_order_release);
}

// The name has the number of the process, and one of the context. A file of that name is of a process that
// is dead.
int region::open_file(const std::string &directory) {
    static std::atomic<unsigned> contexts{0};
    path_ = directory + '/' + std::string(file_name) + '.' + std::to_string(::getpid()) + '.' +
            std::to_string(contexts.fetch_add(1, std::memory_order_relaxed));
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    int opened = ::open(path_.c_str(), flags, 0600);
    if (opened < 0 && errno == EEXIST && ::unlink(path_.c_str()) == 0)
        opened = ::open(path_.c_str(), flags, 0600);
    if (opened < 0)
        path_.clear();
    return opened;
}

void region::lay_out_head() noexcept {
    head &made = *::new (base_) head{};
    made.version = head::right_version;
    made.head_size = static_cast<std::uint32_t>(head_bytes());
    made.record_size = record_bytes;
    made.fields_begin = fields_begin;
    made.field_count = static_cast<std::uint32_t>(fields().size());
    made.pid = static_cast<std::uint32_t>(::getpid());
    made.started_ns = now_ns();
    std::strncpy(made.program, program_invocation_short_name, sizeof made.program - 1);
    std::memcpy(static_cast<std::byte *>(base_) + fields_begin, fields().data(), fields().size_bytes());
    release_fence();
    made.magic = head::right_magic;
}

// Returns false if there is no room, or no memory.
bool region::grow() noexcept {
    const std::size_t old = size_.load(std::memory_order_relaxed);
    const std::size_t step = std::min({std::clamp(old, smallest_step, largest_step), reserved_ - old});
    const std::uint64_t first = top().records.get();
    const std::size_t more = (old + step - head_bytes()) / record_bytes - first;
    if (more == 0)
        return false;
    if (descriptor_ >= 0 && (!file_size_allowed(old + step) || !allocate(descriptor_, old, step)))
        return false;
    try {
        free_.reserve((old + step) / record_bytes);
    } catch (const std::bad_alloc &) {
        return false;
    }
    for (std::size_t index = more; index != 0; --index)
        free_.push_back(static_cast<std::uint32_t>(first + index - 1));
    size_.store(old + step, std::memory_order_relaxed);
    top().records.set(first + more, std::memory_order_release);
    return true;
}

bool region::owns(const void *place) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(place);
    const auto base = reinterpret_cast<std::uintptr_t>(base_);
    return at >= base && at < base + reserved_;
}

void *region::take() {
    {
        const std::lock_guard lock(guard_);
        if (!free_.empty() || grow()) {
            const std::size_t index = free_.back();
            free_.pop_back();
            return static_cast<std::byte *>(base_) + head_bytes() + index * record_bytes;
        }
    }
    void *const own = ::operator new (record_bytes, std::align_val_t{64});
    std::memset(own, 0, record_bytes);
    return own;
}

void region::release(void *place) noexcept {
    if (!owns(place))
        return ::operator delete (place, std::align_val_t{64});
    const std::lock_guard lock(guard_);
    const std::size_t offset =
        static_cast<std::size_t>(static_cast<std::byte *>(place) - static_cast<std::byte *>(base_));
    free_.push_back(static_cast<std::uint32_t>((offset - head_bytes()) / record_bytes)); // grow() made room
}

std::span<const std::byte> region::bytes() const noexcept {
    return {static_cast<const std::byte *>(base_), size_.load(std::memory_order_relaxed)};
}

// The region stays the parent's: the child gets a copy of each page that it touches. Another thread may have
// held the lock.
void region::on_fork() noexcept {
    ::new (&guard_) std::mutex;
    path_.clear();
    if (descriptor_ < 0)
        return;
    ::mmap(base_, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, descriptor_, 0);
    descriptor_ = -1; // it was withheld, and is closed in a moment
    reserved_ = size_.load(std::memory_order_relaxed);
}

// ---- records

// The kind is 0 since the last record ended there, and the sequence goes on.
void begin_record(record_header &fresh, record_kind kind, std::uint64_t id) noexcept {
    auto *const words = reinterpret_cast<std::uint64_t *>(&fresh);
    for (std::size_t index = offsetof(record_header, id) / sizeof *words;
         index < record_bytes / sizeof *words; ++index)
        std::atomic_ref(words[index]).store(0, std::memory_order_relaxed);
    const std::uint32_t before = fresh.sequence.load(std::memory_order_relaxed);
    fresh.id.set(id);
    fresh.since_ns.set(now_ns());
    fresh.kind.store(static_cast<std::uint32_t>(kind), std::memory_order_relaxed);
    fresh.sequence.store((before | 1) + 1, std::memory_order_release);
}

void end_record(record_header &old) noexcept {
    old.sequence.store(old.sequence.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    release_fence();
    old.kind.store(0, std::memory_order_relaxed);
}

void write_text(record_header &of, std::span<std::atomic<std::uint64_t>> words,
                std::string_view value) noexcept {
    const std::uint32_t before = of.sequence.load(std::memory_order_relaxed);
    of.sequence.store(before + 1, std::memory_order_relaxed);
    release_fence();
    value = value.substr(0, words.size_bytes());
    for (std::atomic<std::uint64_t> &word : words) {
        const std::string_view part = value.substr(0, sizeof(std::uint64_t));
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, part.data(), part.size());
        word.store(bytes, std::memory_order_relaxed);
        value.remove_prefix(part.size());
    }
    of.sequence.store(before + 2, std::memory_order_release);
}

} // namespace zlink::counters
