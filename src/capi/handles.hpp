// SPDX-License-Identifier: MPL-2.0
// From what the C API is given to what the core has, and from results to errno. The only place that sets
// errno.
//
// Threads: as the functions of the API.
#pragma once

#include <cerrno>
#include <cstddef>
#include <exception>
#include <span>

#include "base/cancellation.hpp"
#include "base/looks_into_anything.hpp"
#include "base/result.hpp"
#include "core/context.hpp"
#include "core/socket.hpp"
#include "message/message.hpp"
#include "zmq.h"

namespace zlink::capi {

static_assert(sizeof(message) <= sizeof(zmq_msg_t));

inline int fail(int code) noexcept {
    errno = code;
    return -1;
}
inline int answer(int code) noexcept {
    return code == 0 ? 0 : fail(code);
}
inline int answer(const result<void> &done) noexcept {
    return answer(done.code());
}

// Null, with errno, when it is none: the mark is looked for in whatever the program gave.
ZLINK_LOOKS_INTO_ANYTHING inline core::context *as_context(void *handle) noexcept {
    auto *context = static_cast<core::context *>(handle);
    if (context != nullptr && context->valid())
        return context;
    errno = EFAULT;
    return nullptr;
}
ZLINK_LOOKS_INTO_ANYTHING inline core::socket *as_socket(void *handle) noexcept {
    auto *socket = static_cast<core::socket *>(handle);
    if (socket != nullptr && socket->valid()) [[likely]]
        return socket;
    errno = ENOTSOCK;
    return nullptr;
}
// For the functions that a program calls once per message: null also when the socket has a lock.
ZLINK_LOOKS_INTO_ANYTHING inline core::socket *as_exclusive_socket(void *handle) noexcept {
    auto *socket = static_cast<core::socket *>(handle);
    return socket != nullptr && socket->exclusive() ? socket : nullptr;
}
// Null: it is no socket, or one for one thread at a time.
ZLINK_LOOKS_INTO_ANYTHING inline core::socket *as_shared_socket(void *handle) noexcept {
    auto *socket = static_cast<core::socket *>(handle);
    return socket != nullptr && socket->shared() ? socket : nullptr;
}
inline message &as_message(zmq_msg_t *memory) noexcept {
    return *reinterpret_cast<message *>(memory);
}
inline const message &as_message(const zmq_msg_t *memory) noexcept {
    return *reinterpret_cast<const message *>(memory);
}

// No exception leaves the C API: what is thrown for want of memory becomes ENOMEM. But a thread that is
// cancelled while the call waits unwinds its stack, as if by an exception that is none of the library's.
template <class Call> [[gnu::always_inline]] inline int may_wait(Call &&call) {
    try {
        return call();
    } catch (const std::exception &) {
        return fail(ENOMEM);
    }
}
// Like may_wait(), for a call that does not wait for long. The calling thread is not cancelled during the
// call.
template <class Call> int guarded(Call &&call) noexcept {
    const uncancelled meanwhile;
    return may_wait(call);
}

// Runs the call on the socket, alone in it. -1, with errno: it is none, or memory is short.
template <class Call> int may_wait_on(void *handle, Call &&call) {
    return may_wait([&] {
        core::socket *used = as_socket(handle);
        return used == nullptr ? -1
                               : used->in_turn([&] { return call(*used); }, [] { return fail(ENOTSOCK); });
    });
}
template <class Call> int on_socket(void *handle, Call &&call) noexcept {
    const uncancelled meanwhile;
    return may_wait_on(handle, call);
}

// The option calls of contexts and of sockets. Null: there is none, and errno says why.
template <class Holder> int set_option(Holder *changed, int option, const void *value, std::size_t size) {
    if (changed == nullptr)
        return -1;
    return answer(changed->set(option, std::span(static_cast<const std::byte *>(value), size)));
}
template <class Holder> int get_option(Holder *asked, int option, void *value, std::size_t *size) {
    if (asked == nullptr)
        return -1;
    const auto written = asked->get(option, std::span(static_cast<std::byte *>(value), *size));
    if (!written)
        return fail(written.code());
    *size = *written;
    return 0;
}

} // namespace zlink::capi
