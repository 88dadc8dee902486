// SPDX-License-Identifier: MPL-2.0
#include <array>
#include <vector>

#include "capi/handles.hpp"
#include "core/poll.hpp"
#include "core/proxy.hpp"

using namespace zlink;
using namespace zlink::capi;

namespace {

constexpr std::size_t few_items = 16; // as many need no memory

int poll_items(std::span<zmq_pollitem_t> items, std::span<core::poll_item> used, long timeout_ms,
               const sigset_t *mask) {
    for (std::size_t index = 0; index < items.size(); ++index) {
        zmq_pollitem_t &item = items[index];
        item.revents = 0;
        used[index] = {nullptr, item.fd, item.events, 0, 0, false};
        if (item.socket == nullptr)
            continue;
        used[index].waited = as_socket(item.socket);
        if (used[index].waited == nullptr)
            return -1;
    }
    const auto ready = core::poll(used, timeout_ms, mask);
    if (!ready)
        return fail(ready.code());
    for (std::size_t index = 0; index < items.size(); ++index)
        items[index].revents = used[index].ready;
    return *ready;
}

// A socket that may be left out. False, with errno: it is given, and is none.
bool take_optional(void *handle, core::socket *&taken) noexcept {
    if (handle != nullptr)
        taken = as_socket(handle);
    return handle == nullptr || taken != nullptr;
}

} // namespace

extern "C" {

int zmq_poll(zmq_pollitem_t *items, int count, long timeout) {
    return zmq_ppoll(items, count, timeout, nullptr);
}

int zmq_ppoll(zmq_pollitem_t *items, int count, long timeout, const sigset_t *mask) {
    if (count < 0)
        return fail(EINVAL);
    if (items == nullptr && count != 0)
        return fail(EFAULT);
    return may_wait([&] {
        const std::span given(items, static_cast<std::size_t>(count));
        if (given.size() > few_items) {
            std::vector<core::poll_item> many(given.size());
            return poll_items(given, many, timeout, mask);
        }
        std::array<core::poll_item, few_items> few; // poll_items() fills what is used
        return poll_items(given, std::span(few).first(given.size()), timeout, mask);
    });
}

int zmq_proxy(void *frontend, void *backend, void *capture) {
    return zmq_proxy_steerable(frontend, backend, capture, nullptr);
}

int zmq_proxy_steerable(void *frontend, void *backend, void *capture, void *control) {
    return may_wait([&] {
        if (frontend == nullptr || backend == nullptr)
            return fail(EFAULT);
        core::socket *front = as_socket(frontend);
        core::socket *back = front != nullptr ? as_socket(backend) : nullptr;
        if (back == nullptr)
            return -1;
        core::proxy_sockets sockets{*front, *back};
        if (!take_optional(capture, sockets.capture) || !take_optional(control, sockets.control))
            return -1;
        return answer(core::run_proxy(sockets));
    });
}

int zmq_device(int, void *frontend, void *backend) {
    return zmq_proxy(frontend, backend, nullptr);
}

} // extern "C"
