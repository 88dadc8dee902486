// SPDX-License-Identifier: MPL-2.0
// fiber: a thread of the simulated program, as a coroutine. All fibers run in one thread of the host.
//
// A fiber needs a stack and thread-local variables of its own. So a thread of the host is made for it, which
// lends both and sleeps until the fiber has ended. The host's one running thread takes the stack and the
// register of the thread-local variables (fs) over. Only for x86-64.
//
// Threads: the one running thread. Ownership: fibers live as long as the process.
#pragma once

#include <cstdint>
#include <pthread.h>

namespace sim {

class fiber {
  public:
    // The thread that calls it becomes the first fiber.
    fiber() noexcept;
    // A fiber that runs entry(argument) when it is first switched to. entry never returns. Check is_ready():
    // the host may have no thread left.
    fiber(void (*entry)(void *), void *argument) noexcept;
    fiber(const fiber &) = delete;
    fiber &operator=(const fiber &) = delete;

    [[nodiscard]] bool is_ready() const noexcept { return stack_ != nullptr; }
    // The name of the lending thread: what pthread_self() gives in the fiber.
    [[nodiscard]] pthread_t thread() const noexcept { return thread_; }
    // Runs `to` until something switches back.
    void switch_to(fiber &to) noexcept;
    // The lending thread ends. The fiber is never switched to again.
    void end() noexcept;

  private:
    static void *lend(void *self);
    void prepare_stack(char *top) noexcept;

    void (*entry_)(void *) = nullptr;
    void *argument_ = nullptr;
    void *stack_ = nullptr;
    void *locals_ = nullptr;
    pthread_t thread_{};
    std::uint32_t lent_ = 0;
    std::uint32_t over_ = 0;
};

} // namespace sim
