// SPDX-License-Identifier: MPL-2.0
// zlink replay: the messages of a file to a socket, at the times of the recording.
#include <memory>
#include <zmq.h>

#include "common/clock.hpp"
#include "common/command.hpp"
#include "common/endpoints.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/recording.hpp"
#include "common/sender.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct replay_options {
    endpoint_options endpoints;
    std::string file, type{"PUB"};
    double speed{1}, delay{0};
    std::optional<double> timeout;
    std::uint64_t subscribers{0};
    bool loop{false}, fast{false};
};

class replayer {
  public:
    explicit replayer(const replay_options &options)
        : options_(options), file_(options.file),
          target_(context_, options.subscribers > 0 ? ZMQ_XPUB : find_socket_type(options.type).number) {}

    int run() {
        authenticator_ = options_.endpoints.security().start_authenticator(context_);
        options_.endpoints.apply(target_);
        // A message waits for a peer, not in a queue for one that has left: that would never end.
        target_.set(ZMQ_IMMEDIATE, 1, "ZMQ_IMMEDIATE");
        if (options_.timeout)
            target_.set(ZMQ_LINGER, static_cast<int>(*options_.timeout * 1000), "ZMQ_LINGER");
        options_.endpoints.attach(target_);
        if (options_.delay > 0)
            wait(0, now_ns() + seconds_to_ns(options_.delay));
        await_subscribers();
        try {
            do
                play_once();
            while (options_.loop && !stop_signal::came());
        } catch (const failure &) {
            finish_sending(context_, target_, options_.timeout); // the messages before the failure
            throw;
        }
        const bool sent_all = finish_sending(context_, target_, options_.timeout);
        note(concat("sent ", counted(sent_, "message")));
        if (!sent_all && !stop_signal::came())
            throw failure("ended before all messages had left: is the other side slow, or gone?");
        return stop_signal::came() && !options_.loop ? 128 + stop_signal::number() : int{status_done};
    }

  private:
    // False after a signal, or when `until` has come.
    bool wait(short events, std::uint64_t until) {
        for (;;) {
            zmq_pollitem_t items[] = {{nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0},
                                      {target_.handle(), 0, events, 0}};
            if (zmq_poll(items, events != 0 ? 2 : 1, until_ms(until, now_ns())) < 0 && zmq_errno() != EINTR)
                fail_with_errno("wait for the socket");
            if (stop_signal::came())
                return false;
            if (events != 0 && items[1].revents != 0)
                return true;
            if (until != 0 && now_ns() >= until)
                return false;
        }
    }

    void await_subscribers() {
        const auto until = options_.timeout ? now_ns() + seconds_to_ns(*options_.timeout) : 0;
        message frames;
        for (std::uint64_t missing = options_.subscribers; missing > 0 && !stop_signal::came();) {
            if (wait(ZMQ_POLLIN, until)) {
                if (target_.receive(frames) && !frames[0].empty() && frames[0][0] == 1)
                    --missing;
            } else if (!stop_signal::came()) {
                throw failure(concat("not enough subscribers within ", *options_.timeout, " s: ", missing,
                                     " more are needed"));
            }
        }
    }

    // The first message is sent at once.
    void play_once() {
        file_.rewind();
        const auto begun = now_ns();
        std::optional<std::uint64_t> first;
        while (!stop_signal::came()) {
            const auto one = file_.next();
            if (!one)
                return;
            first = first.value_or(one->time_ns);
            const auto due =
                static_cast<double>(one->time_ns - std::min(*first, one->time_ns)) / options_.speed;
            if (!options_.fast && due > 0)
                wait(0, begun + seconds_to_ns(due / 1e9));
            send(one->frames);
        }
    }

    void send(const message &frames) {
        const auto until = options_.timeout ? now_ns() + seconds_to_ns(*options_.timeout) : 0;
        while (!stop_signal::came() && !target_.send(frames))
            if (!wait(ZMQ_POLLOUT, until) && !stop_signal::came())
                throw failure(concat("no peer took a message within ", *options_.timeout,
                                     " s: is the other side running?"));
        if (!stop_signal::came())
            ++sent_;
    }

    const replay_options &options_;
    recording_reader file_;
    context context_;
    std::unique_ptr<zap_server> authenticator_;
    socket target_;
    std::uint64_t sent_{0};
};

int run_replay(const replay_options &options) {
    const auto wrong = [](const char *line) { throw failure(line, status_usage); };
    if (options.file.empty())
        wrong("which file? write: zlink replay FILE --bind ENDPOINT");
    if (options.endpoints.empty())
        wrong("where? give --bind ENDPOINT or --connect ENDPOINT");
    if (options.speed <= 0)
        wrong("--speed is more than 0");
    if (options.subscribers > 0 && options.type != "PUB")
        wrong("--wait-subscribers is for PUB");
    return replayer(options).run();
}

} // namespace

action declare_replay(arguments &declared) {
    auto options = std::make_shared<replay_options>();
    declared.option("FILE", options->file, "FILE",
                    "The file that zlink record has written; - is the standard input");
    options->endpoints.declare(declared);
    declared.group("Options");
    declared.choice("-t,--type", options->type, {"PUB", "PUSH", "PAIR", "DEALER", "ROUTER", "XPUB"},
                    "The socket type (PUB)");
    declared.option("--speed", options->speed, "X", "Times the speed of the recording (1)");
    declared.flag("--fast", options->fast, "Do not wait between messages");
    declared.flag("--loop", options->loop, "Begin again at the end, until a signal");
    declared.option("--delay", options->delay, "SECONDS", "Wait before the first message");
    declared.option("--wait-subscribers", options->subscribers, "N",
                    "PUB: wait for N subscriptions before the first message");
    declared.option("--timeout", options->timeout, "SECONDS", "End if nobody takes a message for so long");
    options->endpoints.declare_limits(declared);
    return [options] {
        stop_signal::install();
        return run_replay(*options);
    };
}

} // namespace cli
