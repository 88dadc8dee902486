// SPDX-License-Identifier: MPL-2.0
// Frame headers: walking 64 KiB of frames, as a connection does with what it received, and writing headers.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <vector>

#include "message/frame_header.hpp"

namespace {

using namespace zlink;

void walk(benchmark::State &state) {
    const auto size = static_cast<std::size_t>(state.range(0));
    std::vector<std::uint8_t> bytes;
    std::int64_t frames = 0;
    while (bytes.size() + large_header_size + size <= 64 * 1024) {
        std::array<std::uint8_t, large_header_size> header{};
        const std::size_t header_size = encode_frame_header(header.data(), 0, size);
        bytes.insert(bytes.end(), header.begin(), header.begin() + static_cast<std::ptrdiff_t>(header_size));
        bytes.resize(bytes.size() + size);
        ++frames;
    }
    for (auto _ : state) {
        std::size_t at = 0;
        std::int64_t found = 0;
        while (at < bytes.size()) {
            const frame_header header = parse_frame_header(bytes.data() + at, bytes.size() - at);
            if (header.status != header_status::ok)
                break;
            at += header.header_size + header.body_size;
            ++found;
        }
        if (found != frames)
            state.SkipWithError("frames are missing");
    }
    state.SetItemsProcessed(state.iterations() * frames);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(walk)->Arg(0)->Arg(64)->Arg(255)->Arg(256)->Arg(1024);

void encode(benchmark::State &state) {
    std::array<std::uint8_t, large_header_size> header{};
    auto size = static_cast<std::uint64_t>(state.range(0));
    for (auto _ : state) {
        benchmark::DoNotOptimize(size);
        benchmark::DoNotOptimize(encode_frame_header(header.data(), 0, size));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(encode)->Arg(64)->Arg(1024);

} // namespace
