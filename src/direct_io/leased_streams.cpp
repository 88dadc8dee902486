// SPDX-License-Identifier: MPL-2.0
#include "direct_io/leased_streams.hpp"

#include <algorithm>
#include <poll.h>
#include <utility>

#include "base/processors.hpp"

namespace zlink::direct_io {
namespace {

// A loop that takes messages until there are none and then waits looks once in vain.
constexpr std::uint32_t most_empty_looks = 3;
constexpr std::uint32_t most_patience = 1024;
thread_local bool publishes = false;

} // namespace

void leased_streams::thread_publishes() noexcept {
    publishes = true;
}

void leased_streams::add(pipe_end &end) {
    if (ends_.size() == most) {
        release_lease();
        release_write_lease();
    }
    ends_.push_back(&end);
    choose_write_lease();
    end.stream_place = static_cast<std::uint32_t>(ends_.size());
}

// One thread that sends to many has enough to do.
void leased_streams::choose_write_lease() noexcept {
    if (ends_.size() > most + 1)
        return; // all was said
    for (pipe_end *end : ends_)
        end->writer().allow_lease(few() && several_processors());
}

void leased_streams::remove(pipe_end &end) noexcept {
    if (&end == offered_)
        end_receive();
    if (end.stream_place == 0)
        return;
    if (some_)
        end.slot().release_lease();
    in_loop_ = 0; // no stream was lost
    pipe_end *last = ends_.back();
    ends_[end.stream_place - 1] = last;
    last->stream_place = end.stream_place;
    ends_.pop_back();
    end.stream_place = 0;
    choose_write_lease();
}

void leased_streams::post_receive(const posted_buffer &posted) noexcept {
    if (!some_ || ends_.size() != 1)
        return;
    offered_ = ends_.front();
    offered_->post_receive(posted);
}

bool leased_streams::end_receive() noexcept {
    read_in_vain_ = false;
    return offered_ != nullptr && std::exchange(offered_, nullptr)->end_receive();
}

void leased_streams::disable() noexcept {
    release_lease();
    release_write_lease();
    disabled_ = true;
    choose_write_lease();
}

void leased_streams::read_all() noexcept {
    bool any = false;
    if (few())
        for (pipe_end *end : ends_)
            any |= end->slot().read();
    for (const auto &set : known_groups_)
        any |= set->read();
    some_ = any;
}

void leased_streams::read_ahead() noexcept {
    pipe_end &end = *ends_.front();
    some_ = end.slot().read();
    read_in_vain_ = end.in().bytes_waiting() == 0;
}

void leased_streams::look() noexcept {
    if (!some_) [[likely]]
        return;
    if (++empty_looks_ < most_empty_looks)
        return read_all();
    release_lease();
    patience_ = std::min(patience_ * 2, most_patience);
    sleeps_left_ = patience_;
}

std::size_t leased_streams::begin_wait(std::span<pollfd> watched) noexcept {
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

std::size_t leased_streams::watch_streams(std::span<pollfd> watched) noexcept {
    if (!few()) {
        poll_groups_.want();
        return 0;
    }
    std::size_t count = 0;
    for (pipe_end *end : ends_) {
        const int descriptor = end->slot().begin_wait();
        if (descriptor < 0)
            continue;
        waiting_[count] = {end, nullptr};
        watched[count++] = {descriptor, POLLIN, 0};
    }
    return count;
}

// Behind `count` others.
std::size_t leased_streams::watch_sets(std::span<pollfd> watched, std::size_t count) noexcept {
    learn_sets();
    for (const auto &set : known_groups_) {
        const int descriptor = set->begin_wait();
        if (descriptor < 0)
            continue;
        waiting_[count] = {nullptr, set.get()};
        watched[count++] = {descriptor, POLLIN, 0};
    }
    return count;
}

// Those of further I/O threads stay with them.
void leased_streams::learn_sets() noexcept {
    if (known_groups_.size() == std::min(poll_groups_.count(), most)) [[likely]]
        return;
    try {
        known_groups_ = poll_groups_.all();
        known_groups_.resize(std::min(known_groups_.size(), most));
    } catch (const std::bad_alloc &) {
        return; // another time
    }
}

void leased_streams::end_wait(std::span<const pollfd> watched) noexcept {
    for (std::size_t index = 0; index < watched.size(); ++index) {
        const bool readable = watched[index].revents != 0;
        if (waiting_[index].end != nullptr)
            waiting_[index].end->slot().end_wait(readable);
        else
            waiting_[index].set->end_wait(readable);
    }
}

// It asks less and less often, until the loop keeps all streams from one wait to the next. With rare messages
// it loses them.
void leased_streams::watch_in(int epoll) noexcept {
    learn_sets();
    const std::size_t before = in_loop_;
    in_loop_ = watch_all(epoll, false);
    if (in_loop_ == (few() ? ends_.size() : known_groups_.size())) {
        if (in_loop_ == before)
            patience_ = 1;
        return;
    }
    if (disabled_ || publishes)
        return;
    if (sleeps_left_ != 0) {
        --sleeps_left_;
        return;
    }
    patience_ = std::min(patience_ * 2, most_patience);
    sleeps_left_ = patience_;
    if (!few())
        poll_groups_.want();
    in_loop_ = watch_all(epoll, true);
}

// Returns how many are watched. A stream whose queue has messages that the socket does not take yet is the
// I/O thread's: its bytes would keep the loop awake.
std::size_t leased_streams::watch_all(int epoll, bool asks) noexcept {
    std::size_t watched = 0;
    if (few())
        for (pipe_end *end : ends_) {
            if (end->in().bytes_waiting() != 0)
                end->slot().release_lease();
            else
                watched += static_cast<std::size_t>(end->slot().watch_in(epoll, asks));
        }
    for (const auto &set : known_groups_)
        watched += static_cast<std::size_t>(set->watch_in(epoll, asks));
    some_ |= watched != 0;
    return watched;
}

void leased_streams::release_lease() noexcept {
    if (!some_)
        return;
    some_ = false;
    if (few())
        for (pipe_end *end : ends_)
            end->slot().release_lease();
    for (const auto &set : known_groups_)
        set->release_lease();
}

} // namespace zlink::direct_io
