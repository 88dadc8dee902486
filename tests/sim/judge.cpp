// SPDX-License-Identifier: MPL-2.0
#include "sim/judge.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace sim {
namespace {

constexpr std::size_t head_size = 40; // "flow/number/"

std::string head_of(std::uint64_t flow, std::uint64_t number) {
    char text[head_size + 1];
    const int size = std::snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64 "/", flow, number);
    return {text, static_cast<std::size_t>(size)};
}

std::string filled(zlink::random_generator &dice, std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t index = 0; index < size; index += sizeof(std::uint64_t)) {
        const std::uint64_t next = dice.next();
        for (std::size_t byte = 0; byte < sizeof next && index + byte < size; ++byte)
            bytes[index + byte] = static_cast<char>(next >> (8 * byte));
    }
    return bytes;
}

} // namespace

// The first frame begins with the name of the message, so that a SUB can have topics.
frames make_message(std::uint64_t flow, std::uint64_t number, std::size_t largest) {
    zlink::random_generator dice(flow * 0x9e3779b97f4a7c15u + number);
    frames made;
    made.push_back(head_of(flow, number));
    const std::uint32_t more = dice.below(8) == 0 ? dice.below(20) : dice.below(3);
    for (std::uint32_t frame = 0; frame < more; ++frame) {
        const bool long_one = dice.below(6) == 0;
        const std::size_t most = long_one ? largest : std::min<std::size_t>(largest, 300);
        made.push_back(filled(dice, dice.below(static_cast<std::uint32_t>(most + 1))));
    }
    return made;
}

std::uint64_t flow_judge::received(const frames &message, std::size_t largest, int receiver) {
    std::uint64_t flow = 0;
    std::uint64_t number = 0;
    if (message.empty() ||
        std::sscanf(message.front().c_str(), "%" SCNu64 "/%" SCNu64 "/", &flow, &number) != 2)
        fail("a message without a name");
    if (message != make_message(flow, number, largest))
        fail("message %" PRIu64 "/%" PRIu64 " has other bytes or frames", flow, number);
    if (!all_.emplace(flow, number).second)
        fail("message %" PRIu64 "/%" PRIu64 " came twice", flow, number);
    seen_[{flow, receiver}].push_back(number);
    ++count_;
    last_ = number;
    return flow;
}

bool flow_judge::has_all(std::uint64_t flow) const {
    const auto sent = sent_.find(flow);
    std::size_t seen = 0;
    for (const auto &[way, numbers] : seen_)
        seen += way.first == flow ? numbers.size() : 0;
    return sent == sent_.end() || seen == sent->second.size();
}

std::uint64_t flow_judge::sent_count() const noexcept {
    std::uint64_t count = 0;
    for (const auto &[flow, numbers] : sent_)
        count += numbers.size();
    return count;
}

void flow_judge::finish(const promises &kept) const {
    for (const auto &[way, numbers] : seen_) {
        const std::uint64_t flow = way.first;
        const auto from = sent_.find(flow);
        for (const std::uint64_t number : numbers)
            if (from == sent_.end() || !from->second.contains(number))
                fail("message %" PRIu64 "/%" PRIu64 " was never sent", flow, number);
        if (kept.in_order && !std::is_sorted(numbers.begin(), numbers.end()))
            fail("flow %" PRIu64 " is out of order", flow);
        const std::uint64_t expected = kept.gapless ? *from->second.rbegin() - numbers.front() + 1 : 0;
        if (kept.gapless && numbers.size() != expected)
            fail("%zu of %" PRIu64 " messages of flow %" PRIu64 " came behind the first", numbers.size(),
                 expected, flow);
    }
    if (kept.complete && count_ != sent_count())
        fail("%" PRIu64 " messages were sent and %" PRIu64 " received", sent_count(), count_);
}

} // namespace sim
