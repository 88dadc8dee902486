// SPDX-License-Identifier: MPL-2.0
// socket_link: what workers may say to the socket they work for. It outlives the socket.
//
// Threads: everything from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "connections/closed_reason.hpp"
#include "connections/socket_event.hpp"
#include "counters/owners.hpp"
#include "direct_io/poll_groups.hpp"
#include "pipe/pipe.hpp"

namespace zlink::connections {

class socket_link {
  public:
    explicit socket_link(std::shared_ptr<counters::socket_counts> counts) noexcept
        : counts_(std::move(counts)) {}
    virtual ~socket_link() = default;

    // Gives the socket the first end of a pipe whose second end serves a connection. Returns false if the
    // socket is closed; nothing was taken then. `endpoint`: the name that zmq_disconnect takes for several
    // such pipes; empty: none.
    [[nodiscard]] virtual bool adopt(std::shared_ptr<pipe> made, const std::string &endpoint) = 0;
    // A pipe to the socket that the application bound for ZAP; its first end is the caller's. Null: there is
    // none.
    [[nodiscard]] virtual std::shared_ptr<pipe> reach_authenticator() = 0;
    [[nodiscard]] const std::shared_ptr<counters::socket_counts> &counts() const noexcept { return counts_; }
    // A connection (or an attempt at one) ended.
    void count(closed_reason reason) noexcept {
        counts_->record().closed[static_cast<std::size_t>(reason)].add_shared();
    }
    void count(event_kind kind) noexcept;
    // Does anybody want events? To be asked before one is put together.
    [[nodiscard]] bool watched() const noexcept { return watched_.load(std::memory_order_relaxed); }
    virtual void tell(const socket_event &event) noexcept = 0;
    [[nodiscard]] direct_io::poll_groups &groups() noexcept { return poll_groups_; }

  protected:
    std::atomic<bool> watched_{false};

  private:
    direct_io::poll_groups poll_groups_;
    const std::shared_ptr<counters::socket_counts> counts_;
};

} // namespace zlink::connections
