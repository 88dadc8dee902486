// SPDX-License-Identifier: MPL-2.0
// What a message takes of the machine: processor time, context switches, page faults and allocations of both
// processes.
//
// A fixed number of messages after a tenth of them as warm-up; each process reads its own use before the
// first counted message and after the last one has arrived. A message of req_rep is a round trip.
#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/two_ends.hpp"
#include "scale/program/library.hpp"
#include "scale/program/resources.hpp"
#include "scale/program/scenarios.hpp"
#include "scale/program/shared.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <zmq.h>

namespace bench::scale {
namespace {

struct cost_row {
    std::string_view name;
    int sender_type;   // connects
    int receiver_type; // binds
    bool answered;
};

constexpr std::array cost_rows{
    cost_row{"push_pull", ZMQ_PUSH, ZMQ_PULL, false},
    cost_row{"dealer_router", ZMQ_DEALER, ZMQ_ROUTER, false},
    cost_row{"req_rep", ZMQ_REQ, ZMQ_REP, true},
};

const cost_row &row_named(const std::string &name) {
    const auto *const found = std::find_if(cost_rows.begin(), cost_rows.end(),
                                           [&](const cost_row &row) { return row.name == name; });
    if (found == cost_rows.end())
        fail("there is no pattern '%s' for cost", name.c_str());
    return *found;
}

struct cost_state {
    char endpoint[256] = {}; // written by the receiver before bound
    flag bound;              // receiver
    flag warm;               // receiver: it has all messages of the warm-up, and its use
    flag done;               // receiver: it has all messages
    progress received;
    std::int64_t began_ns = 0; // receiver, as ended_ns
    std::int64_t ended_ns = 0;
    usage sender;
    usage receiver;
};

class cost {
  public:
    explicit cost(const parameters &given)
        : row_(row_named(given.text("pattern"))), size_(given.size_bytes()),
          messages_(static_cast<std::uint64_t>(given.number("messages", 10, 1'000'000'000))),
          warmup_(messages_ / 10), where_(given.text("transport")), bound_(size_) {}

    void run() {
        run_two_ends(
            true, [this] { receiving_process(); }, [this] { sending_process(); });
    }

    void report(const parameters &given) const {
        const auto count = static_cast<double>(messages_);
        const usage both = state_->sender.plus(state_->receiver);
        given.report("messages_per_s",
                     count * 1e9 / static_cast<double>(state_->ended_ns - state_->began_ns));
        given.report("processor_us", both.processor_us / count);
        given.report("context_switches", both.context_switches / count);
        given.report("page_faults", both.page_faults / count);
        if (both.allocations)
            given.report("allocations", *both.allocations / count);
    }

  private:
    void sending_process() {
        const context owner;
        socket sender(owner, row_.sender_type);
        state_->bound.wait();
        sender.connect(state_->endpoint);
        body message(size_);
        send_all(sender, message, 0, warmup_);
        state_->warm.wait();
        const usage before = usage_so_far();
        send_all(sender, message, warmup_, warmup_ + messages_);
        state_->done.wait();
        state_->sender = usage_so_far().since(before);
    }

    void receiving_process() {
        const context owner;
        socket receiver(owner, row_.receiver_type);
        std::snprintf(state_->endpoint, sizeof state_->endpoint, "%s",
                      receiver.bind(where_.endpoint()).c_str());
        state_->bound.set();
        body message(size_);
        receive_all(receiver, message, 0, warmup_);
        const usage before = usage_so_far();
        state_->began_ns = now_ns();
        state_->warm.set();
        receive_all(receiver, message, warmup_, warmup_ + messages_);
        state_->ended_ns = now_ns();
        state_->receiver = usage_so_far().since(before);
        state_->done.set();
    }

    void send_all(socket &sender, body &message, std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t sequence = first; sequence < end; ++sequence) {
            if (sequence % bound_.stride() == 0 && !state_->received.has_room(sequence, bound_))
                state_->received.wait_for_room(sequence, bound_);
            message.stamp(kind::data, sequence);
            sender.send(message);
            if (row_.answered)
                receive_one(sender, message, sequence);
        }
    }

    void receive_all(socket &receiver, body &message, std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t sequence = first; sequence < end; ++sequence) {
            if (row_.receiver_type == ZMQ_ROUTER) {
                std::array<char, 256> id{};
                receiver.receive(id.data(), id.size());
            }
            receive_one(receiver, message, sequence);
            if (row_.answered)
                receiver.send(message);
            if (sequence % bound_.stride() == 0)
                state_->received.publish(sequence);
        }
    }

    static void receive_one(socket &receiver, body &message, std::uint64_t sequence) {
        receiver.receive(message);
        if (!message.is_data(sequence))
            fail("message %llu arrived where %llu was due",
                 static_cast<unsigned long long>(message.sequence()),
                 static_cast<unsigned long long>(sequence));
    }

    const cost_row &row_;
    const std::size_t size_;
    const std::uint64_t messages_;
    const std::uint64_t warmup_;
    const address where_;
    const window bound_;
    const shared<cost_state> state_;
};

} // namespace

void measure_cost(const parameters &given) {
    cost measured(given);
    measured.run();
    measured.report(given);
}

} // namespace bench::scale
