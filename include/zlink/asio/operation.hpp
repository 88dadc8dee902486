// SPDX-License-Identifier: MPL-2.0
// An operation that has been started: its handler, what it does to the socket, and its place in a queue.
//
// - Memory. One block for each operation, from the handler's associated allocator. Asio's recycling allocator
// takes
//   the place of std::allocator.
// - Ownership. A queue owns the operations in it. `finished` owns one that is on the way to its handler.
// Whoever owns
//   an operation completes it once, or destroys it without a call when its executor is destroyed.
// - Threads. Operations in a queue belong to the executor of the socket. A handler is called in its own
// executor.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "zlink/asio/config.hpp"

namespace zlink::asio {
inline namespace ZLINK_ASIO_FLAVOUR {
namespace detail {

enum class way { post, dispatch };

class operation {
  public:
    operation(const operation &) = delete;
    operation &operator=(const operation &) = delete;

    // Does what the operation is for. Returns 0, an errno, or EAGAIN if it has to wait.
    virtual int perform(void *handle) = 0;
    // Says that the operation is cancelled, while it is still in a queue.
    virtual void give_up() = 0;
    // Passes the operation with its result to its handler.
    virtual void complete(way how) = 0;
    // Destroys the operation and its handler, which is not called.
    virtual void destroy() noexcept = 0;

    [[nodiscard]] bool is_queued() const noexcept { return queued_; }
    void set_error(int number) noexcept { error_ = number; }
    [[nodiscard]] int error() const noexcept { return error_; }
    // An operation that has sent a part of a message stays until the rest is sent.
    [[nodiscard]] virtual bool can_be_cancelled() const noexcept = 0;

  protected:
    operation() noexcept = default;
    ~operation() = default;

  private:
    friend class operation_queue;
    operation *previous_ = nullptr;
    operation *next_ = nullptr;
    int error_ = 0; // 0, an errno, or `aborted`
    bool queued_ = false;
};

// First in, first out; an operation can leave from everywhere.
class operation_queue {
  public:
    operation_queue() noexcept = default;
    operation_queue(const operation_queue &) = delete;
    operation_queue &operator=(const operation_queue &) = delete;
    ~operation_queue() { destroy_all(); }

    [[nodiscard]] bool empty() const noexcept { return !first_; }
    [[nodiscard]] operation *front() const noexcept { return first_; }
    [[nodiscard]] static operation *next(const operation &one) noexcept { return one.next_; }

    void push(operation &one) noexcept {
        one.previous_ = last_;
        one.next_ = nullptr;
        one.queued_ = true;
        (last_ ? last_->next_ : first_) = &one;
        last_ = &one;
    }
    void remove(operation &one) noexcept {
        (one.previous_ ? one.previous_->next_ : first_) = one.next_;
        (one.next_ ? one.next_->previous_ : last_) = one.previous_;
        one.queued_ = false;
    }
    [[nodiscard]] operation &pop() noexcept {
        operation &one = *first_;
        remove(one);
        return one;
    }
    // Takes over all operations of another queue.
    void take(operation_queue &other) noexcept {
        while (!other.empty())
            push(other.pop());
    }
    void complete_all(way how) {
        while (!empty())
            pop().complete(how);
    }
    void destroy_all() noexcept {
        while (!empty())
            pop().destroy();
    }

  private:
    operation *first_ = nullptr;
    operation *last_ = nullptr;
};

// The allocator of an operation: the handler's, or the one that reuses memory of the thread.
template <class Allocator> struct reusing {
    using type = Allocator;
    static type get(const Allocator &allocator) noexcept { return allocator; }
};
template <class T> struct reusing<std::allocator<T>> {
    using type = net::recycling_allocator<T>;
    static type get(const std::allocator<T> &) noexcept { return {}; }
};

// Calls the handler of an operation when its executor runs it.
template <class Pending> class finished {
  public:
    using allocator_type = typename Pending::allocator_type;

    explicit finished(Pending &one) noexcept : one_(&one), allocator_(one.allocator()) {}
    finished(finished &&other) noexcept
        : one_(std::exchange(other.one_, nullptr)), allocator_(other.allocator_) {}
    finished &operator=(finished &&) = delete;
    finished(const finished &) = delete;
    finished &operator=(const finished &) = delete;
    ~finished() {
        if (one_)
            one_->destroy();
    }
    [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_; }
    void operator()() { std::exchange(one_, nullptr)->call(); }

  private:
    Pending *one_;
    allocator_type allocator_;
};

// An Action has `int perform(void *handle)` and `void deliver(handler, error_code)`; it may have `bool
// has_begun()` and `void give_up()`.
template <class Action, class Handler, class Executor> class pending final : public operation {
  public:
    using executor_type = net::associated_executor_t<Handler, Executor>;
    using handler_allocator = net::associated_allocator_t<Handler>;
    using allocator_type = typename reusing<handler_allocator>::type;

    // Whether the operation is tried only when those before it are done.
    static constexpr bool in_order = !requires { Action::in_any_order; };

    static pending &make(Action &&action, Handler &&handler, const Executor &executor) {
        const auto own = net::get_associated_executor(handler, executor);
        typename traits::allocator_type allocator(
            reusing<handler_allocator>::get(net::get_associated_allocator(handler)));
        pending *const memory = traits::allocate(allocator, 1);
        try {
            return *::new (static_cast<void *>(memory)) pending(std::move(action), std::move(handler), own);
        } catch (...) {
            traits::deallocate(allocator, memory, 1);
            throw;
        }
    }

    [[nodiscard]] Action &action() noexcept { return action_; }
    [[nodiscard]] Handler &handler() noexcept { return handler_; }
    [[nodiscard]] allocator_type allocator() const noexcept {
        return reusing<handler_allocator>::get(net::get_associated_allocator(handler_));
    }

    int perform(void *handle) override { return action_.perform(handle); }
    void give_up() override {
        if constexpr (requires(Action & action) { action.give_up(); })
            action_.give_up();
    }
    [[nodiscard]] bool can_be_cancelled() const noexcept override {
        if constexpr (requires(const Action &action) { action.has_begun(); })
            return !action_.has_begun();
        return true;
    }
    // Keeps the executor of the handler at work while the operation waits.
    void keep_work() { work_.emplace(executor_); }
    void complete(way how) override {
        // The executor is copied, since `finished` may free this operation before the call returns.
        const executor_type executor = executor_;
        if (how == way::dispatch)
            net::dispatch(executor, finished<pending>(*this));
        else
            net::post(executor, finished<pending>(*this));
    }
    void destroy() noexcept override { free(); }

    // Frees the operation, and then calls the handler.
    void call() {
        net::get_associated_cancellation_slot(handler_).clear();
        Handler handler(std::move(handler_));
        Action action(std::move(action_));
        const error_code code = make_code(error());
        const auto work = std::move(work_);
        free();
        action.deliver(handler, code);
    }

  private:
    using traits = typename std::allocator_traits<allocator_type>::template rebind_traits<pending>;

    pending(Action &&action, Handler &&handler, const executor_type &executor)
        : action_(std::move(action)), handler_(std::move(handler)), executor_(executor) {}
    ~pending() = default;

    void free() noexcept {
        typename traits::allocator_type own(allocator());
        this->~pending();
        traits::deallocate(own, this, 1);
    }

    Action action_;
    Handler handler_;
    executor_type executor_;
    std::optional<net::executor_work_guard<executor_type>> work_;
};

} // namespace detail
} // namespace ZLINK_ASIO_FLAVOUR
} // namespace zlink::asio
