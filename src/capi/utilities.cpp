// SPDX-License-Identifier: MPL-2.0
// Functions of the API that are about no socket: versions, errors, counters, watches, threads.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "capi/handles.hpp"
#include "core/app_thread.hpp"
#include "core/endpoint_list.hpp"

using namespace zlink;
using namespace zlink::capi;

namespace {

using counter = std::atomic<int>;
using steady = std::chrono::steady_clock;

// Transports and mechanisms of the API that this library has.
constexpr const char *capabilities[] = {"ipc", "curve", "tls", "ws", "wss", "WS", "WSS", "draft"};

unsigned long microseconds_since(steady::time_point start) noexcept {
    return static_cast<unsigned long>(
        std::chrono::duration_cast<std::chrono::microseconds>(steady::now() - start).count());
}

} // namespace

extern "C" {

int zmq_errno(void) {
    return errno;
}
const char *zmq_strerror(int errnum) {
    return error_text(errnum);
}

void zmq_version(int *major, int *minor, int *patch) {
    *major = ZMQ_VERSION_MAJOR;
    *minor = ZMQ_VERSION_MINOR;
    *patch = ZMQ_VERSION_PATCH;
}

int zmq_has(const char *capability) {
    for (const char *known : capabilities)
        if (std::strcmp(known, capability) == 0)
            return 1;
    return std::strcmp(core::name_transport, capability) == 0 && core::can_connect_to_names() ? 1 : 0;
}

void *zmq_atomic_counter_new(void) {
    return new (std::nothrow) counter(0);
}
void zmq_atomic_counter_set(void *handle, int value) {
    static_cast<counter *>(handle)->store(value);
}
int zmq_atomic_counter_inc(void *handle) {
    return static_cast<counter *>(handle)->fetch_add(1);
}
int zmq_atomic_counter_dec(void *handle) {
    return static_cast<counter *>(handle)->fetch_sub(1) - 1 != 0 ? 1 : 0;
}
int zmq_atomic_counter_value(void *handle) {
    return static_cast<counter *>(handle)->load();
}
void zmq_atomic_counter_destroy(void **handle) {
    delete static_cast<counter *>(*handle);
    *handle = nullptr;
}

void *zmq_stopwatch_start(void) {
    return new (std::nothrow) steady::time_point(steady::now());
}
unsigned long zmq_stopwatch_intermediate(void *watch) {
    return microseconds_since(*static_cast<steady::time_point *>(watch));
}
unsigned long zmq_stopwatch_stop(void *watch) {
    const unsigned long elapsed = zmq_stopwatch_intermediate(watch);
    delete static_cast<steady::time_point *>(watch);
    return elapsed;
}

void zmq_sleep(int seconds) {
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
}

void *zmq_threadstart(zmq_thread_fn *function, void *argument) {
    try {
        return core::start_app_thread(function, argument).release();
    } catch (const std::exception &) {
        errno = EAGAIN;
        return nullptr;
    }
}

void zmq_threadclose(void *thread) {
    auto *ended = static_cast<std::thread *>(thread);
    ended->join();
    delete ended;
}

} // extern "C"
