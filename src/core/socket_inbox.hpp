// SPDX-License-Identifier: MPL-2.0
// socket_inbox: what others have for a socket: new pipes, and the end of its context. It is the socket_link
// of workers.
//
// Threads: post(), adopt(), reach_authenticator(), terminate(), count() and tell() from any thread; the rest
// from the socket's. Outlives the socket: shared by its workers, the names of inproc and the context.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "connections/socket_link.hpp"
#include "pipe/pipe.hpp"
#include "runtime/shared_mailbox.hpp"

namespace zlink::core {

// A pipe for the socket: which end, the inproc name that nobody was bound to, and its endpoint.
struct new_pipe {
    std::shared_ptr<pipe> made;
    pipe_end *end = nullptr;
    std::string unbound_name{};
    connections::pipe_origin origin{};
};

class inproc_names;
class monitor;

class socket_inbox final : public connections::socket_link, private ready_node {
  public:
    // The names are the context's, which outlives every session.
    socket_inbox(std::shared_ptr<runtime::socket_mailbox> box, inproc_names &names,
                 std::shared_ptr<counters::socket_counts> counts) noexcept
        : socket_link(std::move(counts)), box_(std::move(box)), names_(names) {}

    // Returns false if the socket is closed; nothing was taken then.
    [[nodiscard]] bool post(new_pipe fresh);
    [[nodiscard]] bool adopt(std::shared_ptr<pipe> made, connections::pipe_origin origin) override;
    [[nodiscard]] std::shared_ptr<pipe> reach_authenticator() override;
    [[nodiscard]] std::uint64_t counted(connections::closed_reason reason) const noexcept {
        return counts()->record().closed[static_cast<std::size_t>(reason)].get();
    }
    void tell(const connections::socket_event &event) noexcept override;
    void tell_monitor(const connections::socket_event &event) noexcept;
    // Is there a monitor for events of that kind?
    [[nodiscard]] bool wanted(connections::event_kind kind) noexcept;
    // The context ends: wakes the socket, which then asks terminated().
    void terminate() noexcept;
    // Is the socket closed? Any thread that closing is ordered with.
    [[nodiscard]] bool gone() const noexcept { return gone_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool terminated() const noexcept { return terminated_.load(std::memory_order_acquire); }

    // ---- the socket's
    // The socket is the monitor's own: the monitor hears of every pipe that is posted, in the thread that
    // posts it. To be called before anybody else knows the inbox.
    void report_to(std::weak_ptr<monitor> writer) noexcept { written_by_ = std::move(writer); }
    // Who gets the events from now on; null: nobody. The one before is stopped.
    void replace_monitor(std::shared_ptr<monitor> next) noexcept;
    // The socket hears by another mailbox from now on. Nobody but the context knows the inbox yet.
    void move_to(std::shared_ptr<runtime::socket_mailbox> box) noexcept;
    [[nodiscard]] std::vector<new_pipe> take();
    [[nodiscard]] bool take_news() noexcept { return std::exchange(news_, false); }
    // Nothing is taken any more. Returns the pipes that were not taken.
    [[nodiscard]] std::vector<new_pipe> close();
    [[nodiscard]] runtime::socket_mailbox &box() noexcept { return *box_; }
    // Only if many threads use the socket.
    [[nodiscard]] std::shared_ptr<runtime::shared_mailbox> box_of_many() const noexcept {
        return std::static_pointer_cast<runtime::shared_mailbox>(box_);
    }

  private:
    void on_ready(std::uint32_t) override { news_ = true; }

    std::shared_ptr<runtime::socket_mailbox> box_; // see move_to()
    inproc_names &names_;
    std::mutex guard_;
    std::vector<new_pipe> pipes_;      // guarded
    bool closed_ = false;              // guarded
    std::shared_ptr<monitor> monitor_; // guarded
    std::weak_ptr<monitor> written_by_;
    std::atomic<bool> terminated_{false};
    std::atomic<bool> gone_{false}; // stored by close() only
    bool news_ = false;             // the socket's
};

} // namespace zlink::core
