// SPDX-License-Identifier: MPL-2.0
// judge: says what the socket patterns promise, and ends a run that breaks a promise.
//
// A message names its flow (one sender's messages to one receiver) and its number. Both say how many frames
// it has, and every byte. Promised to every flow: whole messages, each at most once. While the network breaks
// no connection: in order, and all of them. A call with a time limit returns by then, or a second later, as
// the run may hold threads up.
#pragma once

#include <cerrno>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>
#include <zmq.h>

#include "sim/world.hpp"

namespace sim {

using frames = std::vector<std::string>;

// Where messages may be lost or overtake each other in this run, a promise is less.
struct promises {
    bool in_order = true;
    bool complete = true;
    bool gapless = false; // from the first that came to the last that was sent
};

[[nodiscard]] frames make_message(std::uint64_t flow, std::uint64_t number, std::size_t largest);

class flow_judge {
  public:
    // Fails if it is not a whole message of that kind. Returns its flow. Order is one receiver's.
    std::uint64_t received(const frames &message, std::size_t largest, int receiver = 0);
    void sent(std::uint64_t flow, std::uint64_t number) { sent_[flow].insert(number); }
    // The call had no success after all.
    void not_sent(std::uint64_t flow, std::uint64_t number) { sent_[flow].erase(number); }
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t last_number() const noexcept { return last_; }
    // Has as much of that flow come as was sent?
    [[nodiscard]] bool has_all(std::uint64_t flow) const;
    [[nodiscard]] std::uint64_t sent_count() const noexcept;
    // Judges the whole run, when all threads have ended.
    void finish(const promises &kept) const;

  private:
    std::map<std::uint64_t, std::set<std::uint64_t>> sent_;
    std::map<std::pair<std::uint64_t, int>, std::vector<std::uint64_t>> seen_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> all_;
    std::uint64_t count_ = 0;
    std::uint64_t last_ = 0; // number of the last message
};

// Makes a call, and fails if it takes longer than its limit. limit_ms < 0: there is none. A call that ends
// with EAGAIN before its limit is a finding, too.
template <class Call> auto timed(const char *name, int limit_ms, Call &&call) {
    constexpr time_ns allowed = one_s;
    const time_ns begin = run->now();
    const auto result = call();
    const int code = errno;
    const time_ns took = run->now() - begin;
    if (limit_ms >= 0 && took > limit_ms * ms + allowed)
        fail("%s took %lld ms, its limit is %d ms", name, static_cast<long long>(took / ms), limit_ms);
    if (result < 0 && code == EAGAIN && (limit_ms < 0 || took + ms < limit_ms * ms))
        fail("%s gave up after %lld ms, its limit is %d ms", name, static_cast<long long>(took / ms),
             limit_ms);
    errno = code;
    return result;
}

} // namespace sim
