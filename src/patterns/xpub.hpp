// SPDX-License-Identifier: MPL-2.0
// PUB and XPUB: each message to the subscribers of its beginning. zmq_socket(3), "Publish-subscribe pattern";
// zmq_setsockopt(3), ZMQ_XPUB_*.
//
// Threads, ownership: see pattern.hpp. Subscriptions are read when their event comes, whether the application
// receives or not: XPUB queues messages for the application, PUB queues nothing. A subscriber whose pipe is
// full misses the message. With ZMQ_XPUB_NODROP nobody gets it and the caller waits. ZLINK_SNDHWM_POLICY has
// more choices. ZLINK_LAST_VALUE gives new subscribers the last message of each topic.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "patterns/active_list.hpp"
#include "patterns/pattern.hpp"
#include "patterns/replay.hpp"
#include "patterns/subscription_request.hpp"
#include "patterns/subscriptions.hpp"

namespace zlink::patterns {

class xpub final : public pattern {
  public:
    xpub(pattern_host &host, const socket_options &options) // allocates: std::deque
        : pattern(host, options), heard_(traits_of(options.type).receives()) {
        options_changed();
    }
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    bool can_send() override { return true; }
    bool arm() noexcept override { return !news_.empty(); }
    inspected inspect(outgoing_frame &frame) override;
    void message_sent() override;
    void message_failed() override;
    void options_changed() override;
    result<void> act(int option, std::span<const std::byte> value) override;
    [[nodiscard]] std::size_t topics() const noexcept override { return subscriptions_.size(); }

  private:
    // A frame for the application.
    struct news {
        std::string body;
        bool more;
        metadata_ref metadata;
    };

    [[nodiscard]] bool manual() const noexcept { return options_.pattern.xpub_manual; }
    void welcome(pipe_end &end);
    bool listen(pipe_end &end);
    // A message of very many frames, of which a part was read.
    struct long_message {
        bool requests; // may its next frame be one?
        std::deque<news> heard;
    };
    bool read_message(pipe_end &end, incoming_frame &frame, std::uint64_t &left);
    void read_frame(pipe_end &end, const incoming_frame &frame, bool &requests, std::deque<news> &heard);
    void stop_within(pipe_end &end, bool requests, std::size_t heard_before);
    void end_long_message(pipe_end &end);
    [[nodiscard]] bool apply(pipe_end &end, const subscription_request &request);
    [[nodiscard]] bool heard_when_removed(remove_result removed) const noexcept;
    void report(const subscription_request &request, pipe_end *from, std::deque<news> &to);
    void leave(pipe_end &end) noexcept;
    [[nodiscard]] pipe_end *only_target() const noexcept;
    [[nodiscard]] bool choose_targets(const outgoing_frame &first);
    void disconnect_slow();
    void after_choice(const outgoing_frame &first, bool keep);
    void added(pipe_end &end, std::string_view topic, add_result result) noexcept;

    const bool heard_; // by the application: XPUB
    active_list<&pattern_notes::write_place> ends_;
    subscription_index<pipe_end> subscriptions_;
    subscription_index<pipe_end> requested_; // while manual: what subscribers asked for
    std::deque<news> news_;
    std::map<const pipe_end *, long_message> long_messages_;
    news delivered_{}; // whose bytes the application is looking at
    // While manual: the subscribers whose requests the application has not received, and the one of the
    // request received last; null: is gone. Each frame that is received takes one, as with libzmq.
    std::deque<pipe_end *> askers_;
    pipe_end *last_from_ = nullptr;

    target_list targets_;
    std::vector<pipe_end *>
        slow_;                  // have no room for the message, and are to be disconnected; with room for all
    std::uint64_t message_ = 0; // ends that were looked at for this one are marked with it
    std::unique_ptr<replay> replay_;     // null: no messages are kept
    std::uint64_t replayed_ = 0;         // messages that the request read last has brought about
    bool choice_goes_on_ = false;        // after_choice() has something to do
    std::uint16_t more_route_flags_ = 0; // for replay_
};

} // namespace zlink::patterns
