// SPDX-License-Identifier: MPL-2.0
#include "model/explorer.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace zlink::model {

namespace {
constexpr std::size_t stack_bytes = 128 * 1024;
constexpr std::size_t most_steps = 20000; // of an execution: it has no end
alignas(64) unsigned char stacks[most_threads][stack_bytes];
} // namespace

bool in_program = false;

explorer the_explorer;

// ---- choices

std::size_t explorer::choose(std::size_t count) {
    if (next_choice_ == choices_.size())
        choices_.push_back({0, count});
    choice &now = choices_[next_choice_++];
    if (now.count != count) {
        std::fprintf(stderr, "model: %s does not do the same in each execution\n", program_->name);
        std::abort();
    }
    return now.made;
}

// Returns false if all were made.
bool explorer::next_choices() noexcept {
    while (!choices_.empty() && choices_.back().made + 1 == choices_.back().count)
        choices_.pop_back();
    if (choices_.empty())
        return false;
    ++choices_.back().made;
    return true;
}

result explorer::explore(const program &checked, const limits &most) {
    program_ = &checked;
    limits_ = most;
    choices_.clear();
    uses_.assign(uses_.size(), {});
    objects_ = 0;
    tracing_ = false;
    failure_.clear();
    result found;
    const std::clock_t begin = std::clock();
    for (;;) {
        run_once();
        if (std::exchange(begins_anew_, false))
            continue;
        ++found.executions;
        if (!failure_.empty())
            break;
        if (!next_choices()) {
            found.complete = true;
            break;
        }
        const bool many = found.executions % 256 == 0;
        if (found.executions == most.executions ||
            (many && most.seconds != 0 &&
             static_cast<double>(std::clock() - begin) > most.seconds * CLOCKS_PER_SEC))
            break;
    }
    if (!failure_.empty()) {
        tracing_ = true;
        run_once();
        found.failure = failure_ + "\n" + report();
    }
    return found;
}

// ---- an execution

void explorer::thread_main() {
    explorer &here = the_explorer;
    for (;;) {
        thread_state &mine = here.threads_[here.current_];
        in_program = true;
        here.program_->run(here.state_, here.current_);
        in_program = false;
        mine.now = status::ended;
        if (_setjmp(mine.place) == 0)
            here.pick_next();
    }
}

void explorer::run_once() {
    switch (_setjmp(host_)) {
    case begun:
        begin_execution();
        enter(current_);
        break;
    case all_ended:
        current_ = 0;
        for (std::size_t thread = 1; thread <= program_->threads; ++thread)
            memory_.join(thread);
        if (_setjmp(host_) == 0) {
            in_program = true;
            program_->finish(state_);
            in_program = false;
        }
        break;
    case begin_anew: // the choices have another meaning now
        choices_.clear();
        begins_anew_ = true;
        [[fallthrough]];
    default:
        for (thread_state &thread : threads_)
            thread.has_context = false;
    }
}

void explorer::begin_execution() {
    next_choice_ = 0;
    preemptions_ = 0;
    steps_ = 0;
    brief_ = brief::undecided;
    events_.clear();
    locks_.clear();
    memory_.begin();
    races_.begin();
    arena_.begin();
    current_ = 0;
    in_program = true;
    state_ = program_->prepare();
    in_program = false;
    for (std::size_t thread = 1; thread <= program_->threads; ++thread) {
        thread_state &one = threads_[thread];
        one.now = status::ready;
        one.woken = one.after_load = false;
        memory_.start(thread);
    }
    current_ = 1 + choose(program_->threads);
}

// Never returns here.
void explorer::enter(std::size_t thread) {
    thread_state &next = threads_[thread];
    current_ = thread;
    if (next.has_context)
        _longjmp(next.place, 1);
    next.has_context = true;
    getcontext(&next.context);
    next.context.uc_stack.ss_sp = stacks[thread];
    next.context.uc_stack.ss_size = stack_bytes;
    next.context.uc_link = nullptr;
    makecontext(&next.context, thread_main, 0);
    setcontext(&next.context);
}

void explorer::switch_to(std::size_t thread) {
    if (thread != current_ && _setjmp(threads_[current_].place) == 0)
        enter(thread);
}

