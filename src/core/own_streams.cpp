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

void own_streams::settle() noexcept {
    if (offered_ != nullptr)
        std::exchange(offered_, nullptr)->settle();
}

void own_streams::disable() noexcept {
    give_back();
    stop_relieving();
    disabled_ = true;
    choose_relief();
}

void own_streams::read_all() noexcept {
    bool any = false;
    for (pipe_end *end : ends_)
        any |= end->read_stream();
    some_ = any;
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
    if (!few() || ends_.empty() || watched.size() < ends_.size() || publishes)
        return 0;
    if (sleeps_left_ != 0) {
        --sleeps_left_;
        return 0;
    }
    std::size_t count = 0;
    for (pipe_end *end : ends_) {
        const int descriptor = end->begin_wait();
        if (descriptor < 0)
            continue;
        waiting_[count] = end;
        watched[count++] = {descriptor, POLLIN, 0};
        some_ = true;
    }
    return count;
}

void own_streams::end_wait(std::span<const pollfd> watched) noexcept {
    for (std::size_t index = 0; index < watched.size(); ++index)
        waiting_[index]->end_wait(watched[index].revents != 0);
}

void own_streams::give_back() noexcept {
    if (!some_)
        return;
    some_ = false;
    for (pipe_end *end : ends_)
        end->return_stream();
}

} // namespace zlink::core
