// SPDX-License-Identifier: MPL-2.0
// custody: who reads a stream, or a set of them: the I/O thread, or the application's thread that asked for
// it. The I/O thread alone decides: it hands over when it is asked, and takes back when the application says
// so or stays away.
//
// Threads: guarded by the token of what is handed over; the I/O thread, which alone stores it, reads
// handed_over() without. The application's functions return bits of pipe_event to tell.
#pragma once

#include <cstdint>
#include <utility>

#include "lane/pipe.hpp"

namespace zlink::session {

// Result of a look at the application's use of the stream.
struct custody_look {
    bool left;        // it is about other things
    int next_look_ms; // when to look again; 0: it sleeps, and says when it has woken
};

class custody {
  public:
    // To be looked after first after this time, and then as look_after() says.
    static constexpr int first_look_ms = 10;

    [[nodiscard]] bool asked_for() const noexcept { return asked_; }
    [[nodiscard]] bool handed_over() const noexcept { return handed_over_; }
    // Handed over, and the application goes on reading.
    [[nodiscard]] bool kept() const noexcept { return handed_over_ && !returned_; }
    // The application's thread sleeps on it.
    [[nodiscard]] bool slept_on() const noexcept { return waiting_; }

    // ---- the I/O thread
    void refuse() noexcept { asked_ = false; }
    void hand_over() noexcept {
        handed_over_ = watched_ = true;
        asked_ = returned_ = false;
    }
    void take_back() noexcept { handed_over_ = watched_ = returned_ = false; }
    [[nodiscard]] custody_look look_after() noexcept {
        if (std::exchange(reads_seen_, reads_) != reads_)
            return {false, first_look_ms};
        watched_ = false;
        return {!waiting_, 0};
    }

    // ---- the application's
    [[nodiscard]] std::uint32_t ask() noexcept {
        return std::exchange(asked_, true) ? 0 : pipe_event::stream_wanted;
    }
    void reads() noexcept { ++reads_; }
    void begin_wait() noexcept { waiting_ = true; }
    [[nodiscard]] std::uint32_t end_wait() noexcept {
        waiting_ = false;
        if (!kept() || std::exchange(watched_, true))
            return 0;
        return pipe_event::stream_watched;
    }
    [[nodiscard]] std::uint32_t give_back() noexcept {
        returned_ = true;
        return pipe_event::stream_returned;
    }

  private:
    bool handed_over_ = false;
    bool asked_ = false;
    bool returned_ = false;
    bool waiting_ = false;
    bool watched_ = false; // look_after() is called
    std::uint32_t reads_ = 0;
    std::uint32_t reads_seen_ = 0; // look_after()'s
};

} // namespace zlink::session