explorer::thread_list explorer::ready_others() const noexcept {
    thread_list others;
    for (std::size_t thread = 1; thread <= program_->threads; ++thread)
        if (thread != current_ && threads_[thread].now == status::ready)
            others.add(thread);
    return others;
}

void explorer::switch_to_one(const thread_list &others) {
    switch_to(others.list[others.count == 1 ? 0 : choose(others.count)]);
}

// Before a step: another thread may go on instead.
void explorer::point() {
    if (++steps_ > most_steps)
        fail("an execution has no end", nullptr);
    if (std::exchange(threads_[current_].after_load, false) || preemptions_ >= limits_.preemptions)
        return;
    const thread_list others = ready_others();
    if (others.count == 0)
        return;
    if (const std::size_t chosen = choose(1 + others.count); chosen != 0) {
        ++preemptions_;
        switch_to(others.list[chosen - 1]);
    }
}

// The current thread cannot go on.
void explorer::pick_next() {
    const thread_list others = ready_others();
    if (others.count != 0)
        return switch_to_one(others);
    for (std::size_t thread = 1; thread <= program_->threads; ++thread)
        if (threads_[thread].now == status::waiting)
            fail("a thread waits, and nobody wakes it", nullptr);
    _longjmp(host_, all_ended);
}

void explorer::yield() {
    if (const thread_list others = ready_others(); others.count != 0) {
        if (++steps_ > most_steps)
            fail("an execution has no end", nullptr);
        switch_to_one(others);
    }
}

void explorer::brief_yield() {
    if (brief_ == brief::undecided)
        brief_ = choose(2) == 0 ? brief::yields : brief::left_out;
    if (brief_ == brief::yields)
        yield();
}

void explorer::fail(const char *why, const void *site) {
    in_program = false;
    failure_ = why;
    if (site != nullptr)
        trace("fails", nullptr, 0, site);
    _longjmp(host_, failed);
}

// ---- what a thread waits for

void explorer::sleep() {
    thread_state &mine = threads_[current_];
    if (!mine.woken) {
        trace("sleeps", nullptr, 0, nullptr);
        mine.now = status::waiting;
        mine.waits_for = &mine;
        pick_next();
    }
    mine.woken = false;
}

void explorer::wake(std::size_t thread) {
    point();
    trace("wakes thread", nullptr, thread, nullptr);
    threads_[thread].woken = true;
    wake_waiters(&threads_[thread], 1);
}

void explorer::wake_waiters(const void *address, std::size_t most) {
    std::vector<std::size_t> waiters;
    for (std::size_t thread = 1; thread <= program_->threads; ++thread)
        if (threads_[thread].now == status::waiting && threads_[thread].waits_for == address)
            waiters.push_back(thread);
    for (; most != 0 && !waiters.empty(); --most) {
        const std::size_t chosen = waiters.size() == 1 ? 0 : choose(waiters.size());
        threads_[waiters[chosen]].now = status::ready;
        waiters.erase(waiters.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
}

bool explorer::wait_on(const void *address, std::uint32_t value, const void *site) {
    point();
    if (plain_value(address, sizeof value) != value)
        return false;
    trace("waits on", address, value, site);
    threads_[current_].now = status::waiting;
    threads_[current_].waits_for = address;
    pick_next();
    return true;
}

void explorer::wake_waiting(const void *address, std::size_t most, const void *site) {
    if (current_ != 0)
        point();
    trace("wakes those that wait on", address, most, site);
    wake_waiters(address, most);
}

bool explorer::try_lock(void *mutex, const void *site) {
    if (current_ != 0)
        point();
    lock_state &state = locks_[mutex];
    if (state.taken)
        return false;
    trace("locks", mutex, 0, site);
    state.taken = true;
    memory_.of(current_).join(state.carried);
    return true;
}

void explorer::lock(void *mutex, const void *site) {
    while (!try_lock(mutex, site)) {
        threads_[current_].now = status::waiting;
        threads_[current_].waits_for = mutex;
        pick_next();
    }
}

void explorer::unlock(void *mutex, const void *site) {
    if (current_ != 0)
        point();
    trace("unlocks", mutex, 0, site);
    lock_state &state = locks_[mutex];
    state.taken = false;
    state.carried = memory_.of(current_);
    ++memory_.of(current_).clock[current_];
    wake_waiters(mutex, most_threads);
}

} // namespace zlink::model
