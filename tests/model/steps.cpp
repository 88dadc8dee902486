// SPDX-License-Identifier: MPL-2.0
// explorer: the steps of a thread in memory, and the report of an execution.
#include <bit>
#include <cstdio>
#include <sstream>

#include "model/explorer.hpp"

namespace zlink::model {

// ---- atomic operations

// Thread 0 is alone: for it they are plain. So they are outside of the arena, where nothing is begun anew.
std::size_t explorer::object_at(const void *address, bool writes) {
    if (current_ == 0 || !arena::contains(address))
        return none;
    usage &use = uses_[arena::offset_of(address)];
    const usage before = use;
    std::uint8_t &user = writes ? use.writers : use.readers;
    user = static_cast<std::uint8_t>(user | 1U << current_);
    if (use.object == none && use.writers != 0 && !std::has_single_bit(0U | use.readers | use.writers)) {
        if (objects_ == most_objects)
            std::abort(); // the program is too large for this checker
        use.object = static_cast<std::uint8_t>(objects_++);
    }
    const bool new_writer = use.object != none && use.writers != before.writers;
    if (use.object != before.object || new_writer) {
        in_program = false;
        _longjmp(host_, begin_anew);
    }
    return use.object;
}

// Begins a store. Returns `none` for an object that is not shared.
std::size_t explorer::begin_step(const void *address, std::size_t size, const void *site) {
    const std::size_t object = object_at(address, true);
    if (object != none)
        point();
    note(address, size, true, true, site);
    return object;
}

// A thread that alone stores an object loads its own store, whatever the others do.

std::uint64_t explorer::load(const void *address, std::size_t size, order how, const void *site) {
    const std::size_t object = object_at(address, false);
    const bool own = object != none && uses_[arena::offset_of(address)].writers == 1U << current_;
    const bool orders_others = how == order::seq_cst;
    if (object != none && (!own || orders_others))
        point();
    note(address, size, false, true, site);
    if (object == none)
        return plain_value(address, size);
    const std::uint64_t value = memory_.load(current_, object, address, size, how);
    threads_[current_].after_load = !orders_others && (!own || threads_[current_].after_load);
    trace("loads", address, value, site, memory_.was_old());
    return value;
}

void explorer::store(void *address, std::size_t size, std::uint64_t value, order how, const void *site) {
    const std::size_t object = begin_step(address, size, site);
    if (object == none)
        return set_plain_value(address, size, value);
    memory_.store(current_, object, address, size, value, how);
    trace("stores", address, value, site);
}

void explorer::end_modify(std::size_t object, void *address, std::size_t size, std::uint64_t before,
                          std::uint64_t after, order how, const void *site) {
    if (object == none)
        return set_plain_value(address, size, after);
    memory_.store_modified(current_, object, address, size, after, how);
    trace("reads, to change it,", address, before, site);
    trace("  and stores", address, after, site);
}

bool explorer::compare_exchange(void *address, std::size_t size, std::uint64_t &expected,
                                std::uint64_t desired, order success, order failure, const void *site) {
    const std::size_t object = begin_step(address, size, site);
    bool succeeds = false;
    std::uint64_t before = 0;
    if (object == none) {
        before = plain_value(address, size);
        succeeds = before == expected;
    } else {
        before =
            memory_.load_to_compare(current_, object, address, size, expected, success, failure, succeeds);
    }
    if (succeeds) {
        end_modify(object, address, size, before, desired, success, site);
    } else {
        expected = before;
        if (object != none)
            trace("compares in vain with", address, before, site, memory_.was_old());
    }
    return succeeds;
}

void explorer::fence(order how, const void *site) {
    if (current_ == 0)
        return;
    point();
    memory_.fence(current_, how);
    trace("has a fence", nullptr, static_cast<std::uint64_t>(how), site);
}

void explorer::compiler_fence(order how) {
    if (current_ != 0)
        memory_.compiler_fence(current_, how);
}

void explorer::fence_of_all(const void *site) {
    if (current_ == 0)
        return;
    point();
    memory_.fence_of_all(current_);
    trace("has a fence for all", nullptr, 0, site);
}

// ---- plain memory

void explorer::note(const void *address, std::size_t size, bool writes, bool atomic, const void *site) {
    if (current_ == 0 || !arena::contains(address)) // thread 0 is alone
        return;
    if (const char *wrong =
            races_.note({current_, site, writes, atomic}, address, size, memory_.of(current_))) {
        trace("was there before", address, 0, races_.other_site());
        fail(wrong, site);
    }
}

void explorer::plain(const void *address, std::size_t size, bool writes, const void *site) {
    note(address, size, writes, false, site);
    if (!writes || !arena::contains(address) || current_ == 0)
        return;
    for (std::size_t index = 0; index < size; ++index)
        if (const usage &use = uses_[arena::offset_of(address) + index]; use.object != none)
            memory_.overwrite(use.object);
}

void *explorer::allocate(std::size_t bytes) {
    return arena_.allocate(current_, bytes);
}

void explorer::release(void *memory, const void *site) {
    if (current_ == 0 || !arena::contains(memory))
        return;
    if (const char *wrong = races_.release({current_, site, true, false}, memory, arena::size_of(memory),
                                           memory_.of(current_))) {
        trace("was there before", memory, 0, races_.other_site());
        fail(wrong, site);
    }
}

// ---- the report

void explorer::trace(const char *what, const void *address, std::uint64_t value, const void *site, bool old) {
    if (tracing_)
        events_.push_back({current_, what, address, value, site, old});
}

std::string explorer::report() const {
    std::ostringstream text;
    for (const event &one : events_) {
        text << "  thread " << one.thread << " " << one.what;
        if (one.address != nullptr)
            text << " " << one.address;
        text << ": " << one.value << (one.old ? " (not the newest)" : "");
        if (one.site != nullptr)
            text << "   " << name_of(one.site);
        text << "\n";
    }
    return text.str();
}

} // namespace zlink::model
