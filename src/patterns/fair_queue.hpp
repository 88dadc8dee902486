// SPDX-License-Identifier: MPL-2.0
// fair_queue: the ends that messages come from, in turn.
//
// Threads: its owner's. Ownership: none. An end that has nothing asks for an event. It is passed over until
// the event comes. An end that has nothing and whose peer is gone is taken out. The host is told of that
// once. The end whose message is being received stays the current one.
#pragma once

#include <cerrno>

#include "patterns/active_list.hpp"
#include "patterns/pattern.hpp"

namespace zlink::patterns {

class fair_queue {
    using ring = active_list<&pattern_notes::read_place>;

  public:
    explicit fair_queue(pattern_host &host) noexcept : host_(host) { host.turns = this; }
    fair_queue(const fair_queue &) = delete;
    fair_queue &operator=(const fair_queue &) = delete;

    // Throws std::bad_alloc.
    void add(pipe_end &end) { ends_.add(end); }
    void remove(pipe_end &end) noexcept {
        host_.close_route_in(); // nothing comes from the end on the cached route
        host_.receiving.lose(end);
        passes_ = passes_ && !ends_.none_active() && &end != &ends_.current();
        ends_.remove(end, host_.receiving.in_progress());
    }
    // The end has something to read, or its peer is gone.
    void wake(pipe_end &end) noexcept {
        if (ends_.contains(end))
            ends_.activate(end);
    }
    // The peer is gone. The end is done with if nothing is left in it. Only when no frame that was read is in
    // use.
    void peer_closed(pipe_end &end) noexcept {
        if (!ends_.contains(end))
            return;
        ends_.activate(end);
        if (!end.in().has_message())
            finish(end);
    }

    // Handles the events of an end that concern its messages.
    void on_events(pipe_end &end, std::uint32_t events) noexcept {
        if ((events & pipe_event::readable) != 0)
            wake(end);
        if ((events & pipe_event::peer_closed) == 0)
            return;
        const bool held = host_.receiving.at == incoming_message::stage::held;
        if (held && host_.receiving.from == &end)
            wake(end); // the end is done with when the held frame was received
        else if (ends_.active_count() > few)
            peer_closed(end); // a socket that never looks, or never receives, keeps only a few
        else if (held)
            wake(end); // the look for the next message finds its end
        else
            look_at(end);
    }
    // Like peer_closed(), but stops at the first message of another end, as a look for the next message does.
    void look_at(pipe_end &end) noexcept {
        if (!ends_.contains(end))
            return;
        ends_.activate(end);
        (void)readable();
    }

    // Is there a message? Between messages only, as all that follows.
    [[nodiscard, gnu::always_inline]] bool readable() {
        return (!ends_.none_active() && ends_.current().in().has_message()) || find_readable();
    }
    // Chooses the end whose turn it is. EAGAIN: none has a message.
    [[nodiscard, gnu::always_inline]] source choose() {
        if (!readable()) [[unlikely]]
            return source::none(EAGAIN);
        return {&ends_.current(), ends_.only() != nullptr ? source_flag::stays : 0};
    }
    // The end that is read next. Only when readable().
    [[nodiscard]] pipe_end &current() noexcept { return ends_.current(); }
    // The message of the current end was read.
    [[gnu::always_inline]] void pass() noexcept {
        if (passing_ != passing::on) [[unlikely]]
            pass_otherwise();
        else
            ends_.advance();
    }
    // After the next message the turns begin again with the first active end, whoever becomes active until
    // then. Ends that become active come after all that are active now. So only the last one needs the note.
    void settle_next() noexcept {
        if (ends_.at_last())
            passing_ = passing::again;
    }

    // ---- A look that drops messages (REQ, REP). With libzmq it finds the first of them and leaves it, and a
    // receive drops it and looks on. So the turns stay as that message leaves them until then. The ends that
    // are active stay so, and those that become active meanwhile come after them.
    //
    // The current end keeps its turn if its next message is dropped.
    void hold_turn() noexcept { passing_ = passing::held; }
    // The message was not dropped.
    void go_on() noexcept {
        if (passing_ == passing::held)
            passing_ = passing::on;
    }
    // A receive looks on.
    [[gnu::noinline]] void settle_held() noexcept {
        go_on();
        if (std::exchange(passes_, false) && !ends_.none_active())
            ends_.advance();
    }
    enum class seen : std::uint8_t { nothing, good, unclear };
    // Looks for a message and changes no turn. `is_good`: the next message of this end is not dropped.
    // `unclear`: there is one that may be. Also with many active ends, some of which may have to go.
    template <class Good> [[nodiscard]] seen look_past_dropped(Good &&is_good) noexcept {
        bool some = false;
        const auto good = [&](pipe_end &end) {
            const bool has = end.in().has_message();
            some |= has;
            return has && is_good(end);
        };
        if (ends_.active_count() > few)
            return seen::unclear;
        if (ends_.any_active(good))
            return seen::good;
        return some || ends_.any_active([](pipe_end &end) { return end.arm(); }) ? seen::unclear
                                                                                 : seen::nothing;
    }

    // Gives up the turn of each current end for which `passes` is true, up to one that has something to read.
    template <class Passes> void pass_over(Passes &&passes) {
        while (!ends_.none_active()) {
            pipe_end &end = ends_.current();
            if (passes(end))
                ends_.advance();
            else if (end.in().has_message())
                return;
            else
                rest(end);
        }
    }
    // See pattern::arm(). With many active ends it returns true without a look.
    [[nodiscard]] bool arm() noexcept {
        return host_.receiving.at != incoming_message::stage::none || ends_.active_count() > few ||
               ends_.any_active([](pipe_end &end) { return end.arm(); });
    }
    template <class Visit> void for_each(Visit &&visit) { ends_.for_each(visit); }
    [[nodiscard]] static bool contains(const pipe_end &end) noexcept { return ring::contains(end); }

  private:
    static constexpr std::size_t few = 16;
    // How the turn passes when a message was read.
    enum class passing : std::uint8_t { on, again, held };

    [[gnu::noinline]] void pass_otherwise() noexcept {
        if (std::exchange(passing_, passing::on) == passing::again)
            ends_.begin_again();
        else
            passes_ = true;
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
        remove(end);
        host_.finished(end);
    }

    pattern_host &host_;
    ring ends_;
    passing passing_ = passing::on;
    bool passes_ = false; // the current end's turn passes before the next receive
};

} // namespace zlink::patterns
