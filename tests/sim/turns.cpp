// SPDX-License-Identifier: MPL-2.0
#include "sim/turns.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "sim/result.hpp"

namespace sim {
namespace {
constexpr std::uint64_t most_points = 20'000'000; // of one run; a run that goes on does not end
constexpr time_ns longest_run = 12 * 3600 * one_s;
constexpr std::uint64_t hash_prime = 0x100000001b3u;
} // namespace

turns *run = nullptr;

void fail(const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    const int size = std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)size;
    end_with_finding(text);
}

turns::turns(std::uint64_t seed) : dice(seed) {
    threads_.push_back(std::make_unique<sim_thread>(numbers_++));
    running_ = threads_.back().get();
    running_->runs = std::make_unique<fiber>();
    sigemptyset(&running_->blocked);
}

time_ns turns::up_to(time_ns most) noexcept {
    return most <= 0 ? 0 : static_cast<time_ns>(dice.next() % static_cast<std::uint64_t>(most + 1));
}

// ---- the trace

void turns::mix(std::uint64_t value) noexcept {
    hash_ = (hash_ ^ value) * hash_prime;
    hash_ ^= hash_ >> 29;
}

void turns::note(const char *event, std::int64_t number, std::int64_t other) {
    mix(static_cast<std::uint64_t>(now_));
    mix(static_cast<std::uint64_t>(running_->number));
    for (const char *letter = event; *letter != '\0'; ++letter)
        mix(static_cast<std::uint64_t>(*letter));
    mix(static_cast<std::uint64_t>(number));
    mix(static_cast<std::uint64_t>(other));
    if (trace == nullptr)
        return;
    char line[160];
    const int size =
        std::snprintf(line, sizeof line, "%lld.%09lld t%d %s %lld %lld\n",
                      static_cast<long long>(now_ / one_s), static_cast<long long>(now_ % one_s),
                      running_->number, event, static_cast<long long>(number), static_cast<long long>(other));
    trace->append(line, static_cast<std::size_t>(std::min<int>(size, sizeof line - 1)));
}

// ---- turns

void turns::point(const char *event, std::int64_t number, std::int64_t other) {
    note(event, number, other);
    if (++points_ > most_points)
        fail("no end: %llu points", static_cast<unsigned long long>(points_));
    now_ += odds_now.call_costs + up_to(odds_now.call_costs);
    run_events();
    maybe_hold();
    if (running_->held_until > now_ || chance(odds_now.turn))
        pass_on();
}

void turns::maybe_hold() {
    if (chance(odds_now.hold))
        running_->held_until = now_ + up_to(odds_now.longest_hold);
}

bool turns::wait_is_over(sim_thread &thread) {
    return thread.woken || now_ >= std::min(thread.what.until, thread.signal_at) ||
           (thread.what.met != nullptr && is_met(thread));
}

// Asked again only after a change.
bool turns::is_met(sim_thread &thread) {
    if (thread.looked_at == changes_)
        return false;
    if ((*thread.what.met)())
        return true;
    thread.looked_at = changes_;
    return false;
}

bool turns::can_run(sim_thread &thread) {
    return !thread.ended && thread.held_until <= now_ && (!thread.waits || wait_is_over(thread));
}

void turns::collect() {
    ready_.clear();
    for (const auto &thread : threads_)
        if (can_run(*thread))
            ready_.push_back(thread.get());
}

// The turn goes to any thread that can run, this one as well.
void turns::pass_on() {
    for (collect(); ready_.empty(); collect())
        jump();
    sim_thread *const next = ready_[dice.below(static_cast<std::uint32_t>(ready_.size()))];
    if (next == running_)
        return;
    sim_thread *const before = running_;
    running_ = next;
    before->runs->switch_to(*next->runs);
}

time_ns turns::next_time() {
    time_ns next = events_.empty() ? never : events_.begin()->first;
    for (const auto &thread : threads_) {
        if (thread->ended)
            continue;
        if (thread->held_until > now_)
            next = std::min(next, thread->held_until);
        else if (thread->waits)
            next = std::min({next, thread->what.until, thread->signal_at});
    }
    return next;
}

void turns::jump() {
    const time_ns next = next_time();
    if (next == never)
        fail("every thread waits for ever");
    now_ = std::max(now_, next);
    if (now_ > longest_run)
        fail("no end: %lld s", static_cast<long long>(now_ / one_s));
    run_events();
}

void turns::at(time_ns when, std::function<void()> what) {
    events_.emplace(when, std::move(what));
}

void turns::run_events() {
    while (!events_.empty() && events_.begin()->first <= now_) {
        const auto what = std::move(events_.begin()->second);
        events_.erase(events_.begin());
        what();
    }
}

// ---- waits

wait_end turns::wait(const wait_for &what) {
    sim_thread &self = *running_;
    self.what = what;
    self.woken = false;
    self.looked_at = 0;
    at_places_ += what.place != nullptr ? 1 : 0;
    self.signal_at = never;
    self.waits = true;
    const sigset_t &mask = what.mask != nullptr ? *what.mask : self.blocked;
    if (what.by_signal && sigismember(&mask, SIGUSR1) == 0 && chance(odds_now.signal))
        self.signal_at = now_ + up_to(20 * ms);
    if (what.place != nullptr && chance(odds_now.spurious))
        self.woken = true;
    pass_on();
    self.waits = false;
    at_places_ -= what.place != nullptr ? 1 : 0;
    self.what = {};
    if (self.woken || (what.met != nullptr && (*what.met)()))
        return wait_end::woken;
    return now_ >= self.signal_at ? wait_end::interrupted : wait_end::timed_out;
}

// The dice choose whom, as a kernel promises no order.
int turns::wake(const void *place, int most) {
    if (at_places_ == 0)
        return 0;
    int woken = 0;
    const std::size_t count = threads_.size();
    const std::size_t first = dice.below(static_cast<std::uint32_t>(count));
    for (std::size_t index = 0; index < count && woken < most; ++index) {
        sim_thread &thread = *threads_[(first + index) % count];
        if (!thread.waits || thread.woken || thread.what.place != place)
            continue;
        thread.woken = true;
        ++woken;
    }
    return woken;
}

// ---- threads

void turns::run_thread(void *of) {
    auto &self = *static_cast<sim_thread *>(of);
    self.result = self.start(self.argument);
    while (!self.at_end.empty()) {
        const auto [function, object] = self.at_end.back();
        self.at_end.pop_back();
        function(object);
    }
    self.ended = true;
    run->note("end");
    run->wake(&self, 1);
    run->pass_on();
    fail("a thread ran after its end");
}

sim_thread *turns::start_thread(void *(*start)(void *), void *argument) {
    auto made = std::make_unique<sim_thread>(numbers_++);
    made->start = start;
    made->argument = argument;
    made->blocked = running_->blocked;
    made->runs = std::make_unique<fiber>(&run_thread, made.get());
    if (!made->runs->is_ready())
        return nullptr;
    threads_.push_back(std::move(made));
    return threads_.back().get();
}

sim_thread *turns::find(pthread_t thread) noexcept {
    for (const auto &one : threads_)
        if (pthread_equal(one->runs->thread(), thread) != 0)
            return one.get();
    return nullptr;
}

void turns::forget(sim_thread &ended) noexcept {
    ended.runs->end();
    std::erase_if(threads_, [&](const auto &one) { return one.get() == &ended; });
}

} // namespace sim
