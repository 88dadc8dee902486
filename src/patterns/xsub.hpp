// SPDX-License-Identifier: MPL-2.0
// SUB and XSUB: messages from all publishers in turn. SUB leaves out those of topics it did not subscribe to,
// XSUB trusts the publishers. zmq_socket(3), "Publish-subscribe pattern"; zmq_setsockopt(3), ZMQ_SUBSCRIBE,
// ZMQ_ONLY_FIRST_SUBSCRIBE.
//
// Threads, ownership: see pattern.hpp. Every publisher is told all topics: when it comes, when its connection
// is replaced, and when they change. They are told whatever the high-water mark says; other messages to
// publishers (XSUB) are not. Topics are counted: each subscription is sent, but only the last cancellation.
#pragma once

#include <string>
#include <vector>

#include "patterns/active_list.hpp"
#include "patterns/fair_queue.hpp"
#include "patterns/subscription_request.hpp"
#include "patterns/subscriptions.hpp"
#include "patterns/untold_changes.hpp"

namespace zlink::patterns {

class xsub final : public pattern {
  public:
    xsub(pattern_host &host, const socket_options &options) noexcept
        : pattern(host, options), speaks_(traits_of(options.type).sends()), incoming_(host) {}
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    std::optional<std::uint64_t> owes_from(const pipe_end &end) noexcept override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    inspected inspect(outgoing_frame &frame) override;
    void message_sent() override;
    void message_failed() override;
    source choose_source(asking why, incoming_frame &made) override;
    verdict inspect_incoming(pipe_end &end, incoming_frame &frame) override;
    bool can_send() override { return speaks_; }
    bool arm() noexcept override { return host_.receiving.promised() || incoming_.arm(); }
    result<void> act(int option, std::span<const std::byte> value) override;
    [[nodiscard]] std::size_t topics() const noexcept override { return topics_.size(); }

  private:
    void introduce(pipe_end &end);
    void catch_up();
    // `message`: the application has sent it, and the peer is another socket of the process.
    void tell(pipe_end &end, const subscription_request &request, bool message = false);
    [[nodiscard]] std::optional<subscription_request> request_in(const outgoing_frame &frame);
    struct changed {
        bool told; // to publishers
        bool was_in;
        bool is_in; // the set of topics
    };
    [[nodiscard]] changed change(const subscription_request &request);
    void tell_change(pipe_end &end, const subscription_request &request, const changed &made);
    void tell_untold(pipe_end &end);
    void tell_all(const subscription_request &request);
    void request_in_turn(const subscription_request &request, bool more);
    void tell_waiting();
    void choose_publishers(route &chosen);
    [[nodiscard]] bool takes_all() const noexcept {
        return speaks_ || (topics_.matches_all() && !options_.pattern.invert_matching);
    }

    const bool speaks_; // the application may send: XSUB
    topic_set topics_;
    std::uint64_t all_bytes_ = 0; // of the commands that tell all topics
    untold_changes untold_;
    fair_queue incoming_;

    active_list<&pattern_notes::write_place> ends_;
    target_list targets_;
    bool requests_ = true;       // the next frame may be a request
    bool someone_waits_ = false; // for the topics, until the message that is sent is complete
    struct waiting_request {
        bool subscribe;
        changed made;
        std::string topic;
    };
    std::vector<waiting_request> waiting_; // frames of a message that is not complete
    std::string command_;                  // the last one that was sent
};

} // namespace zlink::patterns
