// SPDX-License-Identifier: MPL-2.0
// buffer: a reference-counted message body, from the pool or adopted from the application.
//
// Threads: retain() and release() from any thread; the bytes may be written while there is one reference
// only. Ownership: intrusive count; allocate() and adopt() return one reference. The application's free
// function runs on the thread that drops the last one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink {

using free_function = void (*)(void *data, void *hint);

class buffer {
  public:
    // Null when there is no memory.
    static buffer *allocate(std::size_t size) noexcept;
    // Makes a buffer with a copy of the bytes. The copy has the same offset in its cache line as `data`, as
    // far as 16-byte alignment allows. Large copies between equal offsets are a tenth faster.
    static buffer *copy_of(const std::uint8_t *data, std::size_t size) noexcept;
    static buffer *adopt(void *data, std::size_t size, free_function on_release, void *hint) noexcept;

    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;

    [[nodiscard]] std::uint8_t *data() noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // The bytes are the application's, which is told when they are free.
    [[nodiscard]] bool lent() const noexcept { return on_release_ != nullptr; }
    [[nodiscard]] bool shared() const noexcept { return references_.load(std::memory_order_relaxed) > 1; }

    void retain(std::uint32_t count = 1) noexcept { references_.fetch_add(count, std::memory_order_relaxed); }
    void release() noexcept {
        // The only holder needs no read-modify-write: nobody else can retain it.
        if (references_.load(std::memory_order_acquire) == 1 ||
            references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            destroy();
    }

  private:
    buffer(std::uint8_t *data, std::size_t size, free_function on_release, void *hint,
           std::uint8_t size_class) noexcept
        : size_class_(size_class), data_(data), size_(size), on_release_(on_release), hint_(hint) {}
    void destroy() noexcept;

    std::atomic<std::uint32_t> references_{1};
    std::uint8_t size_class_;
    std::uint8_t *data_;
    std::size_t size_;
    free_function on_release_;
    void *hint_;
};

} // namespace zlink
