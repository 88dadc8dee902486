// SPDX-License-Identifier: MPL-2.0
// A ZeroMQ socket with asynchronous operations.
//
// - Threads. One thread at a time uses it, as an I/O object of Asio. If several threads run the context, all
// its
//   handlers, timers and cancellations are in one strand. It has no thread of its own.
// - Order. Operations of one kind that wait are completed in the order of their start. A message that is
// there
//   completes an operation without a wait for the descriptor. A handler is never called inside the call that
//   starts its operation.
// - Executor. A handler runs in its associated executor, or else in the socket's. Memory of an operation
// comes from
//   its associated allocator.
// - Cancellation. A waiting operation ends by its slot (total, partial and terminal alike), by cancel() or
// close(). It
//   completes with net::error::operation_aborted and has had no effect. A multipart whose first frame has
//   been sent is ended by close() only.
// - Errors. Those of the C function, with the category "zmq". After context::shutdown() waiting operations
// complete
//   with errc::terminated.
// - Types. Thread-safe sockets (the draft types) have no descriptor: an operation that has to wait fails with
// EINVAL.
// - Source. zmq_getsockopt(3) on ZMQ_FD and ZMQ_EVENTS; the completion token model of Asio.
#pragma once

#include "zlink/asio/actions.hpp"
#include "zlink/asio/monitor.hpp"
#include "zlink/asio/readiness.hpp"

