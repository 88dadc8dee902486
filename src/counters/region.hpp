// SPDX-License-Identifier: MPL-2.0
// region: the memory of a context's counters, which other programs read (see layout.hpp). Other processes
// find it by the name of its descriptor, or as a file.
//
// Threads: any; a mutex guards the list of records, and sums that move between them. Ownership: whoever has a
// `handle` holds the region. A handle whose record found no place has memory of its own: nothing else
// changes. After fork(2) the child has a private copy, and the parent's region stays as it is.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fence.hpp"
#include "base/fork.hpp"
#include "counters/layout.hpp"

namespace zlink::counters {

// Where the memory comes from.
struct placement {
    bool shared = true;      // no: ordinary memory of the process
    std::string directory{}; // the region is a file there; empty: a memory file
};

class region final : private fork_handler {
  public:
    static constexpr std::string_view file_name = "zlink-counters";
    static constexpr std::size_t most_bytes =
        sizeof(void *) < 8 ? std::size_t{4} << 20 : std::size_t{64} << 20;

    // Throws std::bad_alloc.
    explicit region(const placement &where);
    ~region();

    // A place for a record. Throws std::bad_alloc.
    [[nodiscard]] void *take();
    void release(void *place) noexcept;
    [[nodiscard]] std::uint64_t next_id() noexcept { return ids_.fetch_add(1, std::memory_order_relaxed); }

    // Moves sums between records, so that a reader sees all of it or nothing.
    template <class Change> void change(Change &&make) noexcept {
        const std::lock_guard lock(guard_);
        counter &changes = top().changes;
        changes.set(changes.get() + 1);
        release_fence();
        make();
        changes.set(changes.get() + 1, std::memory_order_release);
    }

    // The region as other programs see it.
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept;

  private:
    [[nodiscard]] head &top() const noexcept { return *static_cast<head *>(base_); }
    void map_shared(const placement &where);
    [[nodiscard]] int open_file(const std::string &directory);
    [[nodiscard]] bool grow() noexcept; // guarded
    void lay_out_head() noexcept;
    [[nodiscard]] bool owns(const void *place) const noexcept;
    void on_fork() noexcept override;

    void *base_ = nullptr;
    std::size_t reserved_ = 0;         // bytes of address space
    int descriptor_ = -1;              // -1: ordinary memory
    std::string path_;                 // of a file
    std::atomic<std::size_t> size_{0}; // bytes that can be used
    std::atomic<std::uint64_t> ids_{1};
    std::mutex guard_;
    std::vector<std::uint32_t> free_; // guarded: records
};

// Begins and ends a record's life, and its changes of text. Others may look at its place at any time. So all
// its words are stored one by one, and no constructor runs.
void begin_record(record_header &fresh, record_kind kind, std::uint64_t id) noexcept;
void end_record(record_header &old) noexcept;
void write_text(record_header &of, std::span<std::atomic<std::uint64_t>> words,
                std::string_view value) noexcept;

// A record of one kind, from its making to its end.
template <class Record> class handle {
  public:
    explicit handle(std::shared_ptr<region> of) : region_(std::move(of)) {
        record_ = static_cast<Record *>(region_->take());
        begin_record(*record_, Record::own_kind, region_->next_id());
    }
    ~handle() {
        end_record(*record_);
        region_->release(record_);
    }
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;

    [[nodiscard]] Record &operator*() const noexcept { return *record_; }
    [[nodiscard]] Record *operator->() const noexcept { return record_; }
    [[nodiscard]] const std::shared_ptr<region> &memory() const noexcept { return region_; }
    template <std::size_t N> void write(text<N> &where, std::string_view value) noexcept {
        write_text(*record_, where.words, value);
    }

  private:
    std::shared_ptr<region> region_;
    Record *record_;
};

} // namespace zlink::counters
