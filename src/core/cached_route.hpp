// SPDX-License-Identifier: MPL-2.0
// cached_route: sends and receives whole messages on the cached route of a socket, without its pattern.
//
// Threads: the application thread in a call on the socket. Each object is for one call, and refuses what is
// not a plain message of one frame; see patterns::cached_target and cached_source. Ownership: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/socket.hpp"

namespace zlink::core {

class out_route {
  public:
    // Null: there is no socket.
    [[nodiscard, gnu::always_inline]] static out_route of(socket *used) noexcept {
        socket *const ready = used != nullptr && used->nothing_new() ? used : nullptr;
        return {ready, ready != nullptr ? ready->host().cached.out.end : nullptr};
    }

    // Is there a route?
    [[nodiscard, gnu::always_inline]] explicit operator bool() const noexcept { return end_ != nullptr; }
    // The socket. Only when there is a route.
    [[nodiscard]] socket *owner() const noexcept { return used_; }

    enum class sent : std::uint8_t {
        refused, // nothing was done
        done,
        unfenced, // fence_and_wake() must follow
    };
    // Copies a message of at most `large_body` bytes. Only when there is a route.
    [[nodiscard, gnu::always_inline]] sent send(const std::uint8_t *bytes, std::size_t size) noexcept {
        const message_queue::cached done = end_->writer().send_fast(bytes, size);
        if (done == message_queue::cached::refused) [[unlikely]]
            return sent::refused;
        used_->host().cached.out.used();
        return done == message_queue::cached::done ? sent::done : sent::unfenced;
    }
    void fence_and_wake() noexcept { end_->writer().fence_and_wake(); }
    // Both. Returns false if nothing was done.
    [[nodiscard, gnu::always_inline]] bool send_whole(const std::uint8_t *bytes, std::size_t size) noexcept {
        const sent how = send(bytes, size);
        if (how == sent::unfenced) [[unlikely]]
            fence_and_wake();
        return how != sent::refused;
    }
    // Sends the routing id that begins a message of ROUTER. Returns false if nothing was done.
    [[nodiscard, gnu::always_inline]] bool send_id(std::string_view id) noexcept {
        return used_ != nullptr && used_->host().send_id(id);
    }

  private:
    out_route(socket *used, pipe_end *end) noexcept : used_(used), end_(end) {}
    socket *used_;
    pipe_end *end_;
};

class in_route {
  public:
    static constexpr std::size_t refused = message_queue::refused;

    // Null: there is no socket.
    [[nodiscard, gnu::always_inline]] static in_route of(socket *used) noexcept {
        socket *const ready = used != nullptr && used->nothing_new() ? used : nullptr;
        return {ready, ready != nullptr ? ready->host().cached.in.end : nullptr};
    }

    // Is there a route?
    [[nodiscard, gnu::always_inline]] explicit operator bool() const noexcept { return end_ != nullptr; }
    // The socket. Only when there is a route.
    [[nodiscard]] socket *owner() const noexcept { return used_; }

    // Copies a message of few bytes, as much as there is room for. Returns its size, or `refused`. Only when
    // there is a route, as all that follows.
    [[nodiscard, gnu::always_inline]] std::size_t receive_few(std::uint8_t *to, std::size_t room) noexcept {
        return note(end_->receive_few(to, room));
    }
    // Copies a message of any size whose body lies in the queue.
    [[nodiscard, gnu::always_inline]] std::size_t receive(std::uint8_t *to, std::size_t room) noexcept {
        return note(end_->receive_plain(to, room));
    }
    // Gives such a message as a frame. Returns false if nothing was done.
    [[nodiscard, gnu::always_inline]] bool read(incoming_frame &frame) noexcept {
        if (!end_->read_plain(frame))
            return false;
        (void)note(frame.size);
        return true;
    }
    // May the routing id of a message of ROUTER be next?
    [[nodiscard]] bool expects_id() const noexcept {
        return used_ != nullptr && used_->host().cached.in.named != nullptr;
    }
    // Receives it. Returns null if nothing was done. Only when it is expected.
    [[nodiscard, gnu::always_inline]] const std::string *receive_id() noexcept {
        return used_->host().receive_id();
    }

  private:
    in_route(socket *used, pipe_end *end) noexcept : used_(used), end_(end) {}
    [[gnu::always_inline]] std::size_t note(std::size_t size) noexcept {
        if (size != refused) [[likely]]
            used_->host().received_on_route();
        return size;
    }

    socket *used_;
    pipe_end *end_;
};

} // namespace zlink::core
