// SPDX-License-Identifier: MPL-2.0
#include "core/transfer.hpp"

#include <cerrno>

#include "base/fence.hpp"

namespace zlink::core {

using patterns::outgoing_message;
using patterns::pattern;
using patterns::pattern_host;
using patterns::route;
using patterns::target_list;
namespace route_flag = patterns::route_flag;

namespace {

using transfer_detail::keep_route;

// ---- one target

int write_to_one(pipe_end &end, const outgoing_frame &frame) noexcept {
    if (!frame.more()) [[likely]]
        return end.writer().send_last(frame);
    if (end.out().write(frame)) [[likely]]
        return 0;
    end.out().rollback();
    return ENOMEM;
}

// ---- several targets

// The most frequent message of a publisher: a small one for one peer. Returns false if it is another one.
bool write_to_only(pipe_end &end, const outgoing_frame &frame) noexcept {
    if (frame.flags == 0 && end.writer().may_write_direct() && end.writer().write_direct(frame))
        return true;
    if (!end.out().write_plain(frame))
        return false;
    end.writer().commit_to_one_of_many();
    return true;
}

// A target without memory for the frame misses the message.
void write_to_each(target_list &targets, const outgoing_frame &frame) noexcept {
    constexpr std::size_t few = 4;
    bool reader_may_sleep = false;
    for (std::size_t i = 0; i < targets.all().size();) {
        pipe_end &end = *targets.all()[i];
        if (!end.out().write(frame)) [[unlikely]] {
            end.out().rollback();
            targets.remove(end);
            continue;
        }
        if (!frame.more())
            reader_may_sleep |= end.out().commit_unfenced();
        ++i;
    }
    if (frame.more())
        return;
    if (targets.all().size() <= few) // the stores for more of them are waited for together
        for (pipe_end *end : targets.all())
            end->out().log().expect_more();
    if (reader_may_sleep)
        full_fence();
    for (pipe_end *end : targets.all())
        end->writer().wake_committed();
}

// A large body is copied once for all targets.
int write_copy(target_list &targets, const outgoing_frame &frame) noexcept {
    if (targets.all().size() == 1 && !frame.more() && targets.all().front()->writer().write_direct(frame))
        return 0;
    buffer *copy = buffer::copy_of(frame.data, frame.size);
    if (copy == nullptr) {
        for (pipe_end *end : targets.all())
            end->out().rollback();
        targets.clear();
        return ENOMEM;
    }
    write_to_each(targets, {copy->data(), frame.size, frame.flags, copy});
    copy->release();
    return 0;
}

int write_to_all(target_list &targets, const outgoing_frame &frame) noexcept {
    if (targets.all().empty())
        return 0;
    if (targets.all().size() == 1 && write_to_only(*targets.all().front(), frame))
        return 0;
    if (frame.size > large_body && frame.owner == nullptr && !frame.constant)
        return write_copy(targets, frame);
    write_to_each(targets, frame);
    return 0;
}

int write_to(const route &target, const outgoing_frame &frame) noexcept {
    if (target.has(route_flag::to_many))
        return write_to_all(*target.to_all, frame);
    return target.to != nullptr ? write_to_one(*target.to, frame) : 0;
}

[[gnu::noinline]] int write(pattern_host &host, pattern &chooser, const outgoing_frame &frame) {
    outgoing_message &message = host.sending;
    message.open = frame.more();
    host.cached.out.end = host.cached.out.then = nullptr; // `open` alone says now what is to come
    if (const int code = write_to(message.target, frame); code != 0) [[unlikely]] {
        message.open = false;
        chooser.message_failed();
        return code;
    }
    if (message.open)
        return 0;
    if (message.target.has(route_flag::reports_end))
        chooser.message_sent();
    keep_route(host);
    return 0;
}

// A frame for a raw peer is a message. MORE means nothing to a stream of bytes.
[[gnu::noinline]] int write_raw(pattern_host &host, pattern &chooser, outgoing_frame frame) {
    host.sending.open = false;
    frame.flags &= frame_flag::lent;
    pipe_end *const end = host.sending.target.to;
    if (end == nullptr)
        return 0;
    if (frame.size == 0 && end->peer() == nullptr) { // no connection, so nobody would read it
        chooser.end_connection(*end, false);
        return 0;
    }
    const int code = write_to_one(*end, frame);
    if (code == 0 && frame.size == 0)
        chooser.end_connection(*end, true);
    return code;
}

// A frame after the first one.
[[gnu::noinline]] int write_further(pattern_host &host, pattern &chooser, const outgoing_frame &frame) {
    const route &target = host.sending.target;
    if (target.has(route_flag::raw))
        return write_raw(host, chooser, frame);
    if (!target.has(route_flag::inspects))
        return write(host, chooser, frame);
    outgoing_frame changed = frame;
    const pattern::inspected seen = chooser.inspect(changed);
    return seen.error != 0 || seen.drops ? seen.error : write(host, chooser, changed);
}

// The first frame was an address. The next one begins the message proper.
int keep_address(pattern_host &host) noexcept {
    outgoing_message &message = host.sending;
    const route &target = message.target;
    const bool follows = !target.has(route_flag::asks_again);
    const bool to_peer = follows && target.to != nullptr && !target.has(route_flag::raw);
    message.open = follows && !to_peer;
    host.cached.out = {}; // or after_id() says that a frame is to come
    if (to_peer)
        host.cached.out = {target.to, nullptr, target.to};
    return 0;
}

// The frames of the envelope, the delimiter, and the frame itself, one by one.
[[gnu::noinline]] int write_enveloped(pattern_host &host, pattern &chooser, const outgoing_frame &frame) {
    const route &target = host.sending.target;
    if (target.has(route_flag::enveloped))
        for (const outgoing_frame &before : target.envelope)
            if (const int code = write(host, chooser, before); code != 0)
                return code;
    if (target.has(route_flag::delimited))
        if (const int code = write(host, chooser, {frame.data, 0, frame_flag::more, nullptr}); code != 0)
            return code;
    return write(host, chooser, frame);
}

} // namespace

namespace transfer_detail {

// Messages that the target has sent before are dropped first.
[[gnu::noinline, gnu::cold]] static int begin_afresh(pattern_host &host, pattern &chooser,
                                                     const outgoing_frame &frame) {
    route &target = host.sending.target;
    drop_replies(host, chooser, *target.to);
    target.set(route_flag::drops_replies, false);
    return begin_message(host, chooser, frame);
}

[[gnu::noinline]] int begin_message(pattern_host &host, pattern &chooser, const outgoing_frame &frame) {
    const route &target = host.sending.target;
    if (target.has(route_flag::drops_replies)) [[unlikely]]
        return begin_afresh(host, chooser, frame);
    pipe_end *const end = target.to;
    if (target.flags == route_flag::delimited && end != nullptr && !end->writer().may_write_direct() &&
        end->out().write_delimited(frame)) [[likely]] {
        end->writer().commit(); // the route does not stay: each request has its reply
        return 0;
    }
    if (target.has(route_flag::takes_first))
        return keep_address(host);
    if (target.has(route_flag::enveloped | route_flag::delimited))
        return write_enveloped(host, chooser, frame);
    return write(host, chooser, frame);
}

[[gnu::noinline]] int continue_message(pattern_host &host, pattern &chooser, const outgoing_frame &frame) {
    const route &target = host.sending.target;
    constexpr std::uint16_t others =
        route_flag::raw | route_flag::inspects | route_flag::to_many | route_flag::reports_end;
    if (target.has(others) || target.to == nullptr || target.to->writer().may_write_direct() ||
        !target.to->out().write_plain(frame)) [[unlikely]]
        return write_further(host, chooser, frame);
    host.sending.open = false;
    keep_route(host);
    target.to->writer().commit();
    return 0;
}

} // namespace transfer_detail

} // namespace zlink::core
