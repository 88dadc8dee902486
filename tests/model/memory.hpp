// SPDX-License-Identifier: MPL-2.0
// memory: what the threads of a program may read, by C++'s memory model. Each shared atomic object has the
// list of its stores. A load may give every store that coherence and happens-before leave open.
//
// A thread's `knowledge` is all that happens before its next step. It has a vector clock, and for each shared
// object the oldest store that the thread may still read. A store carries the knowledge that an acquiring
// load takes over. The seq_cst operations are in the order in which they are run; `total_` is what the
// earlier ones have seen. Threads: the checker runs one at a time. Ownership: none of the program's memory,
// which always has the newest values. docs/TESTING.md tells what the model leaves out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zlink::model {

inline constexpr std::size_t most_threads = 4; // thread 0 prepares, and judges the end
inline constexpr std::size_t most_objects = 64;

using store_index = std::uint8_t; // into an object's list of stores

struct knowledge {
    std::array<std::uint16_t, most_threads> clock{};
    std::array<store_index, most_objects> oldest{};

    void join(const knowledge &other) noexcept;
    void join_oldest(const knowledge &other) noexcept;
};

// The memory orders as the compiler passes them to the hooks.
enum class order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
[[nodiscard]] bool acquires(order how) noexcept;
[[nodiscard]] bool releases(order how) noexcept;

// Decides where a program may go on in more than one way.
class chooser {
  public:
    // Returns a number below `count`.
    virtual std::size_t choose(std::size_t count) = 0;

  protected:
    ~chooser() = default;
};

class memory {
  public:
    explicit memory(chooser &decides) noexcept : chooser_(decides) {}

    void begin();                   // of an execution
    void start(std::size_t thread); // with what thread 0 knows
    void join(std::size_t thread);  // thread 0 knows what it knew at its end

    // Only for shared objects. `address` has `size` bytes.
    std::uint64_t load(std::size_t thread, std::size_t object, const void *address, std::size_t size,
                       order how);
    void store(std::size_t thread, std::size_t object, void *address, std::size_t size, std::uint64_t value,
               order how);
    // A read-modify-write reads the newest store. It is to be followed by store_modified().
    std::uint64_t load_to_modify(std::size_t thread, std::size_t object, const void *address,
                                 std::size_t size, order how);
    void store_modified(std::size_t thread, std::size_t object, void *address, std::size_t size,
                        std::uint64_t value, order how);
    // For a compare-exchange. It succeeds if it reads the newest store, and that is as expected.
    std::uint64_t load_to_compare(std::size_t thread, std::size_t object, const void *address,
                                  std::size_t size, std::uint64_t expected, order success, order failure,
                                  bool &succeeds);
    // The object's memory is written plainly, for instance by a constructor.
    void overwrite(std::size_t object);

    void fence(std::size_t thread, order how);
    void compiler_fence(std::size_t thread, order how);
    void fence_of_all(std::size_t thread); // membarrier(2)

    [[nodiscard]] knowledge &of(std::size_t thread) noexcept { return threads_[thread].now; }
    // The last load gave a store that is not the newest.
    [[nodiscard]] bool was_old() const noexcept { return was_old_; }

  private:
    struct stored {
        std::uint64_t value = 0;
        bool pending = false; // a plain write, whose value is in memory once it is done
        knowledge carried;
    };
    struct object_state {
        std::vector<stored> stores;
        store_index first = 0; // what is older was overwritten plainly
    };
    struct thread_state {
        knowledge now;
        knowledge acquired; // by relaxed loads, for a later acquire fence
        knowledge released; // by the last release fence
        knowledge fenced;   // at the last fence of the compiler
        knowledge imposed;  // by another thread's membarrier(2), from the next fence of the compiler on
        bool is_imposed = false;
        std::array<store_index, most_objects> last_read{};
        std::array<std::uint8_t, most_objects> times_read{}; // an old store, one time after the other
    };

    object_state &prepare(std::size_t object, const void *address, std::size_t size);
    std::size_t oldest_readable(const thread_state &reader, std::size_t object, order how) const noexcept;
    std::size_t choose_store(thread_state &reader, std::size_t object, order how);
    void take_over(thread_state &reader, std::size_t object, std::size_t index, order how);
    void append(std::size_t thread, std::size_t object, const stored &added, order how);

    chooser &chooser_;
    std::array<object_state, most_objects> objects_;
    std::array<thread_state, most_threads> threads_;
    knowledge total_;
    bool was_old_ = false;
};

[[nodiscard]] std::uint64_t plain_value(const void *address, std::size_t size) noexcept;
void set_plain_value(void *address, std::size_t size, std::uint64_t value) noexcept;

} // namespace zlink::model
