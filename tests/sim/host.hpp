// SPDX-License-Identifier: MPL-2.0
// host: the real system, for the simulation itself, and for what the library does with real files.
//
// The functions of these names in this program are the pretend kernel's. These here are the C library's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <sys/types.h>

namespace sim::host {

long call(long number, void *first, long second, long third) noexcept;
int create_thread(pthread_t *thread, void *(*start)(void *), void *argument) noexcept;
void join_thread(pthread_t thread) noexcept;
ssize_t read(int descriptor, void *to, std::size_t size) noexcept;
ssize_t write(int descriptor, const void *from, std::size_t size) noexcept;
int close(int descriptor) noexcept;
int control(int descriptor, int command, long argument) noexcept; // fcntl
[[nodiscard]] std::int64_t now_ns() noexcept;                     // of CLOCK_MONOTONIC
[[nodiscard]] std::int64_t processor_ns() noexcept;               // of this process and its children

} // namespace sim::host
