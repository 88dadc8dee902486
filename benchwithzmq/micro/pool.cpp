// SPDX-License-Identifier: MPL-2.0
// Buffers of the pool: in one thread, and from a thread that allocates to one that frees.
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "message/buffer.hpp"

namespace {

using namespace zlink;

void allocate_release(benchmark::State &state) {
    const auto size = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        buffer *body = buffer::allocate(size);
        benchmark::DoNotOptimize(body->data());
        body->release();
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(allocate_release)->Arg(64)->Arg(1024)->Arg(65536)->Arg(1 << 20)->Arg(8 << 20);

void malloc_free(benchmark::State &state) { // for comparison
    const auto size = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        void *memory = std::malloc(size);
        benchmark::DoNotOptimize(memory);
        std::free(memory);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(malloc_free)->Arg(64)->Arg(1024)->Arg(65536)->Arg(1 << 20)->Arg(8 << 20);

void retain_release(benchmark::State &state) {
    buffer *body = buffer::allocate(64);
    for (auto _ : state) {
        body->retain();
        benchmark::DoNotOptimize(body);
        body->release();
    }
    body->release();
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(retain_release);

void batch(benchmark::State &state) {
    const auto size = static_cast<std::size_t>(state.range(0));
    std::array<buffer *, 64> bodies{};
    for (auto _ : state) {
        for (buffer *&each : bodies)
            each = buffer::allocate(size);
        for (buffer *each : bodies)
            each->release();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(bodies.size()));
}
BENCHMARK(batch)->Arg(64)->Arg(1024)->Arg(65536);

void freed_by_another_thread(benchmark::State &state) {
    constexpr std::size_t places = 256;
    const auto size = static_cast<std::size_t>(state.range(0));
    static std::array<std::atomic<buffer *>, places> ring;
    std::atomic<bool> stop{false};
    std::thread other([&] {
        for (std::size_t at = 0; !stop.load(std::memory_order_relaxed);) {
            buffer *body = ring[at % places].load(std::memory_order_acquire);
            if (body == nullptr) {
                std::this_thread::yield();
                continue;
            }
            ring[at++ % places].store(nullptr, std::memory_order_release);
            body->release();
        }
    });
    std::size_t at = 0;
    for (auto _ : state) {
        while (ring[at % places].load(std::memory_order_acquire) != nullptr)
            std::this_thread::yield();
        ring[at++ % places].store(buffer::allocate(size), std::memory_order_release);
    }
    stop = true;
    other.join();
    for (auto &each : ring)
        if (buffer *body = each.exchange(nullptr))
            body->release();
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(freed_by_another_thread)->Arg(64)->Arg(65536)->UseRealTime();

} // namespace
