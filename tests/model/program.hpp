// SPDX-License-Identifier: MPL-2.0
// program: what is checked. A few threads use the library's own code for a few steps; the checker runs them
// in every order, up to a bound.
//
// A program is a type. Its constructor prepares as thread 0. Its member run(thread) is called by the threads
// 1 to `threads`, and finish() by thread 0 at the end. All of it is compiled with the compiler's hooks for a
// thread sanitizer, which tests/model/hooks.cpp answers. It must do the same in each execution, apart from
// what the threads tell each other.
#pragma once

#include <cstddef>
#include <vector>

namespace zlink::model {

struct program {
    const char *name;
    std::size_t threads;
    int preemptions; // at most so many times in an execution a thread is stopped that could go on
    int quick;       // the same, of the short form; negative: not in it
    void *(*prepare)();
    void (*run)(void *state, std::size_t thread);
    void (*finish)(void *state);
};

template <class Type> program make_program(const char *name, int preemptions, int quick) {
    return {name,
            Type::threads,
            preemptions,
            quick,
            []() -> void * { return new Type; },
            [](void *state, std::size_t thread) { static_cast<Type *>(state)->run(thread); },
            [](void *state) {
                static_cast<Type *>(state)->finish();
                delete static_cast<Type *>(state);
            }};
}

[[nodiscard]] std::vector<program> all_programs();

// ---- for a program

// Fails the execution if it is not so.
void require(bool so, const char *what) noexcept;
// The calling thread sleeps until another one has woken it, once. Nothing else is handed over: a program's
// thread may be woken by anybody.
void sleep() noexcept;
void wake(std::size_t thread) noexcept;

} // namespace zlink::model
