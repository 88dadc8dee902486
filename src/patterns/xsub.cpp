// SPDX-License-Identifier: MPL-2.0
#include "patterns/xsub.hpp"

#include <cerrno>

#include "pipe/command_backlog.hpp"

namespace zlink::patterns {

namespace {
// In an end's mark: it was told no topics yet. It was told all, also those of the message in progress.
constexpr std::uint64_t unknown = 1;
constexpr std::uint64_t ahead = 2;
} // namespace

bool xsub::attach(pipe_end &end) {
    incoming_.add(end);
    ends_.add(end);
    targets_.reserve(ends_.active_count());
    introduce(end);
    return true;
}

void xsub::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
    ends_.remove(end);
    untold_.forget(end);
}

void xsub::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::restarted) != 0 && ends_.contains(end))
        introduce(end);
    if ((events & pipe_event::writable) != 0)
        tell_untold(end);
    if ((events & pipe_event::readable) != 0)
        incoming_.wake(end);
    if ((events & pipe_event::peer_closed) == 0)
        return;
    ends_.remove(end);
    untold_.forget(end);
    if (host_.receiving.at == incoming_message::stage::held)
        incoming_.wake(end); // the look for the next message finds its end, so the turns are libzmq's
    else
        incoming_.peer_closed(end);
}

std::optional<std::uint64_t> xsub::owes_from(const pipe_end &end) noexcept {
    const incoming_message &message = host_.receiving;
    if (message.from == &end && message.at == incoming_message::stage::held)
        return message.frame.more() ? 1 : 0;
    return pattern::owes_from(end);
}

// Tells a publisher all topics, those that others hear of at the end of a message too.
void xsub::introduce(pipe_end &end) {
    if (end.out().in_message()) { // nothing can be said in the middle of a message
        end.notes.mark = unknown;
        someone_waits_ = true;
        return;
    }
    end.notes.mark = waiting_.empty() ? 0 : ahead;
    untold_.forget(end);
    topics_.for_each([&](std::string_view topic) { tell(end, {true, topic}); });
}

// The publisher has read on.
void xsub::tell_untold(pipe_end &end) {
    if (end.out().in_message()) {
        someone_waits_ = true;
        return;
    }
    untold_.tell(end, [&](std::string_view topic) { tell(end, {topics_.contains(topic), topic}); });
}

void xsub::catch_up() {
    someone_waits_ = false;
    ends_.for_each([this](pipe_end &end) { end.notes.mark == unknown ? introduce(end) : tell_untold(end); });
}

void xsub::tell(pipe_end &end, const subscription_request &request, bool message) {
    command_.clear();
    message ? request.append_command_of_message(command_) : request.append_command(command_);
    if (end.out().write({reinterpret_cast<const std::uint8_t *>(command_.data()), command_.size(),
                         frame_flag::command, nullptr}))
        end.writer().commit();
}

xsub::changed xsub::change(const subscription_request &request) {
    const std::uint64_t bytes = request.topic.size() + subscription_request::longest_name;
    if (request.subscribe) {
        const bool fresh = topics_.add(request.topic);
        all_bytes_ += fresh ? bytes : 0;
        return {true, !fresh, true};
    }
    const bool last = topics_.remove(request.topic);
    all_bytes_ -= last ? bytes : 0;
    const bool is_in = !last && topics_.contains(request.topic);
    return {last || options_.pattern.xsub_verbose_unsubscribe, last || is_in, is_in};
}

// A publisher that does not read is told the difference when it has read, or everything if it is away.
void xsub::tell_change(pipe_end &end, const subscription_request &request, const changed &made) {
    if (is_behind(end, all_bytes_) && withdraw_commands(end))
        introduce(end);
    else if (!untold_.keep(end, {request.topic, made.was_in, made.is_in}, all_bytes_))
        tell(end, request, speaks_ && end.traits.in_process());
}

void xsub::tell_all(const subscription_request &request) {
    const changed made = change(request);
    if (made.told)
        ends_.for_each([&](pipe_end &end) { tell_change(end, request, made); });
}

result<void> xsub::act(int option, std::span<const std::byte> value) {
    if (speaks_ || (option != option_subscribe && option != option_unsubscribe))
        return error{EINVAL};
    tell_all({option == option_subscribe, {reinterpret_cast<const char *>(value.data()), value.size()}});
    return {};
}

// A request of XSUB's application. Publishers hear of it when the message ends that it begins, as with
// libzmq.
void xsub::request_in_turn(const subscription_request &request, bool more) {
    if (!more && waiting_.empty())
        return tell_all(request);
    const changed made = change(request);
    if (made.told)
        waiting_.push_back({request.subscribe, made, std::string(request.topic)});
    if (!more && made.told) // otherwise the next message takes along what waits
        tell_waiting();
}

// New publishers have heard of all topics, or do so afterwards.
void xsub::tell_waiting() {
    for (const waiting_request &request : waiting_)
        ends_.for_each([&](pipe_end &end) {
            if (end.notes.mark == 0)
                tell_change(end, {request.subscribe, request.topic}, request.made);
        });
    waiting_.clear();
    ends_.for_each([](pipe_end &end) {
        if (end.notes.mark == ahead)
            end.notes.mark = 0;
    });
    if (someone_waits_)
        catch_up();
}

// Returns the request that the frame is, if it is one.
std::optional<subscription_request> xsub::request_in(const outgoing_frame &frame) {
    const auto request =
        requests_ ? subscription_request::from_message(frame.data, frame.size) : std::nullopt;
    requests_ = !frame.more() || (requests_ && (request || !options_.pattern.only_first_subscribe));
    return request;
}

int xsub::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    if (!speaks_)
        return ENOTSUP;
    const auto request = request_in(first);
    if (!request) {
        choose_publishers(chosen);
        return 0;
    }
    request_in_turn(*request, first.more());
    chosen.flags = route_flag::takes_first | route_flag::asks_again;
    return 0;
}

// In the middle of a message a request travels as one of its frames.
pattern::inspected xsub::inspect(outgoing_frame &frame) {
    const auto request = request_in(frame);
    if (!request || change(*request).told)
        return {0, false};
    if (frame.more())
        return {0, true};
    frame = {frame.data, 0, 0, nullptr};
    return {0, false};
}

// A message of the application goes to every publisher that has room.
void xsub::choose_publishers(route &chosen) {
    if (!waiting_.empty())
        tell_waiting();
    targets_.clear();
    ends_.for_each([this](pipe_end &end) {
        if (!end.out().full())
            targets_.add(end);
    });
    chosen.to_all = &targets_;
    chosen.flags = route_flag::to_many | route_flag::inspects | route_flag::reports_end;
}

void xsub::message_sent() {
    if (someone_waits_)
        catch_up();
}

void xsub::message_failed() {
    message_sent();
}

// XSUB takes what publishers send: they may have reasons of their own (ZMQ_XPUB_MANUAL).
source xsub::choose_source(asking, incoming_frame &) {
    const source chosen = incoming_.choose();
    return takes_all() ? chosen.with(source_flag::held)
                       : chosen.treated(source_flag::inspects | source_flag::held);
}

verdict xsub::inspect_incoming(pipe_end &, incoming_frame &frame) {
    return topics_.matches(frame.data, frame.size) != options_.pattern.invert_matching ? verdict::deliver
                                                                                       : verdict::reject;
}

} // namespace zlink::patterns