namespace zlink::asio {
inline namespace ZLINK_ASIO_FLAVOUR {
namespace detail {

template <class Executor> class socket_readiness final : public readiness<Executor> {
  public:
    static constexpr std::size_t receivers = 0, senders = 1, waiters = 2;
    using readiness<Executor>::readiness;

  private:
    [[nodiscard]] poll_events awaited() const noexcept override {
        if (!this->queue(waiters).empty())
            return poll_events::in | poll_events::out;
        const poll_events in = this->queue(receivers).empty() ? poll_events::none : poll_events::in;
        return in | (this->queue(senders).empty() ? poll_events::none : poll_events::out);
    }
    bool advance(poll_events events, operation_queue &done) override {
        bool moved = false;
        if (any(events & poll_events::in))
            moved = this->run(this->queue(receivers), done);
        if (any(events & poll_events::out))
            moved = this->run(this->queue(senders), done) || moved;
        moved = this->run_any(this->queue(waiters), done) || moved;
        return moved || (!this->queue(waiters).empty() && this->anything_new(events));
    }
};

} // namespace detail

template <class Executor = net::any_io_executor> class basic_socket {
    using core = detail::socket_readiness<Executor>;
    using monitor_core = detail::monitor_readiness<Executor>;
    using initiate = detail::initiation<Executor>;
    using default_token = typename net::default_completion_token<Executor>::type;

  public:
    using executor_type = Executor;
    template <class Other> struct rebind_executor { using other = basic_socket<Other>; };

    // Opens a socket whose operations run in an executor, or in that of an execution context. Errors as for
    // zlink::socket.
    basic_socket(const Executor &executor, context &owner, socket_type type)
        : basic_socket(executor, owner, zlink::socket(owner, type)) {}
    template <class Execution>
    requires std::is_convertible_v<Execution &, net::execution_context &>
    basic_socket(Execution &execution, context &owner, socket_type type)
        : basic_socket(Executor(execution.get_executor()), owner, type) {}
    // Takes over an open socket.
    basic_socket(const Executor &executor, context &owner, zlink::socket &&socket)
        : owner_(&owner), core_(std::make_shared<core>(executor, std::move(socket))) {}
    basic_socket(basic_socket &&) noexcept = default;
    basic_socket &operator=(basic_socket &&other) noexcept {
        basic_socket moved(std::move(other));
        std::swap(owner_, moved.owner_);
        std::swap(core_, moved.core_);
        std::swap(monitor_, moved.monitor_);
        return *this;
    }
    basic_socket(const basic_socket &) = delete;
    basic_socket &operator=(const basic_socket &) = delete;
    ~basic_socket() { close(); }

    [[nodiscard]] executor_type get_executor() const noexcept { return core_->executor(); }
    // Completes the waiting operations with operation_aborted and closes the socket.
    void close() {
        if (monitor_)
            monitor_->close();
        if (core_)
            core_->close();
    }
    // Completes the waiting operations with operation_aborted.
    void cancel() {
        if (monitor_)
            monitor_->cancel_all();
        core_->cancel_all();
    }
    [[nodiscard]] bool is_open() const noexcept { return core_ && core_->socket().is_open(); }

    // The socket, for calls that do not wait. Call check() after one while operations wait.
    [[nodiscard]] zlink::socket &next_layer() noexcept { return core_->socket(); }
    [[nodiscard]] const zlink::socket &next_layer() const noexcept { return core_->socket(); }
    // Looks at the state of the socket, since a call on next_layer() may have taken the descriptor's signal
    // away.
    void check() { core_->check(); }

    // As in zlink::socket, with check().
    void bind(const std::string &endpoint) {
        next_layer().bind(endpoint);
        check();
    }
    void connect(const std::string &endpoint) {
        next_layer().connect(endpoint);
        check();
    }
    template <class Option, class Value> void set(Option option, Value &&value) {
        next_layer().set(option, std::forward<Value>(value));
        check();
    }
    template <class Option> [[nodiscard]] auto get(Option option) {
        auto value = next_layer().get(option);
        check();
        return value;
    }
    [[nodiscard]] std::string last_endpoint() { return get(opt::last_endpoint); }

    // Has a wait look for events again and again before it sleeps, for at most this time. Meanwhile the
    // thread runs no other handler. This makes round trips short where the answer comes soon. 0, as at first:
    // sleep at once.
    void set_spin(std::chrono::microseconds time) noexcept { core_->set_spin(time); }

    // Sends one frame with a copy of some bytes, which have to stay until the operation is complete.
    // Signature: void(error_code).
    template <class Token = default_token> auto async_send(bytes_view frame, Token &&token = Token()) {
        return start<void(error_code)>(token, core::senders, detail::send_bytes{frame});
    }
    // Sends a message. If the operation fails, the message is lost.
    template <class Token = default_token> auto async_send(message &&frame, Token &&token = Token()) {
        return start<void(error_code)>(token, core::senders, detail::send_message{std::move(frame)});
    }
    // Sends all frames as one message.
    template <class Token = default_token> auto async_send(multipart &&frames, Token &&token = Token()) {
        return start<void(error_code)>(token, core::senders, detail::send_multipart{std::move(frames)});
    }

    // Receives one frame. Signature: void(error_code, message).
    template <class Token = default_token>
    requires(!std::is_same_v<std::remove_cvref_t<Token>, message>) auto async_receive(
        Token &&token = Token()) {
        return start<void(error_code, message)>(token, core::receivers, detail::receive_message{});
    }
    // Receives one frame into a message, which has to stay until the operation is complete. This is the
    // fastest form. Signature: void(error_code, std::size_t size_bytes).
    template <class Token = default_token> auto async_receive(message &frame, Token &&token = Token()) {
        return start<void(error_code, std::size_t)>(token, core::receivers, detail::receive_into{&frame});
    }
    // Receives all frames of a message. Signature: void(error_code, multipart).
    template <class Token = default_token>
    requires(!std::is_same_v<std::remove_cvref_t<Token>, multipart>) auto async_receive_multipart(
        Token &&token = Token()) {
        return start<void(error_code, multipart)>(token, core::receivers, detail::receive_multipart{});
    }
    // Receives all frames into a multipart, which has to stay. Signature: void(error_code, std::size_t
    // frames).
    template <class Token = default_token>
    auto async_receive_multipart(multipart &frames, Token &&token = Token()) {
        return start<void(error_code, std::size_t)>(token, core::receivers,
                                                    detail::receive_multipart_into{&frames});
    }

    // Waits until the socket is ready for one of some events, and takes nothing. A message may be gone again
    // when the handler runs. Signature: void(error_code, poll_events).
    template <class Token = default_token> auto async_wait(poll_events events, Token &&token = Token()) {
        return start<void(error_code, poll_events)>(token, core::waiters, detail::wait_for_events{events});
    }

    // Connects, and is complete when the handshake with the peer is done; with inproc and udp at once. The
    // socket tries again as opt::reconnect_interval says; -1 means one try (ECONNREFUSED). EPROTO: the
    // handshake failed. EACCES: the peer refused. A connect that failed or was cancelled leaves no
    // connection. It uses the monitor of the socket: do not make a zlink::monitor for it. Signature:
    // void(error_code).
    template <class Token = default_token> auto async_connect(std::string endpoint, Token &&token = Token()) {
        monitor_core *const monitor = begin_monitor();
        return net::async_initiate<Token, void(error_code)>(
            initiate{monitor}, token, monitor_core::connects,
            detail::connect_until_done<Executor>{monitor, core_.get(), std::move(endpoint)});
    }
    // Waits for the next event of the socket's connections. From the first call on events are kept, up to
    // 1000. Signature: void(error_code, monitor_event).
    template <class Token = default_token> auto async_monitor(Token &&token = Token()) {
        monitor_core *const monitor = begin_monitor();
        monitor->watch();
        return net::async_initiate<Token, void(error_code, monitor_event)>(
            initiate{monitor}, token, monitor_core::watchers, detail::next_event<Executor>{monitor});
    }

  private:
    template <class Signature, class Token, class Action>
    auto start(Token &token, std::size_t queue, Action &&action) {
        return net::async_initiate<Token, Signature>(initiate{core_.get()}, token, queue, std::move(action));
    }
    monitor_core *begin_monitor() {
        if (!monitor_) {
            const std::string endpoint = zlink::detail::monitor_endpoint();
            zlink::socket pair(*owner_, socket_type::pair);
            if (zmq_socket_monitor(next_layer().native(), endpoint.c_str(), ZMQ_EVENT_ALL) == -1)
                throw error(zmq_errno(), "zmq_socket_monitor");
            pair.connect(endpoint);
            monitor_ = std::make_shared<monitor_core>(get_executor(), std::move(pair));
            check();
        }
        return monitor_.get();
    }

    context *owner_;
    std::shared_ptr<core> core_;
    std::shared_ptr<monitor_core> monitor_;
};

using socket = basic_socket<>;

} // namespace ZLINK_ASIO_FLAVOUR
} // namespace zlink::asio
