// SPDX-License-Identifier: MPL-2.0
#include "patterns/xpub.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <new>
#include <utility>

#include "patterns/has_room.hpp"

namespace zlink::patterns {

namespace {

metadata_ref share(const peer_metadata *metadata) noexcept {
    if (metadata != nullptr)
        metadata->retain();
    return metadata_ref(metadata);
}

} // namespace

bool xpub::attach(pipe_end &end) {
    ends_.add(end);
    targets_.reserve(ends_.active_count());
    slow_.reserve(ends_.active_count());
    welcome(end);
    listen(end);
    return true;
}

void xpub::detach(pipe_end &end) noexcept {
    leave(end);
}

void xpub::on_events(pipe_end &end, std::uint32_t events) {
    if (!ends_.contains(end))
        return;
    if ((events & pipe_event::restarted) != 0)
        end.notes.turn_note = true; // whoever is there now has got nothing: see added()
    constexpr std::uint32_t something_to_read = pipe_event::readable | pipe_event::peer_closed;
    if ((events & something_to_read) == 0 || !listen(end) || !end.peer_closed())
        return;
    leave(end);
    host_.finished(end);
}

void xpub::welcome(pipe_end &end) {
    const std::string &text = options_.pattern.xpub_welcome_message;
    if (!heard_ || text.empty())
        return;
    if (end.out().write({reinterpret_cast<const std::uint8_t *>(text.data()), text.size(), 0, nullptr}))
        end.writer().commit();
}

// Reads what is there. Returns false if the next call has to go on.
bool xpub::listen(pipe_end &end) {
    std::uint64_t left = most_requests(end, ends_.active_count());
    incoming_frame frame;
    do
        while (end.read(frame))
            if (!read_message(end, frame, left)) {
                end.remind();
                return false;
            }
    while (!end.peer_closed() && !end.prepare_wait_data());
    return true;
}

// Reads a message, or the rest of one. `left` counts frames of a connection, and messages of a socket of this
// process. Returns false when it is used up, which may be in the middle of the message.
bool xpub::read_message(pipe_end &end, incoming_frame &frame, std::uint64_t &left) {
    const auto begun = long_messages_.empty() ? long_messages_.end() : long_messages_.find(&end);
    const bool goes_on = begun != long_messages_.end();
    std::deque<news> &heard = goes_on ? begun->second.heard : news_;
    const std::size_t before = goes_on ? 0 : news_.size();
    bool of_whole = true; // may the next frame be a request? The first one may
    bool &requests = goes_on ? begun->second.requests : of_whole;
    bool more;
    do {
        read_frame(end, frame, requests, heard);
        more = frame.more();
        frame.drop();
        left -= std::min(left - 1, std::exchange(replayed_, 0));
        if (!end.traits.in_process() && --left == 0)
            break;
    } while (more && end.read(frame));
    if (end.traits.in_process())
        --left;
    if (more && left == 0) {
        if (!goes_on)
            stop_within(end, requests, before);
        return false;
    }
    if (heard.size() != before)
        heard.back().more = false; // what followed was a request that the application need not hear of
    if (goes_on)
        end_long_message(end);
    return left != 0;
}

void xpub::read_frame(pipe_end &end, const incoming_frame &frame, bool &requests, std::deque<news> &heard) {
    const auto request = frame.command() ? subscription_request::from_command(frame.data, frame.size)
                         : requests      ? subscription_request::from_message(frame.data, frame.size)
                                         : std::nullopt;
    if (request) {
        if (apply(end, *request) && heard_)
            report(*request, &end, heard);
    } else if (heard_ && !frame.command()) {
        heard.push_back({std::string(reinterpret_cast<const char *>(frame.data), frame.size), frame.more(),
                         share(frame.metadata)});
    }
    requests = requests && (request || !options_.pattern.only_first_subscribe);
}

// The application is to hear of a message when all of it was read. The frames from `heard_before` on are
// kept.
void xpub::stop_within(pipe_end &end, bool requests, std::size_t heard_before) {
    const auto from = news_.begin() + static_cast<std::ptrdiff_t>(heard_before);
    std::deque<news> heard(std::make_move_iterator(from), std::make_move_iterator(news_.end()));
    news_.erase(from, news_.end());
    long_messages_.emplace(&end, long_message{requests, std::move(heard)});
}

void xpub::end_long_message(pipe_end &end) {
    std::deque<news> heard = std::move(long_messages_.extract(&end).mapped().heard);
    if (news_.empty())
        news_.swap(heard);
    else
        std::ranges::move(heard, std::back_inserter(news_));
}

// Answers whether the application is told.
bool xpub::apply(pipe_end &end, const subscription_request &request) {
    const pattern_options &options = options_.pattern;
    subscription_index<pipe_end> &index = manual() ? requested_ : subscriptions_;
    if (request.subscribe) {
        const add_result result = index.add(request.topic, &end);
        if (!manual())
            added(end, request.topic, result);
        return result == add_result::first || manual() || options.xpub_verbose || options.xpub_verboser;
    }
    return heard_when_removed(index.remove(request.topic, &end));
}

// The peer hears the last messages of a topic once. If it connects to a socket of ours again, it may be
// another process than before, and asks anew for a topic that is known.
void xpub::added(pipe_end &end, std::string_view topic, add_result result) noexcept {
    if (replay_ == nullptr || (result == add_result::repeated && !end.notes.turn_note) ||
        options_.pattern.invert_matching)
        return;
    replayed_ += replay_->give(end, topic, end.notes.mark == message_);
}

bool xpub::heard_when_removed(remove_result removed) const noexcept {
    switch (removed) {
    case remove_result::last:
        return true;
    case remove_result::others:
        return manual() || options_.pattern.xpub_verboser;
    case remove_result::unknown: // XSUB sends these with ZMQ_XSUB_VERBOSE_UNSUBSCRIBE
        return true;
    }
    return false;
}

void xpub::report(const subscription_request &request, pipe_end *from, std::deque<news> &to) {
    news fresh{{}, false, share(from != nullptr ? from->peer() : nullptr)};
    request.append_message(fresh.body);
    to.push_back(std::move(fresh));
    if (manual())
        askers_.push_back(from);
}

// Nothing more is sent to this end, and what it subscribed to is cancelled.
void xpub::leave(pipe_end &end) noexcept {
    if (!ends_.contains(end))
        return;
    ends_.remove(end);
    long_messages_.erase(&end);
    if (replay_ != nullptr)
        replay_->leave(end);
    if (last_from_ == &end)
        last_from_ = nullptr;
    std::replace(askers_.begin(), askers_.end(), &end, static_cast<pipe_end *>(nullptr));
    const bool by_hand = manual();
    auto tell = [this](std::string_view topic, remove_result removed) {
        if (heard_ && heard_when_removed(removed))
            report({false, topic}, nullptr, news_);
    };
    auto keep_quiet = [](std::string_view, remove_result) {};
    try {
        if (by_hand) {
            requested_.remove_all(&end, tell);
            subscriptions_.remove_all(&end, keep_quiet);
        } else { // what was requested while ZMQ_XPUB_MANUAL was set counts no more, as with libzmq
            requested_.remove_all(&end, keep_quiet);
            subscriptions_.remove_all(&end, tell);
        }
    } catch (const std::bad_alloc &) { // the application misses a cancellation
        subscriptions_.remove_all(&end, keep_quiet);
    }
}

source xpub::choose_source(asking why, incoming_frame &made) {
    if (!heard_)
        return source::none(ENOTSUP);
    if (news_.empty())
        return source::none(EAGAIN);
    const source chosen{nullptr, source_flag::made};
    if (why == asking::to_look)
        return chosen;
    delivered_ = std::move(news_.front());
    news_.pop_front();
    if (manual() && !askers_.empty()) {
        last_from_ = askers_.front();
        askers_.pop_front();
    }
    made = {};
    made.data = reinterpret_cast<const std::uint8_t *>(delivered_.body.data());
    made.size = delivered_.body.size();
    made.flags = delivered_.more ? frame_flag::more : std::uint8_t{0};
    made.metadata = delivered_.metadata.get();
    return chosen;
}

// ZMQ_XPUB_MANUAL: the application subscribes for the subscriber it has heard last.
result<void> xpub::act(int option, std::span<const std::byte> value) {
    if (!manual() || (option != option_subscribe && option != option_unsubscribe))
        return error{EINVAL};
    const std::string_view topic(reinterpret_cast<const char *>(value.data()), value.size());
    if (last_from_ == nullptr)
        return {};
    if (option == option_subscribe)
        added(*last_from_, topic, subscriptions_.add(topic, last_from_));
    else
        subscriptions_.remove(topic, last_from_);
    return {};
}

int xpub::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    if (!choose_targets(first))
        return EAGAIN;
    chosen.to_all = &targets_;
    chosen.to = only_target();
    chosen.flags = route_flag::to_many | more_route_flags_;
    chosen.set(route_flag::stays, chosen.to != nullptr);
    return 0;
}

