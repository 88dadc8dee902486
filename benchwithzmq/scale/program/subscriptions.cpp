// SPDX-License-Identifier: MPL-2.0
// Many subscriptions of one subscriber: what they take, and how fast a publisher matches against them.
#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/two_ends.hpp"
#include "scale/program/library.hpp"
#include "scale/program/resources.hpp"
#include "scale/program/scenarios.hpp"
#include "scale/program/shared.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <zmq.h>

namespace bench::scale {
namespace {

// "market/0123456/ab": shared beginnings and ends of their own, as real topics have.
constexpr std::size_t topic_bytes = 17;
constexpr int most_topics = 9'999'999;

class topic {
  public:
    // Numbers that follow each other lie far apart, so that matching does not walk through warm memory.
    explicit topic(std::uint64_t number) {
        const auto scattered = static_cast<unsigned>(number * 7'368'787 % 10'000'000);
        std::snprintf(text_.data(), text_.size(), "market/%07u/ab", scattered);
    }
    [[nodiscard]] std::string_view text() const { return {text_.data(), topic_bytes}; }

  private:
    std::array<char, 32> text_{};
};

// Reads `count` subscriptions off an XPUB.
void take_subscriptions(socket &publisher, std::uint64_t count) {
    std::array<char, 64> message{};
    for (std::uint64_t taken = 0; taken < count; ++taken) {
        if (publisher.receive(message.data(), message.size()) != topic_bytes + 1 || message[0] != 1)
            fail("something else than subscription %llu arrived", static_cast<unsigned long long>(taken));
    }
}

struct memory_state {
    char endpoint[256] = {}; // written by the publisher before bound
    flag bound;              // publisher
    flag started;            // subscriber: it has read its memory and subscribes
    flag taken;              // publisher: it has seen all subscriptions
    flag done;               // subscriber: its memory has been read
    std::int64_t begin_ns = 0;
    std::int64_t taken_ns = 0;
    std::int64_t publisher_bytes = 0;
    std::int64_t subscriber_bytes = 0;
};

void publisher_process(memory_state &state, std::uint64_t topics) {
    const context owner;
    socket publisher(owner, ZMQ_XPUB);
    std::snprintf(state.endpoint, sizeof state.endpoint, "%s", publisher.bind("tcp://127.0.0.1:*").c_str());
    const std::int64_t before = trimmed_resident_bytes();
    state.bound.set();
    take_subscriptions(publisher, topics);
    state.taken_ns = now_ns();
    state.taken.set();
    state.publisher_bytes = trimmed_resident_bytes() - before;
    state.done.wait();
}

void subscriber_process(memory_state &state, std::uint64_t topics) {
    const context owner;
    socket subscriber(owner, ZMQ_SUB);
    state.bound.wait();
    subscriber.connect(state.endpoint);
    const std::int64_t before = trimmed_resident_bytes();
    state.begin_ns = now_ns();
    for (std::uint64_t number = 0; number < topics; ++number)
        subscriber.subscribe(topic(number).text());
    state.taken.wait();
    state.subscriber_bytes = trimmed_resident_bytes() - before;
    state.done.set();
}

// All topics, one after the other, over inproc, with the message's number behind the topic.
class matching {
  public:
    matching(std::uint64_t topics, std::int64_t run_ms)
        : topics_(topics), run_ns_(run_ms * ns_per_ms), publisher_(context_, ZMQ_XPUB),
          subscriber_(context_, ZMQ_SUB) {
        publisher_.bind("inproc://matching");
        subscriber_.connect("inproc://matching");
        constexpr std::uint64_t at_once = 1000;
        for (std::uint64_t number = 0; number < topics_; ++number) {
            subscriber_.subscribe(topic(number).text());
            if ((number + 1) % at_once == 0)
                take_subscriptions(publisher_, at_once);
        }
        take_subscriptions(publisher_, topics_ % at_once);
        make_messages();
    }

    double matched_per_s() {
        run_two_ends(
            false, [this] { receive(); }, [this] { publish(); });
        return shared_->rate;
    }

