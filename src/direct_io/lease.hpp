// SPDX-License-Identifier: MPL-2.0
// lease: the right of a socket's thread to do a part of the I/O thread's work, for a time. A stream has one
// for reading and one for writing. A poll group has one for reading.
//
// The I/O thread is the lender: it grants the lease, checks that it is used, and revokes it. The socket's
// thread is the holder: it asks for the lease, uses it, and releases it. A write lease has no request and no
// release: the holder of the stream's mutex grants it to itself, and ends it.
//
// Threads: guarded by the mutex of what is leased. is_granted() of a read lease changes on the I/O thread
// only, which therefore calls it without the mutex.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/epoll_entry.hpp"

namespace zlink::direct_io {

// Result of a check. `asleep`: the holder sleeps, and tells when it wakes; no check is needed until then.
// `expired`: the holder does other things, or has had its time.
enum class lease_use : std::uint8_t { in_use, asleep, expired };

class lease {
  public:
    // Time until the first check of a read lease, and between two of them.
    static constexpr int check_ms = 10;
    // Checks of a lease that lasts as long as it is used.
    static constexpr int unlimited = -1;

    // Granted and not yet revoked.
    [[nodiscard]] bool is_granted() const noexcept { return now() >= state::held; }
    // Granted, and the holder has not released it.
    [[nodiscard]] bool is_held() const noexcept { return now() == state::held || now() == state::unchecked; }
    [[nodiscard]] bool is_wanted() const noexcept {
        return now() == state::wanted || now() == state::wanted_again;
    }
    // A thread sleeps on it. It may have been revoked meanwhile.
    [[nodiscard]] bool is_slept_on() const noexcept { return slept_on_; }

    // ---- the lender
    // `checks`: the number of them until it expires even if it is used.
    void grant(int checks = unlimited) noexcept {
        checks_left_ = checks;
        become(state::held);
    }
    // Forgets a request: the holder may ask again.
    void refuse() noexcept {
        if (is_wanted())
            become(now() == state::wanted ? state::free : state::released);
    }
    // A request that came after the release stays.
    void revoke() noexcept {
        watched_.leave();
        become(is_wanted() ? state::wanted : state::free);
    }
    // Revokes nothing: an expired lease is the lender's to revoke.
    [[nodiscard]] lease_use check() noexcept {
        const bool used = std::exchange(uses_seen_, uses_) != uses_;
        if (used && (checks_left_ == unlimited || --checks_left_ > 0))
            return lease_use::in_use;
        if (!slept_on_)
            return lease_use::expired;
        if (now() == state::held)
            become(state::unchecked);
        return lease_use::asleep;
    }

    // ---- the holder
    // Returns true if the lender has to be told of the request.
    [[nodiscard]] bool ask() noexcept {
        if (is_wanted())
            return false;
        become(now() == state::released ? state::wanted_again : state::wanted);
        return true;
    }
    void use() noexcept { ++uses_; }
    void begin_sleep() noexcept { slept_on_ = true; }
    // Returns true if the lender has to be told that checks are needed again.
    [[nodiscard]] bool end_sleep() noexcept {
        slept_on_ = false;
        if (now() != state::unchecked)
            return false;
        become(state::held);
        return true;
    }
    // The lender has to be told.
    void release() noexcept {
        watched_.leave();
        if (is_held())
            become(state::released);
    }
    // The holder's event loop waits with that epoll(7), which stays open until the lease is released. The
    // descriptor is watched there until the lease ends. Returns false if it is not held, or the system
    // refused.
    [[nodiscard]] bool watch_in(int epoll, int descriptor) noexcept {
        return is_held() && watched_.enter(epoll, descriptor);
    }

  private:
    // Those from `held` on are granted. unchecked: the holder sleeps, and the lender does not check.
    // released: the lender has still to revoke it.
    enum class state : std::uint8_t { free, wanted, held, unchecked, released, wanted_again };

    [[nodiscard]] state now() const noexcept { return state_.load(std::memory_order_relaxed); }
    void become(state next) noexcept { state_.store(next, std::memory_order_relaxed); }

    std::atomic<state> state_{state::free};
    epoll_entry watched_;
    bool slept_on_ = false;
    int checks_left_ = unlimited;
    std::uint32_t uses_ = 0;
    std::uint32_t uses_seen_ = 0; // by check()
};

} // namespace zlink::direct_io
