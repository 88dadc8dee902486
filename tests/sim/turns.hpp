// SPDX-License-Identifier: MPL-2.0
// turns: which thread of the simulated program runs, and what time it is.
//
// A thread runs until a pretend system call, a lock or a wait. There the dice may give the turn to another
// one. When all threads wait, the clock jumps to the next event. One seed is one sequence of turns.
//
// Threads: one of the host. Units: nanoseconds of the simulated clock, which began at 0.
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "sim/fiber.hpp"

namespace sim {

using time_ns = std::int64_t;
inline constexpr time_ns never = std::numeric_limits<time_ns>::max();
inline constexpr time_ns us = 1000;
inline constexpr time_ns ms = 1000 * us;
inline constexpr time_ns one_s = 1000 * ms;

enum class wait_end : std::uint8_t { woken, timed_out, interrupted };

// A wait ends by any of these.
struct wait_for {
    const void *place = nullptr;                // a wake() of this address
    const std::function<bool()> *met = nullptr; // a condition of the pretend kernel
    time_ns until = never;
    const sigset_t *mask = nullptr; // signals that do not end it; null: the thread's own
    bool by_signal = false;         // can a signal end it at all?
};

struct sim_thread {
    explicit sim_thread(int its_number) : number(its_number) {}

    int number;
    std::unique_ptr<fiber> runs;
    void *(*start)(void *) = nullptr;
    void *argument = nullptr;
    void *result = nullptr;
    sigset_t blocked{};
    std::vector<std::pair<void (*)(void *), void *>> at_end;
    bool ended = false;
    bool waits = false;
    bool woken = false;
    time_ns signal_at = never;   // while it waits
    std::uint64_t looked_at = 0; // changes when its condition was not met
    wait_for what;
    time_ns held_until = 0; // another program has its processor until then
};

// How the dice are loaded in one run.
struct odds {
    std::uint32_t turn = 4;     // one in so many points gives the turn away
    std::uint32_t hold = 0;     // one in so many holds the thread up; 0: none
    std::uint32_t signal = 0;   // one in so many waits ends by a signal; 0: none
    std::uint32_t spurious = 0; // one in so many waits for an address ends for nothing
    time_ns longest_hold = 2 * ms;
    time_ns call_costs = 500; // at most twice as much
};

class turns {
  public:
    explicit turns(std::uint64_t seed);

    // Another thread may run here. `event` and the numbers go into the trace.
    void point(const char *event, std::int64_t number = 0, std::int64_t other = 0);
    void note(const char *event, std::int64_t number = 0, std::int64_t other = 0);
    wait_end wait(const wait_for &what);
    // Returns how many were woken.
    int wake(const void *place, int most);
    // Something changed that a condition may look at.
    void changed() noexcept { ++changes_; }
    void at(time_ns when, std::function<void()> what);
    [[nodiscard]] time_ns now() const noexcept { return now_; }

    sim_thread *start_thread(void *(*start)(void *), void *argument);
    [[nodiscard]] sim_thread *find(pthread_t thread) noexcept;
    [[nodiscard]] sim_thread &self() noexcept { return *running_; }
    void forget(sim_thread &ended) noexcept;

    zlink::random_generator dice;
    odds odds_now;
    // One in `of`; never for 0.
    [[nodiscard]] bool chance(std::uint32_t of) noexcept { return of != 0 && dice.below(of) == 0; }
    [[nodiscard]] time_ns up_to(time_ns most) noexcept;

    [[nodiscard]] std::uint64_t trace_hash() const noexcept { return hash_; }
    [[nodiscard]] std::uint64_t points() const noexcept { return points_; }
    std::string *trace = nullptr; // gets the text, too

  private:
    static void run_thread(void *thread);
    [[nodiscard]] bool can_run(sim_thread &thread);
    [[nodiscard]] bool wait_is_over(sim_thread &thread);
    [[nodiscard]] bool is_met(sim_thread &thread);
    [[nodiscard]] time_ns next_time();
    void run_events();
    void collect();
    void pass_on();
    void maybe_hold();
    void jump();
    void mix(std::uint64_t value) noexcept;

    time_ns now_ = 0;
    std::uint64_t changes_ = 1;
    int at_places_ = 0; // threads that wait for a wake()
    std::uint64_t hash_ = 0xcbf29ce484222325u;
    std::uint64_t points_ = 0;
    std::vector<std::unique_ptr<sim_thread>> threads_;
    std::vector<sim_thread *> ready_; // kept for its memory
    sim_thread *running_ = nullptr;
    std::multimap<time_ns, std::function<void()>> events_;
    int numbers_ = 0;
};

// The run that goes on in this process; null before it and after it.
extern turns *run;

// A finding: prints it and ends the process.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace sim