    double unmatched_per_s() {
        drain();
        // Only the last byte tells that nobody has subscribed.
        for (std::uint64_t number = 0; number < topics_; ++number)
            message(number)[topic_bytes - 1] = 'x';
        std::uint64_t sent = 0;
        const std::int64_t begin = now_ns();
        std::int64_t now = begin;
        for (; now < begin + run_ns_; now = now_ns()) {
            for (const std::uint64_t end = sent + stride; sent < end; ++sent)
                publisher_.send(message(sent % topics_), message_bytes, 0);
        }
        std::array<char, message_bytes> none{};
        if (subscriber_.try_receive(none.data(), none.size()))
            fail("a message that matches no subscription arrived");
        return static_cast<double>(sent) * 1e9 / static_cast<double>(now - begin);
    }

  private:
    static constexpr std::size_t message_bytes = topic_bytes + sizeof(std::uint64_t);
    static constexpr std::uint64_t stride = 256;

    char *message(std::uint64_t number) { return messages_.get() + number * message_bytes; }

    // Made before the time runs: printing a topic costs more than matching it.
    void make_messages() {
        messages_ = std::make_unique<char[]>(topics_ * message_bytes);
        for (std::uint64_t number = 0; number < topics_; ++number)
            std::memcpy(message(number), topic(number).text().data(), topic_bytes);
    }

    void publish() {
        for (std::uint64_t sequence = 0; !shared_->done.is_set();) {
            if (!shared_->received.has_room(sequence, bound_))
                shared_->received.wait_for_room(sequence, bound_);
            for (const std::uint64_t end = sequence + stride; sequence < end; ++sequence) {
                char *const bytes = message(sequence % topics_);
                std::memcpy(bytes + topic_bytes, &sequence, sizeof sequence);
                publisher_.send(bytes, message_bytes, 0);
            }
        }
    }

    void receive() {
        std::array<char, message_bytes> in{};
        std::uint64_t received = 0;
        const std::int64_t begin = now_ns();
        std::int64_t now = begin;
        for (; now < begin + run_ns_; now = now_ns()) {
            for (const std::uint64_t end = received + stride; received < end; ++received) {
                std::uint64_t sequence = 0;
                const std::size_t size = subscriber_.receive(in.data(), in.size());
                std::memcpy(&sequence, in.data() + topic_bytes, sizeof sequence);
                if (size != message_bytes || sequence != received)
                    fail("message %llu arrived where %llu was due", static_cast<unsigned long long>(sequence),
                         static_cast<unsigned long long>(received));
            }
            shared_->received.publish(received);
        }
        shared_->rate = static_cast<double>(received) * 1e9 / static_cast<double>(now - begin);
        shared_->done.set();
        shared_->received.publish(UINT64_MAX / 2); // more than the publisher waits for
    }

    // Messages that came after the receiver had ended.
    void drain() {
        std::array<char, message_bytes> in{};
        while (subscriber_.try_receive(in.data(), in.size())) {
        }
    }

    const std::uint64_t topics_;
    const std::int64_t run_ns_;
    const context context_;
    socket publisher_;
    socket subscriber_;
    const window bound_{message_bytes};
    const std::unique_ptr<meeting, unmap> shared_ = make_meeting();
    std::unique_ptr<char[]> messages_;
};

std::uint64_t topic_count(const parameters &given) {
    return static_cast<std::uint64_t>(given.number("topics", 1, most_topics));
}

} // namespace

void measure_subscriptions(const parameters &given) {
    const std::uint64_t topics = topic_count(given);
    const shared<memory_state> state;
    run_two_ends(
        true, [&] { publisher_process(*state, topics); }, [&] { subscriber_process(*state, topics); });
    const auto per_topic = [&](std::int64_t bytes) {
        return static_cast<double>(bytes) / static_cast<double>(topics);
    };
    given.report("publisher_bytes", per_topic(state->publisher_bytes) - topic_bytes);
    given.report("subscriber_bytes", per_topic(state->subscriber_bytes) - topic_bytes);
    given.report("subscribed_per_s", 1e9 / per_topic(state->taken_ns - state->begin_ns));
}

void measure_matching(const parameters &given) {
    matching measured(topic_count(given), given.number("run_ms", 1, 600'000));
    given.report("matched_per_s", measured.matched_per_s());
    given.report("unmatched_per_s", measured.unmatched_per_s());
}

} // namespace bench::scale
