// SPDX-License-Identifier: MPL-2.0
#include <algorithm>
#include <new>
#include <vector>

#include "capi/handles.hpp"
#include "core/poller.hpp"

using namespace zlink;
using namespace zlink::capi;

namespace {

// Null, with errno, when it is none.
core::poller *as_poller(void *handle) noexcept {
    auto *poller = static_cast<core::poller *>(handle);
    if (poller != nullptr && poller->valid())
        return poller;
    errno = EFAULT;
    return nullptr;
}

// Runs the call on the poller: -1 when there is none, or when memory is short.
template <class Call> int may_wait_with_poller(void *handle, Call &&call) {
    return may_wait([&] {
        core::poller *used = as_poller(handle);
        return used == nullptr ? -1 : call(*used);
    });
}
template <class Call> int with_poller(void *handle, Call &&call) noexcept {
    const uncancelled meanwhile;
    return may_wait_with_poller(handle, call);
}
template <class Call> int with_poller_and_socket(void *handle, void *socket, Call &&call) noexcept {
    return with_poller(handle, [&](core::poller &used) {
        core::socket *watched = as_socket(socket);
        return watched == nullptr ? -1 : call(used, *watched);
    });
}

zmq_poller_event_t as_event(const core::poller_event &happened) noexcept {
    return {happened.ready, happened.descriptor, happened.user_data, happened.events};
}

constexpr zmq_poller_event_t nothing{nullptr, core::poller::no_descriptor, nullptr, 0};

} // namespace

extern "C" {

void *zmq_poller_new(void) {
    auto *made = new (std::nothrow) core::poller;
    if (made == nullptr)
        errno = ENOMEM;
    return made;
}

int zmq_poller_destroy(void **poller_p) {
    const uncancelled meanwhile;
    core::poller *old = poller_p != nullptr ? as_poller(*poller_p) : nullptr;
    if (old == nullptr)
        return fail(EFAULT);
    delete old;
    *poller_p = nullptr;
    return 0;
}

int zmq_poller_size(void *poller) {
    const core::poller *asked = as_poller(poller);
    return asked == nullptr ? -1 : static_cast<int>(asked->size());
}

int zmq_poller_add(void *poller, void *socket, void *user_data, short events) {
    return with_poller_and_socket(poller, socket, [&](core::poller &used, core::socket &watched) {
        return answer(used.add(&watched, core::poller::no_descriptor, user_data, events));
    });
}
int zmq_poller_modify(void *poller, void *socket, short events) {
    return with_poller_and_socket(poller, socket, [&](core::poller &used, core::socket &watched) {
        return answer(used.modify(&watched, core::poller::no_descriptor, events));
    });
}
int zmq_poller_remove(void *poller, void *socket) {
    return with_poller_and_socket(poller, socket, [&](core::poller &used, core::socket &watched) {
        return answer(used.remove(&watched, core::poller::no_descriptor));
    });
}

int zmq_poller_add_fd(void *poller, zmq_fd_t fd, void *user_data, short events) {
    return with_poller(poller,
                       [&](core::poller &used) { return answer(used.add(nullptr, fd, user_data, events)); });
}
int zmq_poller_modify_fd(void *poller, zmq_fd_t fd, short events) {
    return with_poller(poller, [&](core::poller &used) { return answer(used.modify(nullptr, fd, events)); });
}
int zmq_poller_remove_fd(void *poller, zmq_fd_t fd) {
    return with_poller(poller, [&](core::poller &used) { return answer(used.remove(nullptr, fd)); });
}

int zmq_poller_wait_all(void *poller, zmq_poller_event_t *events, int n_events, long timeout) {
    return may_wait_with_poller(poller, [&](core::poller &used) {
        if (events == nullptr)
            return fail(EFAULT);
        if (n_events < 0)
            return fail(EINVAL);
        std::vector<core::poller_event> happened(std::min(static_cast<std::size_t>(n_events), used.size()));
        const auto count = used.wait(happened, timeout);
        if (!count)
            return fail(count.code());
        auto *const rest = std::transform(
            happened.begin(), happened.begin() + static_cast<std::ptrdiff_t>(*count), events, as_event);
        std::fill(rest, events + n_events, nothing);
        return static_cast<int>(*count);
    });
}

int zmq_poller_wait(void *poller, zmq_poller_event_t *event, long timeout) {
    return may_wait_with_poller(poller, [&](core::poller &used) {
        if (event == nullptr)
            return fail(EFAULT);
        *event = nothing;
        core::poller_event happened{};
        const auto count = used.wait(std::span(&happened, 1), timeout);
        if (!count)
            return fail(count.code());
        *event = as_event(happened);
        return 0;
    });
}

int zmq_poller_fd(void *poller, zmq_fd_t *fd) {
    return with_poller(poller, [&](core::poller &used) {
        if (fd == nullptr)
            return fail(EFAULT);
        const auto descriptor = used.descriptor();
        if (!descriptor)
            return fail(descriptor.code());
        *fd = *descriptor;
        return 0;
    });
}

} // extern "C"
