// SPDX-License-Identifier: MPL-2.0
// Peers that come and go while the other side stays. It has to notice that they have gone. A ROUTER does not
// know the id any more. A PUSH has nobody to send to. An XPUB hears that the subscription ended.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "sim/scenario.hpp"

namespace sim {
namespace {

constexpr time_ns answer_patience = 600 * one_s;
constexpr time_ns short_patience = 5 * one_s; // where a message may be lost

enum class stage : std::uint8_t { coming, gone, noticed };

struct visitor {
    std::string name;
    stage at = stage::coming;
    time_ns gone_at = 0;
    bool answered = false;
};

struct partings {
    const plan &of;
    program_context *shared = nullptr; // over inproc
    std::vector<visitor> visitors;
    int visitors_left;
    std::uint64_t rounds;
    std::uint64_t count = 0;
};

// The end of a connection arrives behind all that was sent. In a storm the kernel may have to give it up.
time_ns time_to_notice(const plan &of) {
    const time_ns at_most = of.how == weather::stormy ? 1300 * one_s : 60 * one_s;
    return at_most + of.receive_limit_ms * ms;
}

void note_if_late(const plan &of, const visitor &one) {
    if (run->now() - one.gone_at > time_to_notice(of))
        fail("nobody noticed in %lld s that %s has gone",
             static_cast<long long>((run->now() - one.gone_at) / one_s), one.name.c_str());
}

// ---- who stays

class host_of_visitors {
  public:
    host_of_visitors(partings &all, int type) : all_(all), of_(all.of) {
        if (all.shared == nullptr)
            own_.emplace(of_);
        socket_.emplace(own_ ? own_->get() : all.shared->get(), type, of_);
    }
    virtual ~host_of_visitors() = default;
    host_of_visitors(const host_of_visitors &) = delete;
    host_of_visitors &operator=(const host_of_visitors &) = delete;

    void stay() {
        attach(*socket_, of_, true, 0, 0);
        while (all_.visitors_left != 0) {
            serve();
            for (visitor &one : all_.visitors) {
                if (one.at != stage::gone)
                    continue;
                if (has_left(one))
                    one.at = stage::noticed;
                else
                    note_if_late(of_, one);
            }
        }
    }

  protected:
    // Answers whoever comes.
    virtual void serve() = 0;
    [[nodiscard]] virtual bool has_left(const visitor &one) = 0;

    [[nodiscard]] program_socket &socket() noexcept { return *socket_; }
    [[nodiscard]] partings &all() noexcept { return all_; }
    [[nodiscard]] bool try_send(const std::string &frame, int flags) {
        return zmq_send(socket_->get(), frame.data(), frame.size(), flags | ZMQ_DONTWAIT) >= 0;
    }

  private:
    partings &all_;
    const plan &of_;
    std::optional<program_context> own_;
    std::optional<program_socket> socket_;
};

class router_host final : public host_of_visitors {
  public:
    explicit router_host(partings &all) : host_of_visitors(all, ZMQ_ROUTER) {
        socket().set(ZMQ_ROUTER_MANDATORY, 1);
    }

  private:
    void serve() override {
        frames message;
        if (!socket().receive(message))
            return;
        if (!socket().send(message) && !may_lose(all().of))
            fail("a ROUTER has no way back to %s, which waits", message.front().c_str());
    }
    bool has_left(const visitor &one) override {
        if (!try_send(one.name, ZMQ_SNDMORE)) {
            if (errno != EHOSTUNREACH && errno != EAGAIN)
                fail("zmq_send to a peer that may have gone: %s", std::strerror(errno));
            return errno == EHOSTUNREACH;
        }
        if (!try_send("", 0))
            fail("the last frame of a message was not taken: %s", std::strerror(errno));
        return false;
    }
};

// Without a mark: a queue that nobody reads does not fill.
class push_host final : public host_of_visitors {
  public:
    push_host(partings &all, int type) : host_of_visitors(all, type) { socket().set(ZMQ_SNDHWM, 0); }

