// SPDX-License-Identifier: MPL-2.0
// Fan-out and fan-in: one thread has the hub, one all the peers, each with a connection of its own.
//
// Every message carries its number. Outward, each peer must see each number; inward, message n comes from
// peer n % peers, so that each peer's own messages must arrive in order and none may be missing.
#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/two_ends.hpp"
#include "scale/program/library.hpp"
#include "scale/program/resources.hpp"
#include "scale/program/scenarios.hpp"
#include "scale/program/stopwatch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <zmq.h>

namespace bench::scale {
namespace {

struct fan_row {
    std::string_view name;
    int hub_type;
    int peer_type;
    bool outward;
};

constexpr std::array fan_rows{
    fan_row{"pub_sub", ZMQ_PUB, ZMQ_SUB, true},
    fan_row{"dealer_router", ZMQ_ROUTER, ZMQ_DEALER, false},
    fan_row{"push_pull", ZMQ_PULL, ZMQ_PUSH, false},
};

const fan_row &row_named(const std::string &name) {
    const auto *const found =
        std::find_if(fan_rows.begin(), fan_rows.end(), [&](const fan_row &row) { return row.name == name; });
    if (found == fan_rows.end())
        fail("there is no pattern '%s' for fan", name.c_str());
    return *found;
}

class fan {
  public:
    explicit fan(const parameters &given)
        : row_(row_named(given.text("pattern"))),
          peers_(static_cast<std::size_t>(given.number("peers", 1, 100'000))), size_(given.size_bytes()),
          run_ms_(given.number("run_ms", 1, 600'000)), where_(given.text("transport")),
          context_(given.small("io_threads", 1, 64), static_cast<int>(peers_) + 16),
          // A published message is under way once per peer.
          bound_(row_.outward ? size_ * peers_ : size_),
          batch_(row_.outward ? std::min<std::uint64_t>(bound_.stride(), 32) : bound_.stride()) {}

    double run() {
        run_two_ends(
            false, [this] { hub_end(); }, [this] { peers_end(); });
        return shared_->rate;
    }

  private:
    void hub_end() {
        socket hub(context_, row_.hub_type);
        endpoint_ = hub.bind(where_.endpoint());
        shared_->bound.set();
        if (row_.outward)
            publish(hub);
        else
            collect(hub);
        peers_closed_.wait(); // a hub that goes first would set the peers to reconnecting
    }

    void peers_end() {
        shared_->bound.wait();
        {
            std::vector<socket> peers;
            peers.reserve(peers_);
            while (peers.size() < peers_)
                connect_some(peers);
            shared_->ready.set();
            if (row_.outward)
                receive_all(peers);
            else
                send_in_turn(peers);
        }
        peers_closed_.set();
    }

    // Only so many at once: of connections that nobody has accepted yet the kernel keeps a few, and tries the
    // others again after seconds. Returns when the hub and the new peers have heard of each other.
    void connect_some(std::vector<socket> &peers) {
        constexpr std::size_t at_once = 50;
        body hello(size_);
        hello.stamp(kind::hello, 0);
        const std::size_t before = peers.size();
        for (const std::size_t end = std::min(before + at_once, peers_); peers.size() < end;) {
            socket &peer = peers.emplace_back(context_, row_.peer_type);
            if (row_.peer_type == ZMQ_SUB)
                peer.subscribe("");
            peer.connect(endpoint_);
            if (!row_.outward)
                peer.send(hello);
        }
        if (row_.outward)
            await_hello(std::span(peers).subspan(before));
        else
            for (; heard_.load() < peers.size();)
                sleep_ms(1);
    }

    // What nobody has subscribed to yet is dropped, so the hub says hello again when some did not hear it;
    // not often, since a thousand hellos at a time would keep the I/O thread from accepting the others.
    void await_hello(std::span<socket> newcomers) {
        constexpr int patience_ms = 50;
        body hello(size_);
        for (std::size_t heard = 0; heard < newcomers.size();) {
            hellos_wanted_.fetch_add(1);
            for (int waited_ms = 0; waited_ms < patience_ms && heard < newcomers.size(); ++waited_ms) {
                sleep_ms(1);
                while (heard < newcomers.size() && newcomers[heard].try_receive(hello.data(), hello.size()))
                    ++heard;
            }
        }
    }

    void publish(socket &hub) {
        body out(size_);
        out.stamp(kind::hello, 0);
        for (unsigned sent = 0; !shared_->ready.is_set(); sleep_ms(1)) {
            for (; sent != hellos_wanted_.load(); ++sent)
                hub.send(out);
        }
        send_until_done([&](std::uint64_t sequence) {
            out.stamp(kind::data, sequence);
            hub.send(out);
        });
    }

    void send_in_turn(std::vector<socket> &peers) {
        body out(size_);
        send_until_done([&](std::uint64_t sequence) {
            out.stamp(kind::data, sequence);
            peers[sequence % peers.size()].send(out);
        });
    }

    template <class Send> void send_until_done(Send send) {
        for (std::uint64_t sequence = 0; !shared_->done.is_set();) {
            if (!shared_->received.has_room(sequence, bound_))
                shared_->received.wait_for_room(sequence, bound_);
            for (const std::uint64_t end = sequence + batch_; sequence < end; ++sequence)
                send(sequence);
        }
    }

    void receive_all(std::vector<socket> &peers) {
        body in(size_);
        std::uint64_t rounds = 0;
        stopwatch watch(run_ms_);
        while (watch.goes_on(rounds * batch_ * peers.size())) {
            for (socket &peer : peers)
                receive_batch(peer, in, rounds * batch_);
            shared_->received.publish(++rounds * batch_);
        }
        finish(watch);
    }

    void receive_batch(socket &peer, body &in, std::uint64_t first) {
        for (std::uint64_t sequence = first; sequence < first + batch_; ++sequence) {
            do {
                peer.receive(in);
            } while (in.what() == kind::hello);
            if (!in.is_data(sequence))
                fail("a subscriber got message %llu where %llu was due",
                     static_cast<unsigned long long>(in.sequence()),
                     static_cast<unsigned long long>(sequence));
        }
    }

    void collect(socket &hub) {
        body in(size_);
        std::vector<std::uint64_t> next(peers_, 0); // rounds seen of each peer
        for (std::size_t heard = 0; heard < peers_; heard_.store(++heard)) {
            receive(hub, in);
            if (in.what() != kind::hello)
                fail("data came before everybody had said hello");
        }
        std::uint64_t received = 0;
        stopwatch watch(run_ms_);
        while (watch.goes_on(received)) {
            for (std::uint64_t end = received + batch_; received < end; ++received)
                take(hub, in, next);
            shared_->received.publish(received);
        }
        finish(watch);
    }

    void receive(socket &hub, body &in) {
        if (row_.hub_type == ZMQ_ROUTER) {
            std::array<char, 256> id{};
            hub.receive(id.data(), id.size());
        }
        hub.receive(in);
    }

    void take(socket &hub, body &in, std::vector<std::uint64_t> &next) {
        receive(hub, in);
        const std::uint64_t sequence = in.sequence();
        std::uint64_t &round = next[sequence % peers_];
        if (!in.is_data(sequence) || sequence / peers_ != round++)
            fail("round %llu of a peer arrived out of its turn",
                 static_cast<unsigned long long>(sequence / peers_));
    }

    void finish(const stopwatch &watch) {
        shared_->rate = watch.rate();
        shared_->done.set();
        shared_->received.publish(UINT64_MAX / 2); // more than anybody waits for
    }

    const fan_row &row_;
    const std::size_t peers_;
    const std::size_t size_;
    const std::int64_t run_ms_;
    const address where_;
    const context context_;
    const window bound_;
    const std::uint64_t batch_;
    std::string endpoint_; // written before shared_->bound
    const std::unique_ptr<meeting, unmap> shared_ = make_meeting();
    std::atomic<unsigned> hellos_wanted_{0}; // by the peers' thread
    std::atomic<std::size_t> heard_{0};      // peers whose hello has come to the hub; written by the hub
    flag peers_closed_;
};

} // namespace

void measure_fan(const parameters &given) {
    // Two streams and two wakeups per peer, and some more.
    allow_descriptors(static_cast<std::uint64_t>(given.number("peers", 1, 100'000)) * 4 + 200);
    given.report("messages_per_s", fan(given).run());
}

} // namespace bench::scale
