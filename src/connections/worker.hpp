// SPDX-License-Identifier: MPL-2.0
// A worker runs on an I/O thread on behalf of a socket: a listener, one accepted connection, or the connector
// to one peer. A group owns the workers of one I/O thread.
//
// Threads: the I/O thread, but for what says otherwise. Ownership: the group holds a worker from begin()
// until it says that it is finished. Only handlers that do nothing outlive the group. Want of memory can keep
// a worker from its beginning, never from its end.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <vector>

#include "connections/socket_link.hpp"
#include "runtime/handler_slot.hpp"
#include "runtime/io_thread.hpp"
#include "runtime/wait_group.hpp"

namespace zlink::connections {

class worker : public std::enable_shared_from_this<worker> {
  public:
    worker() = default;
    worker(const worker &) = delete;
    worker &operator=(const worker &) = delete;
    virtual ~worker() = default;

    virtual void start() = 0;
    // The socket wants no more of it: what is queued goes out for `linger_ms` more (-1: for ever), then it
    // finishes.
    virtual void terminate(int linger_ms) = 0;
    // Ends the worker like terminate(), when the application gives up only this endpoint and not the whole
    // socket.
    virtual void disconnect(int linger_ms) { terminate(linger_ms); }
    // The address is not one of its name any more. Nobody has told the socket.
    virtual void withdraw(int linger_ms) { terminate(linger_ms); }
    // Any thread: it will not serve its endpoint again, and nobody asked it to end.
    [[nodiscard]] bool gave_up() const noexcept { return gave_up_.load(std::memory_order_relaxed); }

  protected:
    std::atomic<bool> gave_up_{false};

  private:
    friend class worker_list;
    using list = std::list<std::shared_ptr<worker>>;
    list::iterator place_{}; // the group's
    bool held_ = false;      // by the group
    runtime::post_slot ending_;
};

class worker_list {
  public:
    worker_list(runtime::io_thread &thread, runtime::wait_group &sessions) noexcept
        : thread_(thread), sessions_(sessions) {}

    // Any thread: starts a worker on the I/O thread, and ends one. begin() throws std::bad_alloc.
    void begin(std::shared_ptr<worker> fresh);
    void terminate(std::shared_ptr<worker> old, int linger_ms) noexcept;
    void disconnect(std::shared_ptr<worker> old, int linger_ms) noexcept;
    void withdraw(std::shared_ptr<worker> old, int linger_ms) noexcept;
    // Returns the list whose thread serves least.
    [[nodiscard]] static worker_list &least_loaded(const std::vector<worker_list *> &of) noexcept;

    void finished(worker &done);
    [[nodiscard]] runtime::io_thread &thread() noexcept { return thread_; }

  private:
    void post_end(std::shared_ptr<worker> old, void (worker::*end)(int), int linger_ms) noexcept;

    runtime::io_thread &thread_;
    runtime::wait_group &sessions_; // counts the workers of all groups of a context
    worker::list members_;
    worker::list finished_; // to be dropped at the next turn
};

} // namespace zlink::connections
