// SPDX-License-Identifier: MPL-2.0
#include "core/user_thread.hpp"

#include <cerrno>
#include <new>
#include <pthread.h>
#include <system_error>

#include "runtime/signals_blocked.hpp"

namespace zlink::core {

result<std::unique_ptr<user_thread>> user_thread::start(function run, void *argument) {
    try {
        std::unique_ptr<user_thread> made(new user_thread);
        const runtime::signals_blocked guard; // inherited by the new thread
        made->thread_ = std::thread([run, argument] {
            pthread_setname_np(pthread_self(), "ZMQapp");
            run(argument);
        });
        return made;
    } catch (const std::bad_alloc &) {
        return error{ENOMEM};
    } catch (const std::system_error &) {
        return error{EAGAIN};
    }
}

user_thread::~user_thread() {
    if (thread_.joinable())
        thread_.join();
}

} // namespace zlink::core
