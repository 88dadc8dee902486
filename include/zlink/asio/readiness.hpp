// SPDX-License-Identifier: MPL-2.0
// Waits for the descriptor of a ZeroMQ socket and moves the operations that wait for it.
//
// - Edges. ZMQ_FD becomes readable when the state of the socket may have changed, and any call on the socket
// can
//   take that signal away. So ZMQ_EVENTS is read after each call while operations wait, and before each wait.
//   A wait of Asio begins with a look at the descriptor, so a signal between the two is seen.
// - Ownership. The socket object holds it, and so does a wait that is under way. If Asio destroys that wait
// without a
//   call, the execution context is going: all operations are destroyed with it.
// - Threads. All functions run in the executor.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>

#include "zlink/asio/operation.hpp"
#include "zlink/asio/spin_time.hpp"

namespace zlink::asio {
inline namespace ZLINK_ASIO_FLAVOUR {
namespace detail {

// Whether a handler resumes a coroutine that was suspended before its operation was started.
template <class Handler> inline constexpr bool resumes_coroutine = false;
template <class Executor, class... Results>
inline constexpr bool resumes_coroutine<net::detail::awaitable_handler<Executor, Results...>> = true;
// So many coroutines are resumed within each other; the stack has room for them.
inline constexpr int resumed_in_a_row = 32;

template <class Executor> class readiness : public std::enable_shared_from_this<readiness<Executor>> {
  public:
    using executor_type = Executor;

    readiness(const Executor &executor, zlink::socket &&socket)
        : executor_(executor), descriptor_(executor), socket_(std::move(socket)) {}
    readiness(const readiness &) = delete;
    readiness &operator=(const readiness &) = delete;
    virtual ~readiness() { close(); }

    [[nodiscard]] const Executor &executor() const noexcept { return executor_; }
    [[nodiscard]] zlink::socket &socket() noexcept { return socket_; }

    // Starts an operation. It is tried at once if none is before it in its queue.
    template <class Action, class Handler> void start(std::size_t queue, Action &&action, Handler &&handler) {
        using node = pending<std::decay_t<Action>, std::decay_t<Handler>, Executor>;
        std::decay_t<Handler> own(std::forward<Handler>(handler));
        std::decay_t<Action> what(std::forward<Action>(action));
        node &one = node::make(std::move(what), std::move(own), executor_);
        const bool after_others = node::in_order && !queues_[queue].empty();
        bool waits = after_others || !try_now(one);
        if (waits)
            enqueue(queues_[queue], one);
        // If it succeeds here, a coroutine goes on at once, without a turn of the execution context.
        const bool spun = waits && only_waits(queue, one);
        if (spun && spin(poll_events::none) && try_now(one)) {
            queues_[queue].remove(one);
            waits = false;
        }
        if (anything_waits())
            settle(!spun).complete_all(way::post);
        if (!waits)
            complete_started<std::decay_t<Handler>>(one);
    }

    // For how long a wait looks again and again before it sleeps.
    void set_spin(std::chrono::microseconds time) noexcept { spin_ = spin_time(time); }

    // Moves the operations that can go on after a call on the socket that was no operation.
    void check() {
        if (anything_waits())
            settle_and_post();
    }

    // Completes an operation with operation_aborted, if it waits and has not begun.
    void cancel(operation_queue &queue, operation &one) {
        if (!one.is_queued() || !one.can_be_cancelled())
            return;
        one.give_up();
        queue.remove(one);
        one.set_error(aborted);
        one.complete(way::post);
        stop_idle_wait();
    }
    void cancel_all() {
        for (operation_queue &queue : queues_)
            for (operation *one = queue.front(); one;) {
                operation *const next = operation_queue::next(*one);
                cancel(queue, *one);
                one = next;
            }
    }

    // Completes all operations with operation_aborted and closes the socket.
    void close() {
        failed(aborted).complete_all(way::post);
        if (descriptor_.is_open())
            descriptor_.release();
        socket_.close();
    }

  protected:
    // Moves operations for which the events are there from their queues to `done`. Returns whether any was
    // moved, or more events came.
    virtual bool advance(poll_events events, operation_queue &done) = 0;

    // The events that operations wait for.
    [[nodiscard]] virtual poll_events awaited() const noexcept = 0;

    [[nodiscard]] operation_queue &queue(std::size_t index) noexcept { return queues_[index]; }
    [[nodiscard]] const operation_queue &queue(std::size_t index) const noexcept { return queues_[index]; }
    // Is there an event that is waited for and that `known` does not have, or an error? An operation that
    // asks for events by itself takes their signal away.
    [[nodiscard]] bool anything_new(poll_events known) {
        std::error_code code;
        const auto fresh = static_cast<poll_events>(~static_cast<int>(known));
        return any(ready_now(code) & awaited() & fresh) || code;
    }
    // Performs all operations of a queue that can go on, in any order.
    bool run_any(operation_queue &queue, operation_queue &done) {
        bool moved = false;
        for (operation *one = queue.front(); one;) {
            operation *const next = operation_queue::next(*one);
            if (try_now(*one)) {
                queue.remove(*one);
                done.push(*one);
                moved = true;
            }
            one = next;
        }
        return moved;
    }
    // Performs the operations at the front of a queue until one has to wait.
    bool run(operation_queue &queue, operation_queue &done) {
        bool moved = false;
        while (!queue.empty() && try_now(*queue.front())) {
            done.push(queue.pop());
            moved = true;
        }
        return moved;
    }
    // Returns whether the operation has a result.
    bool try_now(operation &one) {
        int number = EINTR;
        try {
            while (number == EINTR)
                number = one.perform(socket_.native());
        } catch (const std::bad_alloc &) {
            number = ENOMEM;
        }
        one.set_error(number);
        return number != EAGAIN;
    }

  private:
    // Cancels an operation by its handler's slot.
    struct canceller {
        readiness *self;
        operation_queue *queue;
        operation *one;
        void operator()(net::cancellation_type_t type) const {
            if (type != net::cancellation_type::none && one->is_queued())
                self->cancel(*queue, *one);
        }
    };
    // The handler of a wait for the descriptor.
    struct waiter {
        std::shared_ptr<readiness> self;
        waiter(std::shared_ptr<readiness> &&owner) noexcept : self(std::move(owner)) {}
        waiter(waiter &&) noexcept = default;
        waiter &operator=(waiter &&) = delete;
        waiter(const waiter &) = delete;
        waiter &operator=(const waiter &) = delete;
        ~waiter() {
            if (self)
                self->abandon();
        }
        void operator()(const error_code &code) {
            const auto owner = std::move(self);
            owner->on_wait_done(code);
        }
    };
    // Completes what is in it; if a handler throws, the others are posted.
    struct completions {
        operation_queue done;
        completions() = default;
        completions(completions &&other) noexcept { done.take(other.done); }
        ~completions() { done.complete_all(way::post); }
        void complete_all(way how) { done.complete_all(how); }
    };

    template <class Node> void enqueue(operation_queue &queue, Node &one) {
        one.keep_work();
        auto slot = net::get_associated_cancellation_slot(one.handler());
        if (slot.is_connected())
            slot.assign(canceller{this, &queue, &one});
        queue.push(one);
    }
    [[nodiscard]] bool anything_waits() const noexcept {
        for (const operation_queue &queue : queues_)
            if (!queue.empty())
                return true;
        return false;
    }
    [[nodiscard]] bool only_waits(std::size_t queue, const operation &one) const noexcept {
        for (const operation_queue &other : queues_)
            if (&other != &queues_[queue] && !other.empty())
                return false;
        return queues_[queue].front() == &one && operation_queue::next(one) == nullptr;
    }
    void fail_all(int number, operation_queue &failed) {
        for (operation_queue &queue : queues_)
            while (!queue.empty()) {
                queue.front()->set_error(number);
                failed.push(queue.pop());
            }
    }
    [[nodiscard]] completions failed(int number) {
        completions all;
        fail_all(number, all.done);
        return all;
    }
    // Completes an operation that had its result when it was started. A coroutine of Asio is suspended by
    // now, so it goes on at once. After some in a row it is posted, so that other handlers have their turn
    // and the stack is unwound. Nothing of this object is used after the call: the coroutine may have
    // destroyed it.
    template <class Handler> static void complete_started(operation &one) {
        if constexpr (resumes_coroutine<Handler>) {
            static thread_local int in_a_row = 0;
            struct level {
                level() noexcept { ++in_a_row; }
                ~level() { --in_a_row; }
            };
            if (in_a_row < resumed_in_a_row) {
                const level nested;
                one.complete(way::dispatch);
                return;
            }
        }
        one.complete(way::post);
    }
    void settle_and_post() { settle().complete_all(way::post); }
    // Moves operations until none can go on, and begins a wait for the others. Before that it `spins`.
    [[nodiscard]] completions settle(bool spins = true) {
        completions result;
        for (bool moved = true; moved && anything_waits();) {
            std::error_code code;
            const poll_events events = ready_now(code);
            if (code && code.value() == EINTR)
                continue;
            if (code)
                fail_all(code.value(), result.done);
            moved = !code && advance(events, result.done);
            if (!moved && !code && spins)
                moved = spin(events);
        }
        if (anything_waits())
            begin_wait(result.done);
        else
            stop_idle_wait();
        return result;
    }
    // Looks for something new until the time is over.
    [[nodiscard]] bool spin(poll_events known) {
        constexpr std::size_t looks = 4; // between two readings of the clock
        const auto time = spin_.next();
        if (time.count() == 0)
            return false;
        const auto begin = std::chrono::steady_clock::now();
        for (auto now = begin; now < begin + time; now = std::chrono::steady_clock::now())
            for (std::size_t look = 0; look != looks; ++look)
                if (anything_new(known)) {
                    spin_.won(now - begin);
                    return true;
                }
        spin_.lost();
        return false;
    }
    void begin_wait(operation_queue &done) {
        std::error_code code;
        const int number = watched(code);
        if (code) {
            fail_all(code.value(), done);
            return;
        }
        if (waiting_)
            return;
        if (!descriptor_.is_open())
            descriptor_.assign(number);
        waiting_ = true;
        descriptor_.async_wait(net::posix::descriptor_base::wait_read, waiter(this->shared_from_this()));
    }
    // ZLINK_LOOP_EVENTS and ZLINK_LOOP_FD let this thread read connections itself, which saves a message two
    // wakeups. libzmq does not have them, nor does a socket that many threads use.
    [[nodiscard]] poll_events ready_now(std::error_code &code) {
        return kind_ == wait_kind::loop ? socket_.get(opt::loop_events, code)
                                        : socket_.get(opt::events, code);
    }
    // Returns the descriptor to wait for. A loop asks for it before each wait.
    [[nodiscard]] int watched(std::error_code &code) {
        if (kind_ != wait_kind::plain) {
            const int number = socket_.get(opt::loop_descriptor, code);
            kind_ = code ? wait_kind::plain : wait_kind::loop;
            if (!code)
                return number;
        }
        return descriptor_.is_open() ? descriptor_.native_handle() : socket_.get(opt::descriptor, code);
    }
    // A wait that nobody needs would keep the execution context running.
    void stop_idle_wait() {
        if (waiting_ && !anything_waits())
            descriptor_.cancel();
    }
    void on_wait_done(const error_code &code) {
        waiting_ = false;
        if (!socket_.is_open())
            return;
        if (code && code != net::error::operation_aborted)
            failed(code.value()).complete_all(way::dispatch);
        else
            settle().complete_all(way::dispatch);
    }
    void abandon() noexcept {
        completions all = failed(aborted);
        all.done.destroy_all();
    }

    enum class wait_kind { unknown, loop, plain };

    Executor executor_;
    net::posix::basic_stream_descriptor<Executor> descriptor_;
    zlink::socket socket_;
    std::array<operation_queue, 3> queues_;
    spin_time spin_;
    wait_kind kind_ = wait_kind::unknown; // known from the first wait on
    bool waiting_ = false;                // a wait for the descriptor is under way
};

// Starts an operation for a completion token.
template <class Executor> struct initiation {
    using executor_type = Executor;
    readiness<Executor> *self;
    [[nodiscard]] executor_type get_executor() const noexcept { return self->executor(); }
    template <class Handler, class Action>
    void operator()(Handler &&handler, std::size_t queue, Action &&action) const {
        self->start(queue, std::forward<Action>(action), std::forward<Handler>(handler));
    }
};

} // namespace detail
} // namespace ZLINK_ASIO_FLAVOUR
} // namespace zlink::asio
