// SPDX-License-Identifier: MPL-2.0
// PUB to SUB: a subscriber gets messages of its topics only. From the first one on it gets all of a topic
// that it keeps, while nothing breaks and no mark is reached.
#include <optional>

#include "sim/scenario.hpp"

namespace sim {
namespace {

constexpr time_ns patience = 30 * one_s;
constexpr std::uint32_t topics_of_one = 3; // flows of each publisher

struct publishing {
    const plan &of;
    program_context *shared = nullptr; // over inproc
    std::vector<flow_judge> judges;    // one of each subscriber
    int publishers_left;
};

void run_publisher(publishing &all, int number) {
    const plan &of = all.of;
    {
        std::optional<program_context> own;
        void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(of).get();
        program_socket pub(context, ZMQ_PUB, of);
        attach(pub, of, !of.receivers_bind, number, of.receivers);
        for (std::uint64_t next = 0; next < of.messages; ++next) {
            const std::uint64_t flow =
                static_cast<std::uint64_t>(number) * topics_of_one + next % topics_of_one;
            for (flow_judge &one : all.judges)
                one.sent(flow, next / topics_of_one);
            if (!pub.send(make_message(flow, next / topics_of_one, of.largest)))
                fail("a PUB did not take a message");
            pause_a_while(of.pause_ms != 0 ? of.pause_ms : 2);
        }
    }
    --all.publishers_left;
}

std::string topic_of(std::uint64_t flow) {
    return std::to_string(flow) + "/";
}

class subscriber {
  public:
    subscriber(publishing &all, int number, void *context)
        : all_(all), judge_(all.judges[static_cast<std::size_t>(number)]), socket_(context, ZMQ_SUB, all.of),
          changes_(run->dice.below(2) == 0),
          flows_(static_cast<std::uint32_t>(all.of.senders) * topics_of_one) {
        for (std::uint64_t flow = 0; flow < flows_; ++flow)
            if (run->dice.below(3) != 0)
                change(flow);
        attach(socket_, all.of, all.of.receivers_bind, number, all.of.senders);
    }
    void read_all() {
        time_ns last = run->now();
        frames message;
        while (all_.publishers_left != 0 || run->now() - last < patience) {
            if (changes_ && run->dice.below(8) == 0)
                change(run->dice.below(flows_));
            if (!socket_.receive(message))
                continue;
            const std::uint64_t flow = judge_.received(message, all_.of.largest);
            if (!topics_.contains(flow))
                fail("a message of topic %llu, which nobody subscribed to",
                     static_cast<unsigned long long>(flow));
            last = run->now();
        }
    }
    void finish() const {
        const plan &of = all_.of;
        const bool kept = !may_lose(of);
        const bool roomy = of.send_mark >= 1000 && of.receive_mark >= 1000;
        judge_.finish({.in_order = kept, .complete = false, .gapless = kept && roomy && !changes_});
    }

  private:
    void change(std::uint64_t flow) {
        const bool on = topics_.insert(flow).second;
        socket_.set(on ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, topic_of(flow));
        if (!on)
            topics_.erase(flow);
    }

    publishing &all_;
    flow_judge &judge_;
    program_socket socket_;
    bool changes_;
    std::uint32_t flows_;
    std::set<std::uint64_t> topics_;
};

void run_subscriber(publishing &all, int number) {
    std::optional<program_context> own;
    void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(all.of).get();
    subscriber one(all, number, context);
    one.read_all();
    one.finish();
}

} // namespace

std::uint64_t play_topics(const plan &of) {
    std::optional<program_context> shared;
    publishing all{of, nullptr, std::vector<flow_judge>(static_cast<std::size_t>(of.receivers)), of.senders};
    if (of.over == transport::inproc)
        all.shared = &shared.emplace(of);
    run_threads(
        of, [&](int number) { run_subscriber(all, number); },
        [&](int number) { run_publisher(all, number); });
    std::uint64_t count = 0;
    for (const flow_judge &one : all.judges)
        count += one.count();
    return count;
}

} // namespace sim
