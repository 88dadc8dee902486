// SPDX-License-Identifier: MPL-2.0
// fair_queue: whole messages from all ends in turn.
//
// Threads: its owner's. Ownership: none; the frames read are the caller's to drop. An end that has nothing
// asks for an event and is passed over until it came; one that has nothing and whose peer is gone is taken
// out and reported to the host, once.
#pragma once

#include "patterns/active_list.hpp"
#include "patterns/pattern.hpp"
#include "patterns/subscription_request.hpp"

namespace zlink::patterns {

class fair_queue {
    using ring = active_list<&pipe_end::read_place>;

  public:
    explicit fair_queue(pattern_host &host) noexcept : host_(host) {}

    // Throws std::bad_alloc.
    void add(pipe_end &end) { ends_.add(end); }
    void remove(pipe_end &end) noexcept {
        if (in_message_ && &ends_.current() == &end)
            in_message_ = skips_ = false;
        ends_.remove(end, in_message_);
    }
    // The end has something to read, or its peer is gone.
    void wake(pipe_end &end) noexcept {
        if (ends_.contains(end))
            ends_.activate(end);
    }
    // To be called when the peer is gone and no frame that was read is in use: when nothing is left, the end
    // is done with.
    void peer_closed(pipe_end &end) noexcept {
        if (!ends_.contains(end))
            return;
        ends_.activate(end);
        if (!end.in().has_message())
            finish(end);
    }

    // Like peer_closed(), but stops at the first message of another end, as a look for the next message does.
    void look_at(pipe_end &end) noexcept {
        if (!ends_.contains(end))
            return;
        ends_.activate(end);
        (void)readable();
    }

    // The end that the frame came from; null: nothing to read, or not yet. Subscriptions become
    // messages, other commands are passed over.
    [[nodiscard]] pipe_end *read(incoming_frame &frame) {
        pipe_end *const end = read_entry(frame);
        if (end == nullptr || !frame.command()) [[likely]]
            return end;
        return read_behind_commands(*end, frame);
    }
    // Like read(), but returns commands, too.
    [[nodiscard]] pipe_end *read_entry(incoming_frame &frame) {
        while (!ends_.none_active()) {
            pipe_end &end = ends_.current();
            if (end.read(frame)) [[likely]] {
                in_message_ = frame.more();
                if (!in_message_) [[likely]]
                    ends_.advance();
                return &end;
            }
            rest(end);
        }
        return nullptr;
    }
    // Passes over the next frame if it is the delimiter at the beginning of a message. Only when readable().
    [[nodiscard]] bool take_delimiter() noexcept {
        if (in_message_ || !ends_.current().in().take_delimiter()) [[unlikely]]
            return false;
        in_message_ = true;
        return true;
    }
    // Where the next message comes from when there is no choice; else null.
    [[nodiscard]] pipe_end *only() const noexcept { return in_message_ ? nullptr : ends_.only(); }
    // The message that is being read is not wanted. go_on() drops what is left of it.
    void skip() noexcept { skips_ = in_message_; }
    // Drops what is to be skipped. To be called before a message is read that may be passed over. A call on
    // the socket begins with `left` as most_passed_over, which counts frames. Returns false when it is used
    // up: the next call on the socket goes on.
    [[nodiscard]] bool go_on(std::uint64_t &left) {
        if (skips_) [[unlikely]]
            drop_skipped(left);
        if (left == 0) [[unlikely]] {
            if (!ends_.none_active())
                ends_.current().remind();
            return false;
        }
        --left;
        return true;
    }
    // Is there an entry?
    [[nodiscard, gnu::always_inline]] bool readable() {
        return (!ends_.none_active() && ends_.current().in().has_message()) || find_readable();
    }
    // A message was read from the end that is read next, by other means.
    void pass() noexcept { ends_.advance(); }
    // Gives up the turn of each current end for which `passes` is true, up to one that has something to read.
    template <class Passes> void pass_over(Passes &&passes) {
        while (!in_message_ && !ends_.none_active()) {
            pipe_end &end = ends_.current();
            if (passes(end))
                ends_.advance();
            else if (end.in().has_message())
                return;
            else
                rest(end);
        }
    }
    // The current end is the last of the active ones: the first one follows.
    [[nodiscard]] bool at_last() const noexcept { return ends_.at_last(); }
    // The first active end is read next.
    void begin_again() noexcept { ends_.begin_again(); }
    // See pattern::arm(). With many active ends it returns true without a look.
    [[nodiscard]] bool arm() noexcept {
        constexpr std::size_t few = 16;
        return in_message_ || ends_.active_count() > few ||
               ends_.any_active([](pipe_end &end) { return end.arm(); });
    }
    // The end that is read next. Only when readable().
    [[nodiscard]] pipe_end &current() noexcept { return ends_.current(); }
    // Between the frames of a message that is not skipped.
    [[nodiscard]] bool in_message() const noexcept { return in_message_ && !skips_; }
    [[nodiscard]] bool in_message_of(const pipe_end &end) noexcept {
        return in_message() && &ends_.current() == &end;
    }
    [[nodiscard]] static bool contains(const pipe_end &end) noexcept { return ring::contains(end); }

  private:
    // The frame is a command of `end`.
    [[gnu::noinline]] pipe_end *read_behind_commands(pipe_end &end, incoming_frame &frame) {
        pipe_end *from = &end;
        for (std::uint64_t passed = 0;
             from != nullptr && frame.command() && !subscription_request::become_message(frame); ++passed) {
            if (passed == most_passed_over) {
                from->remind();
                return nullptr;
            }
            from = read_entry(frame);
        }
        return from;
    }
    [[gnu::noinline]] void drop_skipped(std::uint64_t &left) {
        incoming_frame frame;
        for (; skips_ && left != 0 && read_entry(frame) != nullptr; --left) {
            frame.drop();
            skips_ = in_message_;
        }
    }
    [[gnu::noinline]] bool find_readable() {
        while (!ends_.none_active()) {
            pipe_end &end = ends_.current();
            if (end.in().has_message())
                return true;
            rest(end);
        }
        return false;
    }
    // Nothing was found.
    void rest(pipe_end &end) noexcept {
        if (end.peer_closed())
            finish(end);
        else if (end.prepare_wait_data())
            ends_.deactivate(end);
    }
    void finish(pipe_end &end) noexcept {
        ends_.remove(end, in_message_);
        host_.finished(end);
    }

    pattern_host &host_;
    ring ends_;
    bool in_message_ = false;
    bool skips_ = false; // the rest of that message
};

} // namespace zlink::patterns
