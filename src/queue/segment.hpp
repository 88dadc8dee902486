// SPDX-License-Identifier: MPL-2.0
// segment: a piece of a queue's log. ZMTP frames grow from its start, references to large bodies from its
// end.
//
// Threads: one writer appends, one reader follows. Bytes below the queue's committed position are constant,
// except `used`, `next` and `payload_ref_count`: the writer sets these before it commits a position behind
// them. Units: offsets and sizes in bytes from the first data byte.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>

#include "message/buffer.hpp"

namespace zlink::queue_detail {

// A body that is not in the segment: it belongs to the frame whose header ends at `offset`.
struct payload_ref {
    const std::uint8_t *data;
    std::size_t size;
    buffer *owner; // null: constant memory of the application
    std::uint32_t offset;
    bool last_frame; // its end is the end of a message

    // A reader may look at the offset of a reference that is not committed, which the writer may just be
    // taking back and replacing. Both offsets lie behind the committed position.
    [[nodiscard]] std::uint32_t position() noexcept {
        return std::atomic_ref(offset).load(std::memory_order_relaxed);
    }
    void assign(const payload_ref &other) noexcept {
        data = other.data;
        size = other.size;
        owner = other.owner;
        last_frame = other.last_frame;
        std::atomic_ref(offset).store(other.offset, std::memory_order_relaxed);
    }
};

// A body that was received where the caller of the API wants it, and committed as that. Its buffer stands by
// with room for it.
struct placed_payload {
    payload_ref *body = nullptr; // null: there is none
    std::uint64_t message = 0;   // the queue's count of messages with it
};

struct alignas(16) segment {
    static constexpr std::uint32_t unsealed = std::numeric_limits<std::uint32_t>::max();

    // Null when there is no memory. `bytes` counts data and references.
    static segment *create(std::size_t bytes, std::uint64_t base) noexcept;
    static void destroy(segment *dead) noexcept;

    [[nodiscard]] std::uint8_t *data() noexcept { return reinterpret_cast<std::uint8_t *>(this + 1); }
    [[nodiscard]] payload_ref &payload_ref_at(std::uint32_t index) noexcept {
        return *(reinterpret_cast<payload_ref *>(data() + capacity) - (index + 1));
    }
    // The references from `first` on: their owners are released.
    void release_payload_refs(std::uint32_t first) noexcept;
    // The first byte behind the frames that the references still leave free.
    [[nodiscard]] std::uint8_t *limit() noexcept {
        return data() + capacity - payload_ref_count.load(std::memory_order_relaxed) * sizeof(payload_ref);
    }

    segment *next = nullptr;                   // set when sealed
    std::uint64_t base;                        // the queue's position of the first byte
    std::atomic<std::uint32_t> used{unsealed}; // sealed length
    std::atomic<std::uint32_t> payload_ref_count{0};
    std::uint32_t first_message = unsealed; // where a message begins, for a reader that may have to go back
    std::uint32_t capacity;
    std::uint8_t size_class;
    std::thread::id last_reader{}; // who read it, of a segment that lies in store to be used again

    segment(std::uint64_t position, std::uint32_t bytes, std::uint8_t pool_class) noexcept
        : base(position), capacity(bytes), size_class(pool_class) {}
};

// The segments that go from one thread to the other. The first one goes to the reader. One that was read goes
// back to the writer, which uses it again.
class segment_exchange {
  public:
    segment_exchange() noexcept = default;
    ~segment_exchange();
    segment_exchange(const segment_exchange &) = delete;
    segment_exchange &operator=(const segment_exchange &) = delete;

    // ---- writer, before anything is committed
    void begin(segment &first) noexcept { first_.store(&first, std::memory_order_relaxed); }
    // Returns null if there is none.
    [[nodiscard]] segment *take_spare() noexcept {
        return spare_.exchange(nullptr, std::memory_order_acquire);
    }

    // ---- reader. Null before something was committed.
    [[nodiscard]] segment *first() const noexcept { return first_.load(std::memory_order_relaxed); }
    void store_spare(segment &read) noexcept;
    [[nodiscard]] bool has_spare() const noexcept {
        return spare_.load(std::memory_order_relaxed) != nullptr;
    }
    // A quiet queue keeps no segment in store that is larger.
    void drop_spare_above(std::size_t capacity) noexcept;

  private:
    std::atomic<segment *> first_{nullptr};
    std::atomic<segment *> spare_{nullptr}; // exchanged by both
};

} // namespace zlink::queue_detail
