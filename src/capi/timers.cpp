// SPDX-License-Identifier: MPL-2.0
#include <new>

#include "capi/handles.hpp"
#include "core/timers.hpp"

using namespace zlink;
using namespace zlink::capi;

namespace {

// Null, with errno, when it is none.
core::timers *as_timers(void *handle) noexcept {
    auto *timers = static_cast<core::timers *>(handle);
    if (timers != nullptr && timers->valid())
        return timers;
    errno = EFAULT;
    return nullptr;
}

// Runs the call on the set: -1 when there is none, or when memory is short.
template <class Call> int with_timers(void *handle, Call &&call) noexcept {
    return guarded([&] {
        core::timers *used = as_timers(handle);
        return used == nullptr ? -1 : call(*used);
    });
}

} // namespace

extern "C" {

void *zmq_timers_new(void) {
    auto *made = new (std::nothrow) core::timers;
    if (made == nullptr)
        errno = ENOMEM;
    return made;
}

int zmq_timers_destroy(void **timers_p) {
    core::timers *old = timers_p != nullptr ? as_timers(*timers_p) : nullptr;
    if (old == nullptr)
        return fail(EFAULT);
    delete old;
    *timers_p = nullptr;
    return 0;
}

int zmq_timers_add(void *timers, size_t interval, zmq_timer_fn *handler, void *arg) {
    return with_timers(timers, [&](core::timers &used) {
        return handler == nullptr ? fail(EFAULT) : used.add(interval, handler, arg, runtime::now_ms());
    });
}

int zmq_timers_cancel(void *timers, int timer_id) {
    return with_timers(timers, [&](core::timers &used) { return answer(used.cancel(timer_id)); });
}

int zmq_timers_set_interval(void *timers, int timer_id, size_t interval) {
    return with_timers(timers, [&](core::timers &used) {
        return answer(used.set_interval(timer_id, interval, runtime::now_ms()));
    });
}

int zmq_timers_reset(void *timers, int timer_id) {
    return with_timers(timers,
                       [&](core::timers &used) { return answer(used.reset(timer_id, runtime::now_ms())); });
}

long zmq_timers_timeout(void *timers) {
    core::timers *asked = as_timers(timers);
    return asked == nullptr ? -1 : asked->timeout_ms(runtime::now_ms());
}

int zmq_timers_execute(void *timers) {
    return may_wait([&] { // a handler may
        core::timers *used = as_timers(timers);
        if (used == nullptr)
            return -1;
        used->execute(runtime::now_ms());
        return 0;
    });
}

} // extern "C"
