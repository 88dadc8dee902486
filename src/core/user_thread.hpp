// SPDX-License-Identifier: MPL-2.0
// user_thread: a thread that runs a function of the application (zmq_threadstart).
//
// Threads: made in one, joined by its destructor in any. As with libzmq, it has a name of its own and takes
// no signals that are for the process.
#pragma once

#include <memory>
#include <thread>

#include "base/result.hpp"

namespace zlink::core {

class user_thread {
  public:
    using function = void (*)(void *);

    // Errors: EAGAIN (the system has no room for a thread), ENOMEM.
    static result<std::unique_ptr<user_thread>> start(function run, void *argument);
    ~user_thread();
    user_thread(const user_thread &) = delete;
    user_thread &operator=(const user_thread &) = delete;

  private:
    user_thread() = default;
    std::thread thread_;
};

} // namespace zlink::core
