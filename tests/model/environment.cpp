// SPDX-License-Identifier: MPL-2.0
// Instead of parts of the library, the programs have a pool, a clock and several processors. The pool never
// uses memory again, so that a late use is seen.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/brief_yield.hpp"
#include "base/fork.hpp"
#include "base/processors.hpp"
#include "base/system_calls.hpp"
#include "base/thread_mark.hpp"
#include "message/pool.hpp"
#include "model/explorer.hpp"
#include "model/programs.hpp"
#include "runtime/parker.hpp"

namespace zlink {

namespace {
constexpr std::size_t granule = 16;
}

pool::block pool::allocate(std::size_t bytes) noexcept {
    const std::size_t rounded = (bytes + granule - 1) / granule * granule;
    return {::operator new(rounded), rounded, 0};
}

void pool::release(void *memory, std::uint8_t) noexcept {
    ::operator delete(memory);
}

bool several_processors() noexcept {
    return true;
}

// No program forks.
fork_handler::fork_handler() noexcept = default;
fork_handler::~fork_handler() = default;

// No program has descriptors.
const bool system_calls::detail::alone = false;
ssize_t system_calls::detail::read(int, void *, std::size_t) noexcept {
    return -EBADF;
}
ssize_t system_calls::detail::write(int, const void *, std::size_t) noexcept {
    return -EBADF;
}
void system_calls::close(int) noexcept {}
void withhold_from_children(int) noexcept {}
void release_to_children(int) noexcept {}

namespace {
runtime::parker *parkers[model::most_threads];
std::size_t acting = 0; // for thread 0
} // namespace

const void *this_thread() noexcept {
    static const char marks[model::most_threads]{};
    const std::size_t current = model::the_explorer.current();
    return &marks[current == 0 ? acting : current];
}

namespace model {

namespace {
class aside {
  public:
    aside() noexcept : before_(std::exchange(in_program, false)) {}
    ~aside() { in_program = before_; }
    aside(const aside &) = delete;
    aside &operator=(const aside &) = delete;

  private:
    const bool before_;
};
} // namespace

void require(bool so, const char *what) noexcept {
    const aside now;
    if (!so)
        the_explorer.fail(what, static_cast<const char *>(__builtin_return_address(0)) - 1);
}

void sleep() noexcept {
    const aside now;
    the_explorer.sleep();
}

void wake(std::size_t thread) noexcept {
    const aside now;
    the_explorer.wake(thread);
}

void set_parker(std::size_t thread, runtime::parker &its) noexcept {
    parkers[thread] = &its;
}

void act_as(std::size_t thread) noexcept {
    acting = thread;
}

namespace {
std::chrono::steady_clock::time_point time_of_program;
constexpr std::chrono::nanoseconds time_of_look{334};
constexpr std::chrono::microseconds time_of_yield{100};
} // namespace

void let_time_pass() noexcept {
    time_of_program += time_of_yield;
}

} // namespace model

void brief_yield() noexcept {
    const model::aside now;
    model::the_explorer.brief_yield();
    model::let_time_pass();
}

} // namespace zlink

// parker::of_this_thread()
extern "C" zlink::runtime::parker &__wrap__ZN5zlink7runtime6parker14of_this_threadEv() {
    return *zlink::parkers[zlink::model::the_explorer.current()];
}

// Time goes on by a third of a microsecond with each look: a wait for some time ends.
extern "C" std::chrono::steady_clock::time_point
__real__ZNSt6chrono3_V212steady_clock3nowEv(); // NOLINT: the linker makes these names
extern "C" std::chrono::steady_clock::time_point __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
    if (!zlink::model::in_program)
        return __real__ZNSt6chrono3_V212steady_clock3nowEv();
    return zlink::model::time_of_program += zlink::model::time_of_look;
}