  private:
    void serve() override {
        for (visitor &one : all().visitors)
            if (one.at == stage::coming && !one.answered && try_send(one.name, 0))
                ++sent_;
        pause_a_while(sent_ % 16 == 0 ? 1000 : 20);
    }
    bool has_left(const visitor &) override { return !try_send("", 0); }

    std::uint64_t sent_ = 0;
};

class xpub_host final : public host_of_visitors {
  public:
    explicit xpub_host(partings &all) : host_of_visitors(all, ZMQ_XPUB) {}

  private:
    void serve() override {
        frames message;
        if (!socket().receive(message))
            return;
        const std::string topic = message.front().substr(1);
        if (message.front().front() == 0) {
            topics_.erase(topic);
            return;
        }
        topics_.insert(topic);
        socket().send({topic});
    }
    bool has_left(const visitor &one) override { return !topics_.contains(one.name); }

    std::set<std::string> topics_;
};

// ---- who comes and goes

struct manner {
    int host_type;
    int type;
};

std::unique_ptr<host_of_visitors> make_host(partings &all, int type) {
    switch (type) {
    case ZMQ_ROUTER:
        return std::make_unique<router_host>(all);
    case ZMQ_XPUB:
        return std::make_unique<xpub_host>(all);
    default:
        return std::make_unique<push_host>(all, type);
    }
}

// Until an answer comes, or has most likely been lost.
void visit(partings &all, visitor &one, void *context, int type) {
    program_socket socket(context, type, all.of);
    if (type == ZMQ_SUB)
        socket.set(ZMQ_SUBSCRIBE, one.name);
    if (type == ZMQ_DEALER)
        socket.set(ZMQ_ROUTING_ID, one.name);
    attach(socket, all.of, false, 0, 1);
    if (type == ZMQ_DEALER && !socket.send({one.name}))
        return;
    const time_ns began = run->now();
    frames answer;
    do {
        if (may_lose(all.of) && run->now() - began > short_patience)
            return;
        if (run->now() - began > answer_patience)
            fail("no answer to %s", one.name.c_str());
    } while (!socket.receive(answer));
    if (answer.front() != one.name && !answer.front().empty())
        fail("%s has an answer to %s", one.name.c_str(), answer.front().c_str());
    one.answered = true;
    ++all.count;
    pause_a_while(all.of.pause_ms);
}

void run_visitor(partings &all, int number, int type) {
    visitor &one = all.visitors[static_cast<std::size_t>(number)];
    {
        std::optional<program_context> own;
        void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(all.of).get();
        for (std::uint64_t round = 0; round < all.rounds; ++round) {
            one.at = stage::coming;
            one.answered = false;
            visit(all, one, context, type);
            one.gone_at = run->now();
            one.at = stage::gone;
            for (int wait_ms = 1; one.at != stage::noticed; wait_ms = std::min(2 * wait_ms, 1000))
                sleep_for(wait_ms * ms);
        }
    }
    --all.visitors_left;
}

} // namespace

// A PUSH or DEALER is alone with its peer: it has another one else. A send without a limit waits for a peer.
std::uint64_t play_partings(const plan &drawn) {
    constexpr manner manners[] = {
        {ZMQ_ROUTER, ZMQ_DEALER}, {ZMQ_XPUB, ZMQ_SUB}, {ZMQ_PUSH, ZMQ_PULL}, {ZMQ_DEALER, ZMQ_DEALER}};
    plan of = drawn;
    const manner &one = manners[run->dice.below(std::size(manners))];
    const bool alone = one.host_type == ZMQ_PUSH || one.host_type == ZMQ_DEALER;
    of.senders = alone ? 1 : of.senders;
    of.send_limit_ms = 1000;
    of.pause_ms = std::min(of.pause_ms, 1000);
    std::optional<program_context> shared;
    partings all{of, nullptr, {}, of.senders, 1 + run->dice.below(4)};
    if (of.over == transport::inproc)
        all.shared = &shared.emplace(of);
    for (int number = 0; number < of.senders; ++number)
        all.visitors.push_back({"peer " + std::to_string(number) + "/"});
    of.receivers = 1;
    run_threads(
        of, [&](int) { make_host(all, one.host_type)->stay(); },
        [&](int number) { run_visitor(all, number, one.type); });
    return all.count;
}

} // namespace sim
