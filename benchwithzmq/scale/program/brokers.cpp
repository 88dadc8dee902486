// SPDX-License-Identifier: MPL-2.0
// zmq_proxy in a process of its own, between the processes that send and those that receive.
//
// Every message carries its number, and a receiver fails at the first that is not the next.
#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/two_ends.hpp"
#include "scale/program/library.hpp"
#include "scale/program/percentile.hpp"
#include "scale/program/resources.hpp"
#include "scale/program/scenarios.hpp"
#include "scale/program/shared.hpp"
#include "scale/program/stopwatch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
#include <zmq.h>

// Not every peer of the comparison has it.
extern "C" int zmq_proxy(void *front, void *back, void *capture) __attribute__((weak));

namespace bench::scale {
namespace {

struct proxy_state {
    char front[256] = {}; // both are written by the proxy before bound
    char back[256] = {};
    flag bound;
    flag ready; // the receivers have heard the sender
    flag done;  // the end that measures has all it needs
    progress received;
    double rate = 0; // written before done
};

// A proxy of a socket type for those who send and one for those who receive. Both sides connect to it.
class proxied {
  public:
    proxied(const parameters &given, int front_type, int back_type)
        : run_ms(given.number("run_ms", 1, 600'000)), size(given.size_bytes()), front_type_(front_type),
          back_type_(back_type), front_(given.text("transport")), back_(given.text("transport"), "-back") {}

    void serve() const {
        if (zmq_proxy == nullptr)
            fail("the library has no zmq_proxy");
        const context owner;
        socket front(owner, front_type_);
        socket back(owner, back_type_);
        std::snprintf(state->front, sizeof state->front, "%s", front.bind(front_.endpoint()).c_str());
        std::snprintf(state->back, sizeof state->back, "%s", back.bind(back_.endpoint()).c_str());
        state->bound.set();
        zmq_proxy(front.get(), back.get(), nullptr);
        fail("the proxy has ended: %s", zmq_strerror(zmq_errno()));
    }
    void connect_to_front(socket &made) const {
        state->bound.wait();
        made.connect(state->front);
    }
    void connect_to_back(socket &made) const {
        state->bound.wait();
        made.connect(state->back);
    }

    const std::int64_t run_ms;
    const std::size_t size;
    const shared<proxy_state> state;

  private:
    const int front_type_;
    const int back_type_;
    const address front_;
    const address back_;
};

// ---- requests

constexpr std::size_t most_clients = 64;
constexpr std::size_t most_trips = 1 << 20; // of each client

struct client_times {
    std::size_t count = 0;
    std::array<std::uint32_t, most_trips> ns{};
};
struct broker_times {
    std::array<client_times, most_clients> clients;
    std::atomic<unsigned> warm{0}; // clients that have had an answer
};

class broker {
  public:
    explicit broker(const parameters &given)
        : clients_(static_cast<std::size_t>(given.number("clients", 1, most_clients))),
          workers_(static_cast<std::size_t>(given.number("workers", 1, most_clients))),
          proxied_(given, ZMQ_ROUTER, ZMQ_DEALER) {}

    void run(const parameters &given) {
        std::vector<std::function<void()>> servers{[this] { proxied_.serve(); }};
        for (std::size_t worker = 0; worker < workers_; ++worker)
            servers.emplace_back([this] { answer(); });
        std::vector<std::function<void()>> ends;
        for (std::size_t client = 0; client < clients_; ++client)
            ends.emplace_back([this, client] { ask(times_->clients[client]); });
        run_processes(servers, ends);
        report(given);
    }

  private:
    void answer() const {
        const context owner;
        socket replier(owner, ZMQ_REP);
        proxied_.connect_to_back(replier);
        for (body message(proxied_.size);;) {
            replier.receive(message);
            replier.send(message);
        }
    }

    // All clients measure at the same time: each warms up until all have had an answer, and a while longer.
    void ask(client_times &taken) const {
        const context owner;
        socket requester(owner, ZMQ_REQ);
        proxied_.connect_to_front(requester);
        body message(proxied_.size);
        std::uint64_t sequence = 0;
        trip(requester, message, sequence++);
        times_->warm.fetch_add(1);
        while (times_->warm.load() < clients_)
            trip(requester, message, sequence++);
        std::int64_t now = now_ns();
        const std::int64_t warm = now + proxied_.run_ms * ns_per_ms / 5;
        for (const std::int64_t end = warm + proxied_.run_ms * ns_per_ms; now < end;) {
            const std::int64_t sent = now;
            trip(requester, message, sequence++);
            now = now_ns();
            if (sent >= warm && taken.count < most_trips)
                taken.ns[taken.count++] =
                    static_cast<std::uint32_t>(std::min<std::int64_t>(now - sent, UINT32_MAX));
        }
    }

    static void trip(socket &requester, body &message, std::uint64_t sequence) {
        message.stamp(kind::data, sequence);
        requester.send(message);
        requester.receive(message);
        if (!message.is_data(sequence))
            fail("the reply to request %llu was another", static_cast<unsigned long long>(sequence));
    }

    void report(const parameters &given) const {
        std::vector<std::uint32_t> all;
        for (std::size_t client = 0; client < clients_; ++client) {
            const client_times &taken = times_->clients[client];
            if (taken.count == 0 || taken.count == most_trips)
                fail("client %zu made %zu round trips", client, taken.count);
            all.insert(all.end(), taken.ns.begin(),
                       taken.ns.begin() + static_cast<std::ptrdiff_t>(taken.count));
        }
        std::sort(all.begin(), all.end());
        given.report("trips_per_s",
                     static_cast<double>(all.size()) * 1e3 / static_cast<double>(proxied_.run_ms));
        given.report("p50_us", percentile_us(all, 0.5));
        given.report("p99_us", percentile_us(all, 0.99));
    }

    const std::size_t clients_;
    const std::size_t workers_;
    const proxied proxied_;
    const shared<broker_times> times_;
};

// ---- streams

// One sender, a proxy, and one process that receives with one or more sockets.
class stream {
  public:
    stream(const parameters &given, int sender_type, int receiver_type, const proxied &through,
           std::size_t receivers)
        : sender_type_(sender_type), receiver_type_(receiver_type), receivers_(receivers), proxied_(through),
          bound_(proxied_.size * receivers),
          batch_(receivers == 1 ? bound_.stride() : std::min<std::uint64_t>(bound_.stride(), 32)) {
        allow_descriptors(receivers * 4 + 200);
        run_processes({[this] { proxied_.serve(); }}, {[this] { send(); }, [this] { receive(); }});
        given.report("messages_per_s", proxied_.state->rate);
    }

  private:
    void send() {
        const context owner;
        socket sender(owner, sender_type_);
        proxied_.connect_to_front(sender);
        proxy_state &state = *proxied_.state;
        body out(proxied_.size);
        // What nobody has subscribed to yet is dropped.
        for (out.stamp(kind::hello, 0); !state.ready.is_set(); sleep_ms(5))
            sender.send(out);
        for (std::uint64_t sequence = 0; !state.done.is_set();) {
            if (!state.received.has_room(sequence, bound_))
                state.received.wait_for_room(sequence, bound_);
            for (const std::uint64_t end = sequence + batch_; sequence < end; ++sequence) {
                out.stamp(kind::data, sequence);
                sender.send(out);
            }
        }
    }

    void receive() {
        const context owner(1, static_cast<int>(receivers_) + 16);
        std::vector<socket> receivers;
        body in(proxied_.size);
        for (std::size_t made = 0; made < receivers_; ++made) {
            socket &receiver = receivers.emplace_back(owner, receiver_type_);
            if (receiver_type_ == ZMQ_SUB)
                receiver.subscribe("");
            proxied_.connect_to_back(receiver);
        }
        for (socket &receiver : receivers)
            receiver.receive(in);
        proxy_state &state = *proxied_.state;
        state.ready.set();
        stopwatch watch(proxied_.run_ms);
        for (std::uint64_t sequence = 0; watch.goes_on(sequence * receivers_); sequence += batch_) {
            for (socket &receiver : receivers)
                receive_batch(receiver, in, sequence);
            state.received.publish(sequence + batch_);
        }
        state.rate = watch.rate();
        state.done.set();
        state.received.publish(UINT64_MAX / 2); // more than anybody waits for
    }

    void receive_batch(socket &receiver, body &in, std::uint64_t first) const {
        for (std::uint64_t sequence = first; sequence < first + batch_; ++sequence) {
            do {
                receiver.receive(in);
            } while (in.what() == kind::hello);
            if (!in.is_data(sequence))
                fail("message %llu came where %llu was due", static_cast<unsigned long long>(in.sequence()),
                     static_cast<unsigned long long>(sequence));
        }
    }

    const int sender_type_;
    const int receiver_type_;
    const std::size_t receivers_;
    const proxied &proxied_;
    const window bound_;
    const std::uint64_t batch_;
};

} // namespace

void measure_broker(const parameters &given) {
    broker(given).run(given);
}

void measure_streamer(const parameters &given) {
    stream(given, ZMQ_PUSH, ZMQ_PULL, proxied(given, ZMQ_PULL, ZMQ_PUSH), 1);
}

void measure_forwarder(const parameters &given) {
    stream(given, ZMQ_PUB, ZMQ_SUB, proxied(given, ZMQ_XSUB, ZMQ_XPUB),
           static_cast<std::size_t>(given.number("peers", 1, 100'000)));
}

} // namespace bench::scale
