// SPDX-License-Identifier: MPL-2.0
// Does a message match, and whose subscriptions does it match? The argument is the number of topics.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/subscriptions.hpp"

namespace {

using namespace zlink::patterns;

std::string topic_of(std::int64_t number) {
    return "market." + std::to_string(number % 97) + ".instrument." + std::to_string(number);
}

// What does not match goes down the tree as far as the market. So many that those of a large tree do not stay
// in the cache.
std::vector<std::string> messages_of(std::int64_t topics, bool matching) {
    std::vector<std::string> messages;
    for (std::int64_t number = 0; number < std::clamp<std::int64_t>(topics, 256, 16384); ++number) {
        std::string topic = topic_of(number * 7919 % topics);
        if (!matching)
            topic.at(topic.find(".i") + 1) = 'x';
        messages.push_back(topic + std::string(64, 'x'));
    }
    return messages;
}

void set_matches(benchmark::State &state, bool matching) {
    topic_set topics;
    for (std::int64_t number = 0; number < state.range(0); ++number)
        topics.add(topic_of(number));
    const std::vector<std::string> messages = messages_of(state.range(0), matching);
    std::size_t at = 0;
    for (auto _ : state) {
        const std::string &message = messages[at++ % messages.size()];
        if (topics.matches(message.data(), message.size()) != matching)
            state.SkipWithError("a wrong match");
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(set_matches, hit, true)->Arg(1)->Arg(1000)->Arg(100000)->Arg(1000000);
BENCHMARK_CAPTURE(set_matches, miss, false)->Arg(1)->Arg(1000)->Arg(100000)->Arg(1000000);

void index_matches(benchmark::State &state) {
    struct subscriber {
        std::uint64_t hits = 0;
    };
    std::vector<subscriber> subscribers(16);
    subscription_index<subscriber> index;
    for (std::int64_t number = 0; number < state.range(0); ++number)
        for (std::size_t each = 0; each < subscribers.size();
             each += 1 + static_cast<std::size_t>(number % 5))
            index.add(topic_of(number), &subscribers[each]);
    const std::vector<std::string> messages = messages_of(state.range(0), true);
    std::size_t at = 0;
    for (auto _ : state) {
        const std::string &message = messages[at++ % messages.size()];
        index.match(message.data(), message.size(), [](subscriber *who) { ++who->hits; });
    }
    if (subscribers[0].hits == 0)
        state.SkipWithError("nobody was hit");
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(index_matches)->Arg(1)->Arg(1000)->Arg(100000)->Arg(1000000);

void add_remove(benchmark::State &state) {
    topic_set topics;
    for (std::int64_t number = 0; number < state.range(0); ++number)
        topics.add(topic_of(number));
    const std::string topic = topic_of(state.range(0) + 1);
    for (auto _ : state) {
        topics.add(topic);
        benchmark::DoNotOptimize(topics.remove(topic));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(add_remove)->Arg(1000)->Arg(100000)->Arg(1000000);

// One of many subscribers comes and goes with a hundred topics: its cost must not depend on what the others
// have.
void subscriber_leaves(benchmark::State &state) {
    struct subscriber {};
    subscriber stays, goes;
    subscription_index<subscriber> index;
    for (std::int64_t number = 0; number < state.range(0); ++number)
        index.add(topic_of(number), &stays);
    for (auto _ : state) {
        for (std::int64_t number = 0; number < 100; ++number)
            index.add(topic_of(number * 7919), &goes);
        std::int64_t topics = 0;
        index.remove_all(&goes, [&topics](std::string_view, remove_result) { ++topics; });
        if (topics != 100)
            state.SkipWithError("some were forgotten");
    }
    state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(subscriber_leaves)->Arg(1000)->Arg(100000)->Arg(1000000);

} // namespace
