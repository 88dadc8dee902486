// SPDX-License-Identifier: MPL-2.0
#include "model/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace zlink::model {

namespace {
// A store becomes visible in finite time: a loop does not read an older one for ever.
constexpr std::uint8_t most_times_old = 2;
constexpr std::size_t most_stores = 250;
} // namespace

void knowledge::join(const knowledge &other) noexcept {
    for (std::size_t thread = 0; thread < most_threads; ++thread)
        clock[thread] = std::max(clock[thread], other.clock[thread]);
    join_oldest(other);
}

void knowledge::join_oldest(const knowledge &other) noexcept {
    for (std::size_t object = 0; object < most_objects; ++object)
        oldest[object] = std::max(oldest[object], other.oldest[object]);
}

bool acquires(order how) noexcept {
    return how == order::consume || how == order::acquire || how == order::acq_rel || how == order::seq_cst;
}

bool releases(order how) noexcept {
    return how == order::release || how == order::acq_rel || how == order::seq_cst;
}

std::uint64_t plain_value(const void *address, std::size_t size) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, address, size); // of a little-endian number, the first bytes
    return value;
}

void set_plain_value(void *address, std::size_t size, std::uint64_t value) noexcept {
    std::memcpy(address, &value, size);
}

void memory::begin() {
    for (object_state &object : objects_) {
        object.stores.clear();
        object.first = 0;
    }
    for (thread_state &thread : threads_)
        thread = thread_state{};
    threads_[0].now.clock[0] = 1;
    total_ = {};
}

void memory::start(std::size_t thread) {
    threads_[thread].now = threads_[thread].fenced = threads_[0].now;
    threads_[thread].now.clock[thread] = 1;
    ++threads_[0].now.clock[0];
}

void memory::join(std::size_t thread) {
    threads_[0].now.join(threads_[thread].now);
}

// The first store is what was in memory before. The value of a plain write is there by now.
memory::object_state &memory::prepare(std::size_t object, const void *address, std::size_t size) {
    object_state &state = objects_[object];
    if (state.stores.empty())
        state.stores.push_back({0, true, {}});
    if (stored &newest = state.stores.back(); newest.pending) {
        newest.value = plain_value(address, size);
        newest.pending = false;
    }
    return state;
}

std::size_t memory::oldest_readable(const thread_state &reader, std::size_t object,
                                    order how) const noexcept {
    std::size_t oldest = std::max(objects_[object].first, reader.now.oldest[object]);
    if (how == order::seq_cst)
        oldest = std::max<std::size_t>(oldest, total_.oldest[object]);
    return oldest;
}

std::size_t memory::choose_store(thread_state &reader, std::size_t object, order how) {
    const std::size_t newest = objects_[object].stores.size() - 1;
    const std::size_t oldest = oldest_readable(reader, object, how);
    std::size_t chosen = newest;
    if (oldest < newest && reader.times_read[object] < most_times_old)
        chosen = newest - chooser_.choose(newest - oldest + 1);
    was_old_ = chosen != newest;
    const bool again = was_old_ && reader.last_read[object] == chosen;
    reader.times_read[object] = again ? reader.times_read[object] + 1 : 0;
    reader.last_read[object] = static_cast<store_index>(chosen);
    return chosen;
}

void memory::take_over(thread_state &reader, std::size_t object, std::size_t index, order how) {
    reader.now.oldest[object] = std::max(reader.now.oldest[object], static_cast<store_index>(index));
    if (how == order::seq_cst)
        total_.oldest[object] = std::max(total_.oldest[object], static_cast<store_index>(index));
    const knowledge &carried = objects_[object].stores[index].carried;
    if (acquires(how))
        reader.now.join(carried);
    else
        reader.acquired.join(carried);
}

std::uint64_t memory::load(std::size_t thread, std::size_t object, const void *address, std::size_t size,
                           order how) {
    prepare(object, address, size);
    thread_state &reader = threads_[thread];
    const std::size_t chosen = choose_store(reader, object, how);
    take_over(reader, object, chosen, how);
    return objects_[object].stores[chosen].value;
}