// Whom every message goes to, and nobody else; null: that depends on the message.
pipe_end *xpub::only_target() const noexcept {
    const pattern_options &options = options_.pattern;
    // One test for all of them.
    const bool depends = (options.invert_matching | options.xpub_manual_last_value | choice_goes_on_) != 0;
    return depends || !subscriptions_.matches_all() ? nullptr : ends_.only();
}

// Returns false if a subscriber that must get the message has no room (ZMQ_XPUB_NODROP).
bool xpub::choose_targets(const outgoing_frame &first) {
    const pattern_options &options = options_.pattern;
    pipe_end *only = options.xpub_manual && options.xpub_manual_last_value ? last_from_ : nullptr;
    const bool waits = options_.send_policy == hwm_policy::block;
    bool room = true;
    bool wanted = false;
    ++message_;
    targets_.clear();
    const auto target = [&](pipe_end &end) {
        if (end.notes.mark == message_ || (only != nullptr && only != &end))
            return;
        end.notes.mark = message_;
        wanted = true;
        if (waits) {
            room = has_room(end) && room;
        } else if (end.out().stays_full()) {
            host_.count_full(end);
            if (options_.send_policy == hwm_policy::disconnect) {
                slow_.push_back(&end);
                choice_goes_on_ = true;
            }
            return;
        }
        targets_.add(end);
    };
    if (options.invert_matching) {
        subscriptions_.match(first.data, first.size, [&](pipe_end *end) { end->notes.mark = message_; });
        ends_.for_each(target);
    } else {
        subscriptions_.match(first.data, first.size, [&](pipe_end *end) { target(*end); });
    }
    if (room && only != nullptr)
        last_from_ = nullptr;
    if (!wanted)
        host_.count_drop(counters::drop_reason::no_subscriber);
    if (choice_goes_on_) [[unlikely]]
        after_choice(first, room && only == nullptr);
    return room;
}

