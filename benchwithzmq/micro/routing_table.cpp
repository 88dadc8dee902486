// SPDX-License-Identifier: MPL-2.0
// From routing id to peer. The argument is the number of peers.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "patterns/routing_table.hpp"

namespace {

using namespace zlink::patterns;

// As generated: a zero and a number; or a name that the application gave.
std::string id_of(std::uint32_t number, bool generated) {
    if (!generated)
        return "worker-at-some-host:" + std::to_string(number);
    std::string id(5, '\0');
    std::memcpy(&id[1], &number, sizeof number);
    return id;
}

void find(benchmark::State &state, bool generated) {
    const auto peers = static_cast<std::uint32_t>(state.range(0));
    std::vector<std::string> ids;
    for (std::uint32_t number = 0; number < peers; ++number)
        ids.push_back(id_of(number * 2654435761U, generated));
    routing_table<std::string> table;
    for (std::string &id : ids)
        table.insert(id, &id);
    std::size_t at = 0;
    for (auto _ : state) {
        const std::string &id = ids[at];
        at = at + 1 == ids.size() ? 0 : at + 1;
        if (table.find(id) != &id)
            state.SkipWithError("a wrong peer");
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(find, generated, true)->Arg(1)->Arg(100)->Arg(10000);
BENCHMARK_CAPTURE(find, named, false)->Arg(1)->Arg(100)->Arg(10000);

void insert_erase(benchmark::State &state) {
    routing_table<int> table;
    int value = 0;
    for (std::uint32_t number = 0; number < static_cast<std::uint32_t>(state.range(0)); ++number)
        table.insert(id_of(number, true), &value);
    const std::string id = id_of(0xFFFFFFFF, true);
    for (auto _ : state) {
        benchmark::DoNotOptimize(table.insert(id, &value));
        benchmark::DoNotOptimize(table.erase(id));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(insert_erase)->Arg(100)->Arg(10000);

} // namespace
