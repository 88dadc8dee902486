// SPDX-License-Identifier: MPL-2.0
#include "core/own_streams.hpp"

#include <algorithm>
#include <poll.h>
#include <utility>

#include "base/processors.hpp"

namespace zlink::core {
namespace {

// A loop that takes messages until there are none and then waits looks once in vain.
constexpr std::uint32_t most_empty_looks = 3;
constexpr std::uint32_t most_patience = 1024;
thread_local bool publishes = false;

} // namespace

void own_streams::thread_publishes() noexcept {
    publishes = true;
}

void own_streams::add(pipe_end &end) {
    if (ends_.size() == most) {
        give_back();
        stop_relieving();
    }
    ends_.push_back(&end);
    choose_relief();
    end.stream_slot = static_cast<std::uint32_t>(ends_.size());
}

// One thread that sends to many has its hands full.
void own_streams::choose_relief() noexcept {
    if (ends_.size() > most + 1)
        return; // all was said
    for (pipe_end *end : ends_)
        end->may_relieve = few() && several_processors();
}

void own_streams::remove(pipe_end &end) noexcept {
    if (&end == offered_)
        settle();
    if (end.stream_slot == 0)
        return;
    pipe_end *last = ends_.back();
    ends_[end.stream_slot - 1] = last;
    last->stream_slot = end.stream_slot;
    ends_.pop_back();
    end.stream_slot = 0;
    choose_relief();
}

void own_streams::offer(const landing_place &landing) noexcept {
    if (!some_ || ends_.size() != 1)
        return;
    offered_ = ends_.front();
    offered_->offer(landing);
}

bool own_streams::settle() noexcept {
    read_in_vain_ = false;
    return offered_ != nullptr && std::exchange(offered_, nullptr)->settle();
}

void own_streams::disable() noexcept {
    give_back();
    stop_relieving();
    disabled_ = true;
    choose_relief();
}

void own_streams::read_all() noexcept {
    bool any = false;
    if (few())
        for (pipe_end *end : ends_)
            any |= end->read_stream();
    for (const auto &set : known_sets_)
        any |= set->read();
    some_ = any;
}

void own_streams::read_ahead() noexcept {
    pipe_end &end = *ends_.front();
    some_ = end.read_stream();
    read_in_vain_ = end.in().bytes_waiting() == 0;
}

void own_streams::look() noexcept {
    if (!some_) [[likely]]
        return;
    if (++empty_looks_ < most_empty_looks)
        return read_all();
    give_back();
    patience_ = std::min(patience_ * 2, most_patience);
    sleeps_left_ = patience_;
}

std::size_t own_streams::begin_wait(std::span<pollfd> watched) noexcept {
    if (disabled_ || ends_.empty() || publishes)
        return 0;
    if (sleeps_left_ != 0) {
        --sleeps_left_;
        return 0;
    }
    const std::size_t count = watch_sets(watched, watch_streams(watched));
    some_ |= count != 0;
    return count;
}

std::size_t own_streams::watch_streams(std::span<pollfd> watched) noexcept {
    if (!few()) {
        sets_.want();
        return 0;
    }
    std::size_t count = 0;
    for (pipe_end *end : ends_) {
        const int descriptor = end->begin_wait();
        if (descriptor < 0)
            continue;
        waiting_[count] = {end, nullptr};
        watched[count++] = {descriptor, POLLIN, 0};
    }
    return count;
}

// Behind `count` others.
std::size_t own_streams::watch_sets(std::span<pollfd> watched, std::size_t count) noexcept {
    learn_sets();
    for (const auto &set : known_sets_) {
        const int descriptor = set->begin_wait();
        if (descriptor < 0)
            continue;
        waiting_[count] = {nullptr, set.get()};
        watched[count++] = {descriptor, POLLIN, 0};
    }
    return count;
}

// Those of further I/O threads stay with them.
void own_streams::learn_sets() noexcept {
    if (known_sets_.size() == std::min(sets_.count(), most)) [[likely]]
        return;
    try {
        known_sets_ = sets_.all();
        known_sets_.resize(std::min(known_sets_.size(), most));
    } catch (const std::bad_alloc &) {
        return; // another time
    }
}

void own_streams::end_wait(std::span<const pollfd> watched) noexcept {
    for (std::size_t index = 0; index < watched.size(); ++index) {
        const bool readable = watched[index].revents != 0;
        if (waiting_[index].end != nullptr)
            waiting_[index].end->end_wait(readable);
        else
            waiting_[index].set->end_wait(readable);
    }
}

void own_streams::give_back() noexcept {
    if (!some_)
        return;
    some_ = false;
    if (few())
        for (pipe_end *end : ends_)
            end->return_stream();
    for (const auto &set : known_sets_)
        set->give_back();
}

} // namespace zlink::core
