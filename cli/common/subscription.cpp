// SPDX-License-Identifier: MPL-2.0
#include "common/subscription.hpp"

#include <algorithm>
#include <zmq.h>

#include "common/clock.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

void subscription_options::declare(arguments &declared) {
    declared.option("ENDPOINT", words, "ENDPOINT [TOPIC...]",
                    "The publisher, and the beginnings of the messages to receive (all)");
    declared.flag("--bind", bind, "Bind ENDPOINT, for publishers that connect");
    declared.option("-n,--count", count, "N", "End after N messages");
    declared.option("--timeout", timeout, "SECONDS", "End if no message comes for so long");
    declared.option("--duration", duration, "SECONDS", "End after this time");
    socket.declare_limits(declared);
    declared.group("Options");
}

void subscription_options::declare_topic_bytes(arguments &declared) {
    declared.option("--topic-bytes", topic_bytes, "N",
                    "The topic is the first N bytes of a message, not its first frame");
}

const std::string &subscription_options::endpoint() const {
    if (words.empty())
        throw failure("which endpoint? write tcp://HOST:PORT or ipc://PATH, then topics", status_usage);
    return words.front();
}

std::vector<std::string> subscription_options::topics() const {
    endpoint();
    return {words.begin() + 1, words.end()};
}

subscription::subscription(const subscription_options &options)
    : options_(options), topics_(options.topics()), socket_(context_, ZMQ_SUB) {
    authenticator_ = options.socket.security().start_authenticator(context_);
    options.socket.apply(socket_);
    if (topics_.empty())
        socket_.set(ZMQ_SUBSCRIBE, "", "the subscription");
    for (const auto &topic : topics_)
        socket_.set(ZMQ_SUBSCRIBE, topic, "the subscription");
    endpoint_options place = options.socket;
    if (options.bind)
        place.bind_to(options.endpoint());
    else
        place.connect_to(options.endpoint());
    place.attach(socket_);
    if (options.duration)
        ends_ = now_ns() + seconds_to_ns(*options.duration);
}

int subscription::status() const {
    if (!stop_signal::came() || !options_.count || received_ >= *options_.count)
        return status_done;
    note(concat("stopped after ", counted(received_, "message"), " of ", *options_.count));
    return 128 + stop_signal::number();
}

bool subscription::is_over(std::uint64_t now) const {
    return stop_signal::came() || (ends_ != 0 && now >= ends_) ||
           (options_.count && received_ >= *options_.count);
}

void subscription::watch(const std::function<void(const message &)> &take,
                         const std::function<std::uint64_t()> &tick) {
    message frames;
    auto quiet_since = now_ns();
    while (!is_over(now_ns())) {
        const auto wake = tick();
        const auto silence = options_.timeout ? quiet_since + seconds_to_ns(*options_.timeout) : 0;
        std::uint64_t until = 0;
        for (const auto time : {wake, silence, ends_})
            until = time == 0 ? until : until == 0 ? time : std::min(until, time);
        zmq_pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                                  {nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0}};
        if (zmq_poll(items, 2, until_ms(until, now_ns())) < 0 && zmq_errno() != EINTR)
            fail_with_errno("wait for messages");
        constexpr int at_once = 1000;
        for (int turn = 0;
             turn < at_once && !(options_.count && received_ >= *options_.count) && socket_.receive(frames);
             ++turn) {
            ++received_;
            quiet_since = now_ns();
            take(frames);
        }
        if (silence != 0 && now_ns() >= quiet_since + seconds_to_ns(*options_.timeout) &&
            !is_over(now_ns())) {
            tick();
            if (received_ > 0 && !options_.count)
                return;
            throw failure(concat("no message within ", *options_.timeout, " s from ", options_.endpoint(),
                                 ": does it publish these topics? try \"zlink ping\""));
        }
    }
    tick();
}

void subscription::watch_and_report(const std::function<void(const message &)> &take, double interval_s,
                                    const std::function<void(double seconds)> &report) {
    auto begun = now_ns();
    const auto report_now = [&](std::uint64_t now) {
        report(static_cast<double>(std::max<std::uint64_t>(now - begun, 1)) / 1e9);
        begun = now;
    };
    watch(take, [&] {
        if (const auto now = now_ns(); now >= begun + seconds_to_ns(interval_s))
            report_now(now);
        return begun + seconds_to_ns(interval_s);
    });
    report_now(now_ns());
}

std::string subscription::topic_of(const message &frames) const {
    if (options_.topic_bytes)
        return frames[0].substr(0, *options_.topic_bytes);
    if (frames.size() > 1)
        return frames[0];
    std::string longest;
    for (const auto &topic : topics_)
        if (frames[0].starts_with(topic) && topic.size() > longest.size())
            longest = topic;
    return longest;
}

} // namespace cli
