// SPDX-License-Identifier: MPL-2.0
// socket_link: what workers may say to the socket they work for. It outlives the socket.
//
// Threads: everything from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/probe.hpp"
#include "connections/closed_reason.hpp"
#include "connections/event_log.hpp"
#include "connections/socket_event.hpp"
#include "counters/owners.hpp"
#include "direct_io/poll_groups.hpp"
#include "pipe/pipe.hpp"

namespace zlink::connections {

class worker;

// For which endpoint a worker has made a pipe, if the socket does not know it.
struct pipe_origin {
    std::weak_ptr<worker> connected_by{}; // which had to be connected first
    std::string name_endpoint{};          // which has several such pipes; empty: none
};

class socket_link {
  public:
    explicit socket_link(std::shared_ptr<counters::socket_counts> counts) noexcept
        : counts_(std::move(counts)) {}
    virtual ~socket_link() = default;

    // Gives the socket the first end of a pipe whose second end serves a connection. Returns false if the
    // socket is closed; nothing was taken then.
    [[nodiscard]] virtual bool adopt(std::shared_ptr<pipe> made, pipe_origin origin) = 0;
    // A pipe to the socket that the application bound for ZAP; its first end is the caller's. Null: there is
    // none.
    [[nodiscard]] virtual std::shared_ptr<pipe> reach_authenticator() = 0;
    [[nodiscard]] const std::shared_ptr<counters::socket_counts> &counts() const noexcept { return counts_; }
    // A connection (or an attempt at one) ended.
    void count(closed_reason reason) noexcept {
        counts_->record().closed[static_cast<std::size_t>(reason)].add_shared();
        ZLINK_PROBE(disconnect, counts_->record().id.get(), static_cast<int>(reason));
    }
    void count(event_kind kind, std::uint32_t value) noexcept;
    // Does anybody want events? To be asked before one is put together.
    [[nodiscard]] bool watched() const noexcept { return logged_ || monitored(); }
    [[nodiscard]] bool monitored() const noexcept { return monitored_.load(std::memory_order_relaxed); }
    // To the log, and to the monitor.
    virtual void tell(const socket_event &event) noexcept = 0;
    void log(const socket_event &event) const noexcept;
    [[nodiscard]] direct_io::poll_groups &groups() noexcept { return poll_groups_; }

  protected:
    std::atomic<bool> monitored_{false};

  private:
    const bool logged_ = events_are_logged();
    direct_io::poll_groups poll_groups_;
    const std::shared_ptr<counters::socket_counts> counts_;
};

} // namespace zlink::connections
