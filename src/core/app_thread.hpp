// SPDX-License-Identifier: MPL-2.0
// A thread of the application's that the library starts for it (zmq_threadstart). As with libzmq it takes no
// signals: those are for the threads that the application has made itself.
//
// Threads: any. Ownership: the caller joins and deletes.
#pragma once

#include <memory>
#include <pthread.h>
#include <thread>

#include "runtime/signals_blocked.hpp"

namespace zlink::core {

// Throws std::system_error: no thread is to be had; std::bad_alloc.
inline std::unique_ptr<std::thread> start_app_thread(void (*function)(void *), void *argument) {
    const runtime::signals_blocked inherited;
    return std::make_unique<std::thread>([function, argument] {
        pthread_setname_np(pthread_self(), "ZMQapp"); // its name there, too
        function(argument);
    });
}

} // namespace zlink::core
