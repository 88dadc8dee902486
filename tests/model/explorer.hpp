// SPDX-License-Identifier: MPL-2.0
// explorer: runs a program again and again, until each choice was made in each way. A choice is which thread
// goes on, or which store a load gives. An execution that goes wrong is run once more, and written down.
//
// Each thread of the program is a context of its own on the checker's one thread. A thread can lose its turn
// before an atomic operation on a shared object, at a lock, and where it sleeps. An object is shared if two
// threads use it and one of them stores. The explorer learns this: it begins anew when it finds one.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <string>
#include <ucontext.h>
#include <unordered_map>
#include <vector>

#include "model/memory.hpp"
#include "model/program.hpp"
#include "model/races.hpp"

namespace zlink::model {

struct result {
    std::uint64_t executions = 0;
    bool complete = false; // each choice was made in each way
    std::string failure;   // empty: nothing went wrong
};

class explorer final : private chooser {
  public:
    struct limits {
        int preemptions = 0;
        std::uint64_t executions = 0; // 0: no limit
        double seconds = 0;           // of processor time; 0: no limit
    };

    result explore(const program &checked, const limits &most);

    // ---- for the hooks, by the thread that is at work
    std::uint64_t load(const void *address, std::size_t size, order how, const void *site);
    void store(void *address, std::size_t size, std::uint64_t value, order how, const void *site);
    template <class Change>
    std::uint64_t modify(void *address, std::size_t size, order how, const void *site, Change change) {
        const std::size_t object = begin_step(address, size, site);
        const std::uint64_t before = object == none
                                         ? plain_value(address, size)
                                         : memory_.load_to_modify(current_, object, address, size, how);
        end_modify(object, address, size, before, change(before), how, site);
        return before;
    }
    bool compare_exchange(void *address, std::size_t size, std::uint64_t &expected, std::uint64_t desired,
                          order success, order failure, const void *site);
    void fence(order how, const void *site);
    void compiler_fence(order how);
    void fence_of_all(const void *site);
    void plain(const void *address, std::size_t size, bool writes, const void *site);
    void *allocate(std::size_t bytes);
    void release(void *memory, const void *site);
    void lock(void *mutex, const void *site);
    bool try_lock(void *mutex, const void *site);
    void unlock(void *mutex, const void *site);
    // The thread waits on the address while its newest value is this one. See futex(2).
    bool wait_on(const void *address, std::uint32_t value, const void *site);
    void wake_waiting(const void *address, std::size_t most, const void *site);
    void yield();
    // As yield(). In some executions it never does anything: other programs compute, see brief_yield.
    void brief_yield();
    void sleep();
    void wake(std::size_t thread);
    [[nodiscard]] std::size_t current() const noexcept { return current_; }
    [[noreturn]] void fail(const char *why, const void *site);

  private:
    static constexpr std::size_t none = most_objects;
    enum class status : std::uint8_t { ready, waiting, ended };
    enum return_reason : int { begun, all_ended, failed, begin_anew };
    struct choice {
        std::size_t made;
        std::size_t count;
    };
    struct thread_state {
        status now = status::ended;
        const void *waits_for = nullptr;
        bool woken = false;       // by wake(), before it slept
        bool after_load = false;  // a loss of its turn here is one before the load
        bool has_context = false; // and `place` is in it
        std::jmp_buf place;
        ucontext_t context;
    };
    struct lock_state {
        bool taken = false;
        knowledge carried;
    };
    struct usage { // of an atomic object, in all executions
        std::uint8_t readers = 0;
        std::uint8_t writers = 0;
        std::uint8_t object = none;
    };
    struct thread_list {
        std::size_t count = 0;
        std::array<std::size_t, most_threads> list;
        void add(std::size_t thread) noexcept { list[count++] = thread; }
    };
    struct event {
        std::size_t thread;
        const char *what;
        const void *address;
        std::uint64_t value;
        const void *site;
        bool old;
    };

    std::size_t choose(std::size_t count) override;
    bool next_choices() noexcept;
    void run_once();
    void begin_execution();
    void enter(std::size_t thread);
    void switch_to(std::size_t thread);
    void point();
    void pick_next();
    [[nodiscard]] thread_list ready_others() const noexcept;
    void switch_to_one(const thread_list &others);
    void wake_waiters(const void *address, std::size_t most);
    std::size_t begin_step(const void *address, std::size_t size, const void *site);
    void end_modify(std::size_t object, void *address, std::size_t size, std::uint64_t before,
                    std::uint64_t after, order how, const void *site);
    void note(const void *address, std::size_t size, bool writes, bool atomic, const void *site);
    std::size_t object_at(const void *address, bool writes);
    void trace(const char *what, const void *address, std::uint64_t value, const void *site,
               bool old = false);
    [[nodiscard]] std::string report() const;
    static void thread_main();

    memory memory_{*this};
    races races_;
    arena arena_;
    const program *program_ = nullptr;
    void *state_ = nullptr;
    limits limits_;
    std::vector<choice> choices_;
    std::size_t next_choice_ = 0;
    std::array<thread_state, most_threads> threads_;
    std::size_t current_ = 0;
    int preemptions_ = 0;
    enum class brief : std::uint8_t { undecided, yields, left_out } brief_ = brief::undecided;
    std::size_t steps_ = 0;
    std::vector<usage> uses_ = std::vector<usage>(arena::all_bytes); // by the first byte
    std::unordered_map<const void *, lock_state> locks_;
    std::size_t objects_ = 0;
    std::jmp_buf host_;
    bool begins_anew_ = false;
    bool tracing_ = false;
    std::vector<event> events_;
    std::string failure_;
};

// The explorer at work, for the hooks.
extern explorer the_explorer;
// Set while the program runs, and not while the checker does. Only then the hooks do anything.
extern bool in_program;
// The program's clock goes on, as far as a yield lasts.
void let_time_pass() noexcept;

// "queue_writer.hpp:103 commit_until()" of an instruction.
[[nodiscard]] std::string name_of(const void *site);

} // namespace zlink::model
