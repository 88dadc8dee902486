// SPDX-License-Identifier: MPL-2.0
// read lease: who reads a stream, or a set of them: the I/O thread, or the application's thread that asked
// for it. The I/O thread alone decides: it hands over when it is asked, and takes back when the application
// says so or stays away.
//
// Threads: guarded by the mutex of what is leased; the I/O thread, which alone stores it, reads
// leased() without. The application's functions return bits of pipe_event to tell.
#pragma once

#include <cstdint>
#include <utility>

#include "pipe/pipe.hpp"

namespace zlink::connections {

// Result of a look at the application's use of the stream.
struct lease_check {
    bool left;        // it is about other things
    int next_look_ms; // when to look again; 0: it sleeps, and says when it has woken
};

class read_lease {
  public:
    // To be looked after first after this time, and then as check_use() says.
    static constexpr int first_look_ms = 10;

    [[nodiscard]] bool asked_for() const noexcept { return asked_; }
    [[nodiscard]] bool leased() const noexcept { return leased_; }
    // Leased, and the application goes on reading.
    [[nodiscard]] bool held() const noexcept { return leased_ && !released_; }
    // The application's thread sleeps on it.
    [[nodiscard]] bool slept_on() const noexcept { return waiting_; }

    // ---- the I/O thread
    void refuse() noexcept { asked_ = false; }
    void grant_lease() noexcept {
        leased_ = watched_ = true;
        asked_ = released_ = false;
    }
    void revoke_lease() noexcept { leased_ = watched_ = released_ = false; }
    [[nodiscard]] lease_check check_use() noexcept {
        if (std::exchange(reads_seen_, reads_) != reads_)
            return {false, first_look_ms};
        watched_ = false;
        return {!waiting_, 0};
    }

    // ---- the application's
    [[nodiscard]] std::uint32_t ask() noexcept {
        return std::exchange(asked_, true) ? 0 : pipe_event::lease_wanted;
    }
    void reads() noexcept { ++reads_; }
    void begin_wait() noexcept { waiting_ = true; }
    [[nodiscard]] std::uint32_t end_wait() noexcept {
        waiting_ = false;
        if (!held() || std::exchange(watched_, true))
            return 0;
        return pipe_event::lease_resumed;
    }
    [[nodiscard]] std::uint32_t release_lease() noexcept {
        released_ = true;
        return pipe_event::lease_released;
    }

  private:
    bool leased_ = false;
    bool asked_ = false;
    bool released_ = false;
    bool waiting_ = false;
    bool watched_ = false; // check_use() is called
    std::uint32_t reads_ = 0;
    std::uint32_t reads_seen_ = 0; // check_use()'s
};

} // namespace zlink::connections
