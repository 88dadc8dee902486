// SPDX-License-Identifier: MPL-2.0
// A queue: messages written, committed and read, by one thread and by two; and carried on as byte ranges.
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "queue/message_queue.hpp"
#include "queue/write_cursor.hpp"

namespace {

using namespace zlink;

constexpr int burst = 64;

std::size_t size_of(const benchmark::State &state) {
    return static_cast<std::size_t>(state.range(0));
}

void count(benchmark::State &state, std::int64_t messages) {
    state.SetItemsProcessed(state.iterations() * messages);
    state.SetBytesProcessed(state.iterations() * messages * state.range(0));
}

void copy_out(message_queue &from, std::vector<std::uint8_t> &to) {
    incoming_frame frame;
    while (from.reader().read(frame)) {
        if (frame.owner == nullptr)
            std::memcpy(to.data(), frame.data, frame.size);
        frame.drop();
    }
}

void write_commit_read(benchmark::State &state) {
    message_queue log(1000);
    std::vector<std::uint8_t> body(size_of(state));
    std::vector<std::uint8_t> copy(size_of(state));
    for (auto _ : state) {
        for (int written = 0; written < burst && !log.writer().full(); ++written) {
            if (!log.writer().write({body.data(), body.size(), 0, nullptr}))
                state.SkipWithError("no memory");
            benchmark::DoNotOptimize(log.writer().commit());
        }
        copy_out(log, copy);
        benchmark::ClobberMemory();
    }
    count(state, burst);
}
BENCHMARK(write_commit_read)->Arg(8)->Arg(64)->Arg(255)->Arg(1024)->Arg(8192)->Arg(65536);

void one_message_at_a_time(benchmark::State &state) {
    message_queue log(1000);
    std::vector<std::uint8_t> body(size_of(state));
    std::vector<std::uint8_t> copy(size_of(state));
    for (auto _ : state) {
        if (log.writer().full() || !log.writer().write({body.data(), body.size(), 0, nullptr}))
            state.SkipWithError("no memory");
        benchmark::DoNotOptimize(log.writer().commit());
        copy_out(log, copy);
        benchmark::ClobberMemory();
    }
    count(state, 1);
}
BENCHMARK(one_message_at_a_time)->Arg(64)->Arg(1024);

void multipart(benchmark::State &state) {
    message_queue log(1000);
    std::vector<std::uint8_t> body(size_of(state));
    std::vector<std::uint8_t> copy(size_of(state));
    for (auto _ : state) {
        for (int written = 0; written < burst; ++written) {
            if (!log.writer().write({body.data(), 5, frame_flag::more, nullptr}) ||
                !log.writer().write({body.data(), body.size(), 0, nullptr}))
                state.SkipWithError("no memory");
            benchmark::DoNotOptimize(log.writer().commit());
        }
        copy_out(log, copy);
        benchmark::ClobberMemory();
    }
    count(state, burst);
}
BENCHMARK(multipart)->Arg(64);

void write_commit_gather(benchmark::State &state) {
    message_queue log(1000);
    write_cursor cursor(log.reader());
    std::vector<std::uint8_t> body(size_of(state));
    std::array<byte_range, 16> pieces;
    for (auto _ : state) {
        for (int written = 0; written < burst; ++written) {
            if (!log.writer().write({body.data(), body.size(), 0, nullptr}))
                state.SkipWithError("no memory");
            benchmark::DoNotOptimize(log.writer().commit());
        }
        while (const std::size_t found = cursor.ranges(pieces, 1 << 20)) {
            std::size_t bytes = 0;
            for (std::size_t index = 0; index < found; ++index)
                bytes += pieces[index].size;
            cursor.advance(bytes);
        }
    }
    count(state, burst);
}
BENCHMARK(write_commit_gather)->Arg(64)->Arg(1024)->Arg(65536);

// Writer and reader run free, and yield when there is no room or nothing to read; the second argument is the
// high-water mark.
void two_threads(benchmark::State &state) {
    message_queue log(static_cast<int>(state.range(1)));
    std::atomic<bool> stop{false};
    std::vector<std::uint8_t> body(size_of(state));
    std::thread reader([&] {
        std::vector<std::uint8_t> copy(size_of(state));
        while (!stop.load(std::memory_order_relaxed)) {
            copy_out(log, copy);
            std::this_thread::yield();
        }
    });
    for (auto _ : state) {
        for (int written = 0; written < burst; ++written) {
            while (log.writer().full())
                std::this_thread::yield();
            if (!log.writer().write({body.data(), body.size(), 0, nullptr}))
                state.SkipWithError("no memory");
            benchmark::DoNotOptimize(log.writer().commit());
        }
    }
    stop = true;
    reader.join();
    count(state, burst);
}
BENCHMARK(two_threads)
    ->Args({64, 1000})
    ->Args({64, 100000})
    ->Args({1024, 1000})
    ->Args({65536, 1000})
    ->UseRealTime();

} // namespace