// For slow peers, and for the messages that are kept. Others pay one test for both.
void xpub::after_choice(const outgoing_frame &first, bool keep) {
    if (!slow_.empty())
        disconnect_slow();
    choice_goes_on_ = replay_ != nullptr;
    if (keep && replay_ != nullptr)
        replay_->begin(first);
}

// ---- messages that are kept

pattern::inspected xpub::inspect(outgoing_frame &frame) {
    if (replay_ != nullptr)
        replay_->add(frame);
    return {0, false};
}

void xpub::message_sent() {
    if (replay_ != nullptr)
        replay_->message_sent();
}

void xpub::message_failed() {
    if (replay_ != nullptr)
        replay_->message_failed();
}

void xpub::options_changed() {
    const last_values::bounds most{static_cast<std::size_t>(options_.last_values), options_.last_value_bytes};
    if (most.topics == 0)
        replay_.reset();
    else if (replay_ == nullptr)
        replay_ = std::make_unique<replay>(host_, most);
    else
        replay_->set_bounds(most);
    choice_goes_on_ = replay_ != nullptr;
    constexpr std::uint16_t of_replay = route_flag::inspects | route_flag::reports_end;
    more_route_flags_ = replay_ != nullptr ? of_replay : std::uint16_t{0};
}

// Their queued messages are not sent.
void xpub::disconnect_slow() {
    for (pipe_end *end : slow_) {
        leave(*end);
        end->interest.abandon();
        host_.finished(*end);
    }
    slow_.clear();
    host_.close_finished();
}

} // namespace zlink::patterns
