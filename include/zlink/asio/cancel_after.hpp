// SPDX-License-Identifier: MPL-2.0
// A completion token that cancels its operation when a time is over: cancel_after(100ms, use_awaitable).
//
// - Result. The operation completes with net::error::operation_aborted if the time was over first.
// - Threads. The timer runs in the executor of the operation's socket. The handler has to be in the same
// strand.
// - Memory. One block for each operation, from the handler's associated allocator.
// - Asio has a cancel_after of its own from version 1.31 (Boost 1.86) on, which works too.
#pragma once

#include <chrono>
#include <tuple>

#include "zlink/asio/operation.hpp"

namespace zlink::asio {
inline namespace ZLINK_ASIO_FLAVOUR {

template <class Token> struct cancel_after_token {
    std::chrono::steady_clock::duration time;
    net::cancellation_type_t type;
    Token token;
};

// Makes a token that cancels after a time. `type` is the kind of cancellation.
template <class Rep, class Period, class Token>
[[nodiscard]] auto cancel_after(std::chrono::duration<Rep, Period> time, Token &&token,
                                net::cancellation_type_t type = net::cancellation_type::terminal) {
    return cancel_after_token<std::decay_t<Token>>{
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(time), type,
        std::forward<Token>(token)};
}

namespace detail {

// The timer and the operation share this. The operation's handler is in it until the operation completes.
template <class Handler, class Executor> struct timed {
    timed(Handler &&inner, const Executor &executor) : handler(std::move(inner)), timer(executor) {}
    std::optional<Handler> handler;
    typename net::steady_timer::rebind_executor<Executor>::other timer;
    net::cancellation_signal signal;
};

template <class Handler, class Executor> struct timed_handler {
    using executor_type = net::associated_executor_t<Handler, Executor>;
    using allocator_type = net::associated_allocator_t<Handler>;
    using cancellation_slot_type = net::cancellation_slot;

    std::shared_ptr<timed<Handler, Executor>> shared;
    executor_type executor;
    allocator_type allocator;

    [[nodiscard]] executor_type get_executor() const noexcept { return executor; }
    [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator; }
    [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept {
        return shared->signal.slot();
    }

    template <class... Results> void operator()(Results &&...results) {
        shared->timer.cancel();
        auto outer = net::get_associated_cancellation_slot(*shared->handler);
        if (outer.is_connected())
            outer.clear();
        Handler handler(std::move(*shared->handler));
        shared->handler.reset();
        shared.reset();
        std::move(handler)(std::forward<Results>(results)...);
    }
};

template <class Initiation> struct timed_initiation {
    using executor_type = net::associated_executor_t<Initiation, net::system_executor>;
    Initiation initiation;
    std::chrono::steady_clock::duration time;
    net::cancellation_type_t type;

    [[nodiscard]] executor_type get_executor() const noexcept {
        return net::get_associated_executor(initiation, net::system_executor());
    }
    template <class Handler, class... Args> void operator()(Handler &&given, Args &&...args) {
        using handler_type = std::decay_t<Handler>;
        using state = timed<handler_type, executor_type>;
        handler_type handler(std::forward<Handler>(given));
        const auto allocator = net::get_associated_allocator(handler);
        const auto executor = net::get_associated_executor(handler, get_executor());
        const auto memory = reusing<std::decay_t<decltype(allocator)>>::get(allocator);
        auto shared = std::allocate_shared<state>(memory, std::move(handler), get_executor());
        auto outer = net::get_associated_cancellation_slot(*shared->handler);
        if (outer.is_connected())
            outer.assign([one = shared.get()](net::cancellation_type_t kind) { one->signal.emit(kind); });
        shared->timer.expires_after(time);
        shared->timer.async_wait([weak = std::weak_ptr(shared), kind = type](const error_code &code) {
            const auto one = weak.lock();
            if (!code && one && one->handler)
                one->signal.emit(kind);
        });
        std::move(initiation)(timed_handler<handler_type, executor_type>{shared, executor, allocator},
                              std::forward<Args>(args)...);
    }
};

} // namespace detail
} // namespace ZLINK_ASIO_FLAVOUR
} // namespace zlink::asio

namespace ZLINK_ASIO_NAMESPACE {

template <class Token, class... Signatures>
class async_result<zlink::asio::cancel_after_token<Token>, Signatures...> {
  public:
    template <class Initiation, class Given, class... Args>
    static auto initiate(Initiation &&initiation, Given &&given, Args &&...args) {
        using timed = zlink::asio::detail::timed_initiation<std::decay_t<Initiation>>;
        Token token(std::forward<Given>(given).token);
        return async_initiate<Token, Signatures...>(
            timed{std::forward<Initiation>(initiation), given.time, given.type}, token,
            std::forward<Args>(args)...);
    }
};

} // namespace ZLINK_ASIO_NAMESPACE