void memory::append(std::size_t thread, std::size_t object, const stored &added, order how) {
    object_state &state = objects_[object];
    if (state.stores.size() == most_stores)
        std::abort(); // the program is too long for this checker
    const auto index = static_cast<store_index>(state.stores.size());
    thread_state &writer = threads_[thread];
    writer.now.oldest[object] = index;
    if (how == order::seq_cst)
        total_.oldest[object] = index;
    state.stores.push_back(added);
    knowledge &carried = state.stores.back().carried;
    carried.join(releases(how) ? writer.now : writer.released);
    ++writer.now.clock[thread];
}

void memory::store(std::size_t thread, std::size_t object, void *address, std::size_t size,
                   std::uint64_t value, order how) {
    prepare(object, address, size);
    append(thread, object, {value, false, {}}, how);
    set_plain_value(address, size, value);
}

std::uint64_t memory::load_to_modify(std::size_t thread, std::size_t object, const void *address,
                                     std::size_t size, order how) {
    object_state &state = prepare(object, address, size);
    const std::size_t newest = state.stores.size() - 1;
    was_old_ = false;
    take_over(threads_[thread], object, newest, how);
    return state.stores[newest].value;
}

// It carries on what the store that it read carries: a release sequence.
void memory::store_modified(std::size_t thread, std::size_t object, void *address, std::size_t size,
                            std::uint64_t value, order how) {
    append(thread, object, {value, false, objects_[object].stores.back().carried}, how);
    set_plain_value(address, size, value);
}

std::uint64_t memory::load_to_compare(std::size_t thread, std::size_t object, const void *address,
                                      std::size_t size, std::uint64_t expected, order success, order failure,
                                      bool &succeeds) {
    object_state &state = prepare(object, address, size);
    thread_state &reader = threads_[thread];
    const std::size_t newest = state.stores.size() - 1;
    std::vector<std::size_t> readable{newest};
    for (std::size_t index = newest; index-- > oldest_readable(reader, object, failure);)
        if (state.stores[index].value != expected) // an older one that is as expected cannot be exchanged
            readable.push_back(index);
    const std::size_t chosen = readable.size() > 1 ? readable[chooser_.choose(readable.size())] : newest;
    was_old_ = chosen != newest;
    succeeds = state.stores[chosen].value == expected;
    take_over(reader, object, chosen, succeeds ? success : failure);
    return state.stores[chosen].value;
}

void memory::overwrite(std::size_t object) {
    object_state &state = objects_[object];
    if (state.stores.empty()) // the first access finds the value in memory
        return;
    if (state.stores.size() == most_stores)
        std::abort();
    state.first = static_cast<store_index>(state.stores.size());
    state.stores.push_back({0, true, {}});
}

void memory::fence(std::size_t thread, order how) {
    thread_state &here = threads_[thread];
    if (acquires(how))
        here.now.join(here.acquired);
    if (how == order::seq_cst) {
        total_.join_oldest(here.now);
        here.now.join_oldest(total_);
    }
    if (releases(how)) {
        here.released = here.now;
        ++here.now.clock[thread];
    }
    compiler_fence(thread, how);
}

// The compiler may move an access across another thread's fence of all threads, which does not order it then.
void memory::compiler_fence(std::size_t thread, order how) {
    thread_state &here = threads_[thread];
    if (how == order::relaxed)
        return;
    if (here.is_imposed)
        here.now.join_oldest(here.imposed);
    here.is_imposed = false;
    here.fenced = here.now;
}

void memory::fence_of_all(std::size_t thread) {
    fence(thread, order::seq_cst);
    for (std::size_t other = 1; other < most_threads; ++other)
        if (other != thread)
            total_.join_oldest(threads_[other].fenced);
    threads_[thread].now.join_oldest(total_);
    for (std::size_t other = 1; other < most_threads; ++other) {
        threads_[other].imposed.join_oldest(total_);
        threads_[other].is_imposed = other != thread;
    }
}

} // namespace zlink::model
