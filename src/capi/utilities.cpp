// SPDX-License-Identifier: MPL-2.0
// Functions of the API that are about no socket: versions, errors, counters, watches, threads.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "base/error.hpp"
#include "capi/handles.hpp"
#include "core/user_thread.hpp"

using namespace zlink;
using namespace zlink::capi;

namespace {

using counter = std::atomic<int>;
using steady = std::chrono::steady_clock;

// Transports and mechanisms of the API that this library has.
constexpr const char *capabilities[] = {"ipc"};

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
    return 0;
}

void *zmq_atomic_counter_new(void) {
    return new (std::nothrow) counter(0);
}
void zmq_atomic_counter_set(void *counter_, int value) {
    static_cast<counter *>(counter_)->store(value);
}
int zmq_atomic_counter_inc(void *counter_) {
    return static_cast<counter *>(counter_)->fetch_add(1);
}
int zmq_atomic_counter_dec(void *counter_) {
    return static_cast<counter *>(counter_)->fetch_sub(1) - 1 != 0 ? 1 : 0;
}
int zmq_atomic_counter_value(void *counter_) {
    return static_cast<counter *>(counter_)->load();
}
void zmq_atomic_counter_destroy(void **counter_p_) {
    delete static_cast<counter *>(*counter_p_);
    *counter_p_ = nullptr;
}

void *zmq_stopwatch_start(void) {
    return new (std::nothrow) steady::time_point(steady::now());
}
unsigned long zmq_stopwatch_intermediate(void *watch_) {
    return microseconds_since(*static_cast<steady::time_point *>(watch_));
}
unsigned long zmq_stopwatch_stop(void *watch_) {
    const unsigned long elapsed = zmq_stopwatch_intermediate(watch_);
    delete static_cast<steady::time_point *>(watch_);
    return elapsed;
}

void zmq_sleep(int seconds_) {
    std::this_thread::sleep_for(std::chrono::seconds(seconds_));
}

void *zmq_threadstart(zmq_thread_fn *func_, void *arg_) {
    auto started = core::user_thread::start(func_, arg_);
    if (started)
        return started->release();
    errno = started.code();
    return nullptr;
}

void zmq_threadclose(void *thread_) {
    delete static_cast<core::user_thread *>(thread_);
}

} // extern "C"
