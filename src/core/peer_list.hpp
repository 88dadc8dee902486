// SPDX-License-Identifier: MPL-2.0
// peer_list: the pattern of a socket with its pipes, and the events that come from them. It attaches a pipe
// to the pattern, and closes the pipe when the pattern has used it up.
//
// Threads: the application thread in a call on the socket. Ownership: owns pattern, options and pipes, and
// shares the inbox. It uses the table of endpoints until close(). Errors: errno numbers.
// After release() or let_go() nothing of the end is used.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/fork.hpp"
#include "base/result.hpp"
#include "base/socket_options.hpp"
#include "base/socket_traits.hpp"
#include "core/endpoint_table.hpp"
#include "core/inproc_names.hpp"
#include "core/pipe_table.hpp"
#include "core/transfer.hpp"

namespace zlink::core {

class peer_list final : public transfer_state, private pipe_owner, private fork_handler {
  public:
    peer_list(inproc_names &names, socket_options options, endpoint_table &endpoints,
              const std::shared_ptr<counters::context_counts> &counted_by);

    // Is there a pattern for the type? To be asked once, before everything else.
    [[nodiscard]] bool has_pattern() const noexcept { return pattern_ != nullptr; }

    // ---- events
    // Drains the mailbox and takes new pipes. Returns 0, ETERM, or EINTR in a child of fork(2).
    [[nodiscard]] int handle_events();
    // Returns the error that the end of the context gives to every call; 0 as long as it has not ended.
    [[nodiscard]] int check_alive() { return has_events() ? handle_events() : 0; }
    // Like check_alive(), for options. The context's end counts there when another call has heard of it: a
    // program may set LINGER between zmq_ctx_shutdown and zmq_close.
    [[nodiscard]] int check_options_allowed() {
        return life_ != life::terminated && inbox_->terminated() ? 0 : check_alive();
    }
    [[nodiscard]] bool terminated() const noexcept { return life_ == life::terminated; }
    [[nodiscard]] bool forked() const noexcept { return life_ == life::forked; }
    // From now on calls give EINTR, and nothing is touched that the parent uses: what the socket has is left
    // where it lies.
    void on_fork() noexcept override {
        life_ = life::forked;
        box_->forget_descriptor();
    }

    // ---- the descriptor of ZMQ_FD
    // Makes it, for good. Returns -1, with errno, if there is none to be had.
    [[nodiscard]] int watch();
    // After a message on a socket that is watched: the descriptor is readable if another one is there.
    void rearm(bool in_message) noexcept;
    // At the end of a turn in a shared socket. Another thread may wait for the descriptor: it is readable if
    // this turn has taken events, or leaves a message.
    void announce_to_others() noexcept {
        if (!watched_) [[likely]]
            return;
        if (std::exchange(taken_events_, false))
            box_->announce();
        rearm(receiving.more_follows);
    }

    // ---- use by many threads
    // May share() be called? Nobody else knows the socket, and no event loop.
    [[nodiscard]] bool may_be_shared() const noexcept {
        return !watched_ && !known_to_others_ && !box_->has_descriptor();
    }
    // For an I/O thread. It leaves the end of the context to a call of the application, which may set LINGER
    // before it hears of the end.
    void handle_events_in_background();
    // There is an endpoint, or was one.
    void note_endpoint() noexcept { known_to_others_ = true; }
    // Many threads use the socket from now on, one at a time. They hear by this mailbox.
    void share(std::shared_ptr<runtime::socket_mailbox> box) noexcept;

    // ---- pipes
    // Throws std::bad_alloc; the end may be in the table then. The pattern may refuse the pipe: it is closed.
    void attach(new_pipe fresh);
    void detach(pipe_end &end) noexcept; // nothing of it is used by the pattern from now on
    void release(pipe_end &end);         // closes an end that was detached
    // Takes an attach() back that failed half-way, or was followed by a failure.
    void abandon(pipe_end &end, int linger_ms);
    // zmq_disconnect: gives a pipe up, except for a message that the application has begun to receive.
    void let_go(pipe_end &end);
    void close_finished() override;
    void close_any_finished() {
        if (pipes_.any_finished())
            close_finished();
    }
    // After a call that may have changed what the pattern is subscribed to.
    void count_subscriptions() noexcept { counts->record().subscriptions.set(pattern_->topics()); }
    // The socket ends: closes all, and returns when no other thread has an event for it.
    void close();
    void apply_high_water_marks() noexcept;
    // Linger time of its pipes.
    [[nodiscard]] int leave_taking_ms() const noexcept;
    [[nodiscard]] pipe_table &pipes() noexcept { return pipes_; }

    // ---- peers and groups by name
    // Bits of ZMQ_POLLIN and ZMQ_POLLOUT (ROUTER). ENOTSUP, EHOSTUNREACH.
    [[nodiscard]] result<int> state_of(std::string_view routing_id);
    // DISH. ENOTSUP, EINVAL.
    result<void> join_group(std::string_view group);
    result<void> leave_group(std::string_view group);

    [[nodiscard]] socket_options &options() noexcept { return options_; }
    [[nodiscard]] const socket_options &options() const noexcept { return options_; }
    [[nodiscard]] const socket_traits &traits() const noexcept { return traits_; }
    // It outlives the socket, and tells that the socket is gone.
    [[nodiscard]] const std::shared_ptr<socket_inbox> &inbox() const noexcept { return inbox_; }

  private:
    void take_new_pipes();
    void tell_waiting_threads() noexcept;
    void finished(pipe_end &end) noexcept override;
    void on_pipe_event(pipe_end &end, std::uint32_t events) override;

    bool taken_events_ = false;    // of a shared socket that is watched, in this turn
    bool known_to_others_ = false; // there is an endpoint, or was one
    const socket_traits &traits_;  // of the type in options_
    const std::shared_ptr<socket_inbox> inbox_;
    inproc_names &names_;
    endpoint_table &endpoints_;
    socket_options options_;
    pipe_table pipes_;
};

} // namespace zlink::core
