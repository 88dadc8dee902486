// SPDX-License-Identifier: MPL-2.0
// A context owns the I/O threads that sockets share.
//
// - Ownership. The destructor ends the context by zmq_ctx_term: it waits until every socket is closed and
// ZMQ_LINGER
//   is over. So declare the context before its sockets.
// - Threads. A context may be used from any thread at any time.
// - Source. zmq_ctx_new(3), zmq_ctx_term(3), zmq_ctx_shutdown(3), zmq_ctx_set(3).
#pragma once

#include <utility>

#include "zlink/cpp/error.hpp"

namespace zlink {
inline namespace v1 {

enum class context_option {
    io_threads = ZMQ_IO_THREADS,     // from the first socket on it is fixed
    max_sockets = ZMQ_MAX_SOCKETS,   // sockets that may be open at once
    socket_limit = ZMQ_SOCKET_LIMIT, // the most that max_sockets may be; get only
    thread_sched_policy = ZMQ_THREAD_SCHED_POLICY,
    ipv6 = ZMQ_IPV6,     // 1: new sockets use IPv6 too
    blocky = ZMQ_BLOCKY, // 0: new sockets have opt::linger 0
};

class context {
  public:
    context() : handle_(zmq_ctx_new()) {
        if (!handle_)
            throw error(zmq_errno(), "zmq_ctx_new");
    }
    explicit context(int io_threads) : context() { set(context_option::io_threads, io_threads); }
    context(context &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    context &operator=(context &&other) noexcept {
        context moved(std::move(other));
        std::swap(handle_, moved.handle_);
        return *this;
    }
    context(const context &) = delete;
    context &operator=(const context &) = delete;
    ~context() { close(); }

    // Sets an option. EINVAL: the value is not allowed.
    void set(context_option option, int value) {
        std::error_code code;
        set(option, value, code);
        detail::raise(code, "zmq_ctx_set");
    }
    void set(context_option option, int value, std::error_code &code) noexcept {
        detail::store(zmq_ctx_set(handle_, static_cast<int>(option), value), code);
    }
    [[nodiscard]] int get(context_option option) const {
        const int value = zmq_ctx_get(handle_, static_cast<int>(option));
        if (value == -1)
            throw error(zmq_errno(), "zmq_ctx_get");
        return value;
    }

    // Has every blocking call of its sockets end with errc::terminated, at once. The sockets are to be closed
    // then.
    void shutdown() noexcept {
        if (handle_)
            zmq_ctx_shutdown(handle_);
    }
    // Ends the context. It waits as the destructor does. It does nothing to a context that is ended already.
    void close() noexcept {
        while (handle_ && zmq_ctx_term(handle_) == -1 && zmq_errno() == EINTR)
            continue;
        handle_ = nullptr;
    }

    // The handle for a call of the C interface; nullptr after close() and after a move.
    [[nodiscard]] void *native() const noexcept { return handle_; }

  private:
    void *handle_;
};

} // namespace v1
} // namespace zlink
