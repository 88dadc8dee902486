// SPDX-License-Identifier: MPL-2.0
#include <new>

#include "capi/handles.hpp"

using namespace zlink;
using namespace zlink::capi;

extern "C" {

void *zmq_ctx_new(void) {
    const uncancelled meanwhile;
    auto *made = new (std::nothrow) core::context;
    if (made == nullptr)
        errno = ENOMEM;
    return made;
}

int zmq_ctx_term(void *context) {
    return guarded([&] {
        core::context *ending = as_context(context);
        if (ending == nullptr)
            return -1;
        const auto done = ending->terminate();
        if (done)
            delete ending;
        return answer(done);
    });
}

int zmq_ctx_shutdown(void *context) {
    return guarded([&] {
        core::context *ending = as_context(context);
        if (ending == nullptr)
            return -1;
        ending->shutdown();
        return 0;
    });
}

int zmq_ctx_set(void *context, int option, int value) {
    return guarded([&] {
        core::context *changed = as_context(context);
        return changed == nullptr ? -1 : answer(changed->set(option, value));
    });
}

int zmq_ctx_get(void *context, int option) {
    core::context *asked = as_context(context);
    if (asked == nullptr)
        return -1;
    const auto value = asked->get(option);
    return value ? *value : fail(value.code());
}

int zmq_ctx_set_ext(void *context, int option, const void *value, size_t size) {
    return guarded([&] { return set_option(as_context(context), option, value, size); });
}
int zmq_ctx_get_ext(void *context, int option, void *value, size_t *size) {
    return guarded([&] { return get_option(as_context(context), option, value, size); });
}

void *zmq_init(int io_threads) {
    if (io_threads < 0) {
        errno = EINVAL;
        return nullptr;
    }
    void *made = zmq_ctx_new();
    if (made != nullptr)
        zmq_ctx_set(made, ZMQ_IO_THREADS, io_threads);
    return made;
}

int zmq_term(void *context) {
    return zmq_ctx_term(context);
}
int zmq_ctx_destroy(void *context) {
    return zmq_ctx_term(context);
}

} // extern "C"
