// SPDX-License-Identifier: MPL-2.0
// Sending and receiving: the functions that a program calls once per message.
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <sys/uio.h>

#include "base/bytes.hpp"
#include "base/probe.hpp"
#include "capi/handles.hpp"

using namespace zlink;
using namespace zlink::capi;

namespace {

constexpr std::uint8_t frame_flags_of(int flags) noexcept {
    return (flags & ZMQ_SNDMORE) != 0 ? frame_flag::more : 0;
}
int size_as_int(std::size_t size) noexcept {
    return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

// Tells tracers of a frame that was sent or received, and returns the size, which is at most large_body.
[[gnu::always_inline]] inline int done_sending_few(const void *socket, std::size_t size) noexcept {
    ZLINK_PROBE(send, socket, size);
    return static_cast<int>(size);
}
[[gnu::always_inline]] inline int done_receiving_few(const void *socket, std::size_t size) noexcept {
    ZLINK_PROBE(receive, socket, size);
    return static_cast<int>(size);
}

using patterns::message_address;

// Sends on a shared socket; fails if `socket` is no socket.
[[gnu::noinline, gnu::cold]] int send_shared(void *socket, const outgoing_frame &frame,
                                             const message_address &address, int flags) {
    return may_wait_on(socket, [&](core::socket &used) {
        const int code = used.send_to(frame, address, flags);
        if (code != 0)
            return fail(code);
        ZLINK_PROBE(send, socket, frame.size);
        return size_as_int(frame.size);
    });
}

// `address` tells where the message goes, for those that have to know.
template <class Address> [[gnu::always_inline]] inline int
send_frame(void *socket, const outgoing_frame &frame, int flags, Address &&address) {
    core::socket *used = as_exclusive_socket(socket);
    if (used == nullptr) [[unlikely]]
        return send_shared(socket, frame, address(), flags);
    return may_wait([&]() __attribute__((always_inline)) {
        const int code = used->send(frame, flags);
        if (code != 0) [[unlikely]]
            return fail(code);
        ZLINK_PROBE(send, socket, frame.size);
        return size_as_int(frame.size);
    });
}
message_address nowhere() noexcept {
    return {};
}

// Receives on a shared socket: the frame is taken before another thread may receive.
template <class Take> [[gnu::noinline, gnu::cold]] int receive_shared(void *socket, int flags, Take take) {
    return may_wait_on(socket, [&](core::socket &used) {
        incoming_frame frame;
        message_address address;
        const int code = used.receive_from(frame, address, flags);
        if (code != 0)
            return fail(code);
        ZLINK_PROBE(receive, socket, frame.size);
        return take(frame, address);
    });
}

// Gives `take` the next frame, with its address when it has one. It answers the call, and drops the frame or
// keeps its owner. `posted`: memory that the frame may be received into.
template <class Take> [[gnu::always_inline]] inline int receive_frame(void *socket, int flags, Take &&take,
                                                                      std::span<std::uint8_t> posted = {}) {
    core::socket *used = as_exclusive_socket(socket);
    if (used == nullptr) [[unlikely]]
        return receive_shared(socket, flags, take);
    incoming_frame frame;
    const int got = may_wait([&] {
        const int code = used->receive(frame, flags, posted);
        if (code != 0) [[unlikely]]
            return fail(code);
        return 0;
    });
    if (got != 0) [[unlikely]]
        return got;
    ZLINK_PROBE(receive, socket, frame.size);
    return take(frame);
}

void empty(message &full) noexcept {
    full.close();
    full.init();
}

// Gives a message, which holds nothing, what was received.
[[gnu::always_inline]] inline bool fill(message &filled, incoming_frame &frame) noexcept {
    if (frame.owner != nullptr) {
        filled.init_shared(frame.data, frame.size, std::exchange(frame.owner, nullptr));
    } else if (frame.constant) {
        filled.init_constant(frame.data, frame.size);
    } else {
        if (!filled.init_size(frame.size))
            return false;
        copy_bytes(filled.data(), frame.data, frame.size);
    }
    filled.set_more(frame.more());
    filled.set_metadata(frame.metadata);
    return true;
}
// Fills a message that also carries an address.
bool fill(message &filled, incoming_frame &frame, const message_address &address) noexcept {
    if (!fill(filled, frame))
        return false;
    filled.set_routing_id(address.routing_id);
    if (address.group.empty() || filled.set_group(address.group))
        return true;
    filled.close();
    return false;
}

// zmq_send and zmq_recv have three tiers each. The first copies few bytes to or from the first lines of a
// queue; it calls nothing, and so saves no registers. The second copies more, or looks at the committed
// position. The third sends and receives everything else.

[[gnu::noinline]] int send_buffer(void *socket, const std::uint8_t *bytes, std::size_t size, int flags) {
    return send_frame(socket, {bytes, size, frame_flags_of(flags), nullptr}, flags, nowhere);
}

[[gnu::noinline, gnu::cold]] int fence_and_wake(core::out_route out, std::size_t size) noexcept {
    out.fence_and_wake();
    return done_sending_few(out.owner(), size);
}

[[gnu::noinline]] int send_bytes(core::out_route out, const std::uint8_t *bytes, std::size_t size,
                                 int flags) {
    const bool plain = size <= large_body && (flags & ZMQ_SNDMORE) == 0;
    if (!plain || !out.send_whole(bytes, size)) [[unlikely]]
        return send_buffer(out.owner(), bytes, size, flags);
    return done_sending_few(out.owner(), size);
}

[[gnu::noinline]] int receive_buffer(void *socket, std::uint8_t *to, std::size_t room, int flags) {
    const auto take = [to, room](incoming_frame &frame, auto &&...) {
        if (frame.data != to) [[likely]] // else it has landed there
            copy_bytes(to, frame.data, std::min(room, frame.size));
        frame.drop();
        return size_as_int(frame.size);
    };
    return receive_frame(socket, flags, take, {to, room});
}

[[gnu::noinline]] int receive_bytes(core::in_route in, std::uint8_t *to, std::size_t room, int flags) {
    const std::size_t size = in.receive(to, room);
    if (size == in.refused) [[unlikely]]
        return receive_buffer(in.owner(), to, room, flags);
    ZLINK_PROBE(receive, in.owner(), size);
    return size_as_int(size);
}

// Sends the routing id that begins a message of ROUTER, or any frame that cannot go on the cached route.
[[gnu::noinline]] int send_first(core::socket &used, const std::uint8_t *bytes, std::size_t size, int flags) {
    if (core::out_route::of(&used).send_id({reinterpret_cast<const char *>(bytes), size})) [[likely]]
        return done_sending_few(&used, size);
    return send_buffer(&used, bytes, size, flags);
}
[[gnu::noinline]] int receive_first(core::socket &used, std::uint8_t *to, std::size_t room, int flags) {
    core::in_route in = core::in_route::of(&used);
    const std::string *const id = in.expects_id() ? in.receive_id() : nullptr;
    if (id == nullptr) [[unlikely]]
        return receive_buffer(&used, to, room, flags);
    copy_few_bytes(to, reinterpret_cast<const std::uint8_t *>(id->data()), std::min(room, id->size()));
    return done_receiving_few(&used, id->size());
}

// Sends a message on the cached route of a shared socket. Returns false if nothing was done.
[[gnu::noinline]] bool send_on_shared_route(void *socket, const std::uint8_t *bytes,
                                            std::size_t size) noexcept {
    core::socket *const used = as_shared_socket(socket);
    return used != nullptr &&
           used->route_in_turn<core::out_route>([&](auto &out) { return out.send_whole(bytes, size); });
}

// The three tiers of zmq_send and zmq_recv for a shared socket. The first is for the thread to which the lock
// is biased.

[[gnu::noinline]] int send_bytes_shared(void *socket, const std::uint8_t *bytes, std::size_t size,
                                        int flags) {
    if (size > large_body || (flags & ZMQ_SNDMORE) != 0 || !send_on_shared_route(socket, bytes, size))
        return send_buffer(socket, bytes, size, flags);
    return done_sending_few(socket, size);
}
[[gnu::noinline, gnu::cold]] int fence_wake_and_leave(core::out_route out, std::size_t size) noexcept {
    core::socket *const used = out.owner();
    out.fence_and_wake();
    used->leave_route();
    return done_sending_few(used, size);
}
[[gnu::noinline]] int send_to_shared(void *socket, const std::uint8_t *bytes, std::size_t size, int flags) {
    core::socket *const used = as_shared_socket(socket);
    if (used == nullptr || size > few_bytes || (flags & ZMQ_SNDMORE) != 0)
        return send_bytes_shared(socket, bytes, size, flags);
    core::out_route out = used->biased_route<core::out_route>();
    if (!out)
        return send_bytes_shared(socket, bytes, size, flags);
    const core::out_route::sent how = out.send(bytes, size);
    if (how == core::out_route::sent::unfenced)
        return fence_wake_and_leave(out, size);
    used->leave_route();
    return how == core::out_route::sent::done ? done_sending_few(socket, size)
                                              : send_bytes_shared(socket, bytes, size, flags);
}

[[gnu::noinline]] int receive_bytes_shared(void *socket, std::uint8_t *to, std::size_t room, int flags) {
    core::socket *const used = as_shared_socket(socket);
    std::size_t size = core::in_route::refused;
    const auto receive = [&](core::in_route &in) {
        size = in.receive(to, room);
        return size != in.refused;
    };
    if (used == nullptr || !used->route_in_turn<core::in_route>(receive))
        return receive_buffer(socket, to, room, flags);
    ZLINK_PROBE(receive, socket, size);
    return size_as_int(size);
}
[[gnu::noinline]] int receive_from_shared(void *socket, std::uint8_t *to, std::size_t room, int flags) {
    core::socket *const used = as_shared_socket(socket);
    if (used == nullptr)
        return receive_buffer(socket, to, room, flags);
    core::in_route in = used->biased_route<core::in_route>();
    if (!in)
        return receive_bytes_shared(socket, to, room, flags);
    const std::size_t size = in.receive_few(to, room);
    used->leave_route();
    return size == in.refused ? receive_bytes_shared(socket, to, room, flags)
                              : done_receiving_few(socket, size);
}

// Receives a message on the cached route of a shared socket whose messages have no address. Returns false if
// nothing was done.
template <class Take>
[[gnu::noinline]] bool receive_on_shared_route(void *socket, Take &take, int &size) noexcept {
    core::socket *const used = as_shared_socket(socket);
    return used != nullptr && !used->peers().traits().thread_safe &&
           used->route_in_turn<core::in_route>([&](auto &in) {
               incoming_frame frame;
               if (!in.read(frame))
                   return false;
               ZLINK_PROBE(receive, socket, frame.size);
               size = take(frame);
               return true;
           });
}

// Sends a message on the cached route. Returns false if nothing was done.
[[gnu::always_inline]] inline bool send_on_route(void *socket, message &sent, int flags) noexcept {
    const buffer *const owner = sent.owner();
    const bool plain = sent.size() <= large_body && (flags & ZMQ_SNDMORE) == 0;
    if (!plain || (owner != nullptr && owner->lent()))
        return false;
    core::socket *const used = as_exclusive_socket(socket);
    if (used == nullptr) [[unlikely]]
        return sent.routing_id() == 0 && sent.group().empty() &&
               send_on_shared_route(socket, sent.data(), sent.size());
    core::out_route out = core::out_route::of(used);
    return out && out.send_whole(sent.data(), sent.size());
}

// Does zmq_msg_recv leave the message as it was when nothing is there? libzmq's XPUB and STREAM do.
[[gnu::noinline, gnu::cold]] bool keeps_message(void *socket) noexcept {
    core::socket *const asked = as_socket(socket);
    return asked != nullptr &&
           asked->in_turn(
               [&] { return asked->peers().traits().rules.contains(socket_rule::keeps_message_arg); },
               [] { return false; });
}

// One frame as memory of malloc, which becomes the caller's.
int receive_allocated(void *socket, iovec &filled, bool &more, int flags) {
    return receive_frame(socket, flags, [&](incoming_frame &frame, auto &&...) {
        more = frame.more();
        filled = {std::malloc(std::max<std::size_t>(frame.size, 1)), frame.size};
        if (filled.iov_base != nullptr)
            copy_bytes(static_cast<std::uint8_t *>(filled.iov_base), frame.data, frame.size);
        frame.drop();
        return filled.iov_base != nullptr ? 0 : fail(ENOMEM);
    });
}

} // namespace

extern "C" {

int zmq_send(void *socket, const void *buf, size_t len, int flags) {
    const auto *const bytes = static_cast<const std::uint8_t *>(buf);
    core::socket *const used = as_exclusive_socket(socket);
    core::out_route out = core::out_route::of(used);
    if (!out) {
        if ((flags & ZMQ_SNDMORE) != 0 && used != nullptr)
            return send_first(*used, bytes, len, flags);
        return used != nullptr ? send_buffer(socket, bytes, len, flags)
                               : send_to_shared(socket, bytes, len, flags);
    }
    if (len > few_bytes || (flags & ZMQ_SNDMORE) != 0)
        return send_bytes(out, bytes, len, flags);
    switch (out.send(bytes, len)) {
    case core::out_route::sent::done:
        return done_sending_few(socket, len);
    case core::out_route::sent::unfenced:
        return fence_and_wake(out, len);
    case core::out_route::sent::refused:
        break;
    }
    return send_buffer(socket, bytes, len, flags);
}

int zmq_send_const(void *socket, const void *buf, size_t len, int flags) {
    return send_frame(socket,
                      {static_cast<const std::uint8_t *>(buf), len, frame_flags_of(flags), nullptr, true},
                      flags, nowhere);
}

int zmq_recv(void *socket, void *buf, size_t len, int flags) {
    auto *const to = static_cast<std::uint8_t *>(buf);
    core::socket *const used = as_exclusive_socket(socket);
    core::in_route in = core::in_route::of(used);
    if (!in) {
        if (in.expects_id())
            return receive_first(*used, to, len, flags);
        return used != nullptr ? receive_buffer(socket, to, len, flags)
                               : receive_from_shared(socket, to, len, flags);
    }
    const std::size_t size = in.receive_few(to, len);
    if (size == in.refused)
        return receive_bytes(in, to, len, flags);
    return done_receiving_few(socket, size);
}

int zmq_msg_send(zmq_msg_t *msg, void *socket, int flags) {
    message &sent = as_message(msg);
    if (!sent.valid())
        return fail(EFAULT);
    if (send_on_route(socket, sent, flags)) [[likely]] {
        const std::size_t size = sent.size();
        empty(sent);
        return done_sending_few(socket, size);
    }
    outgoing_frame frame{sent.data(), sent.size(), frame_flags_of(flags), sent.owner(), sent.constant()};
    if (frame.owner != nullptr && frame.owner->lent())
        frame.flags |= frame_flag::lent;
    const int size = send_frame(socket, frame, flags, [&] {
        return message_address{sent.routing_id(), sent.group()};
    });
    if (size >= 0)
        empty(sent);
    else if (errno != ENOTSOCK && errno != ETERM)
        sent.prepare((flags & ZMQ_SNDMORE) != 0);
    return size;
}

int zmq_msg_recv(zmq_msg_t *msg, void *socket, int flags) {
    message &received = as_message(msg);
    if (!received.valid())
        return fail(EFAULT);
    const auto take = [&](incoming_frame &frame, auto &&...address) {
        received.close();
        if (fill(received, frame, address...)) [[likely]]
            return size_as_int(frame.size);
        received.init();
        return fail(ENOMEM);
    };
    core::socket *const used = as_exclusive_socket(socket);
    core::in_route in = core::in_route::of(used);
    if (incoming_frame frame; in && in.read(frame)) [[likely]] {
        ZLINK_PROBE(receive, socket, frame.size);
        return take(frame);
    }
    int size = 0;
    if (used == nullptr && receive_on_shared_route(socket, take, size))
        return size;
    size = receive_frame(socket, flags, take);
    // As with libzmq, where every other failure leaves the message as it is.
    if (size < 0 && errno == EAGAIN && !keeps_message(socket))
        empty(received);
    return size;
}

int zmq_sendmsg(void *socket, zmq_msg_t *msg, int flags) {
    return zmq_msg_send(msg, socket, flags);
}
int zmq_recvmsg(void *socket, zmq_msg_t *msg, int flags) {
    return zmq_msg_recv(msg, socket, flags);
}

int zmq_sendiov(void *socket, iovec *iov, size_t count, int flags) {
    if (as_socket(socket) == nullptr)
        return -1;
    if (iov == nullptr || count == 0)
        return fail(EINVAL);
    int sent = 0;
    for (std::size_t index = 0; index < count && sent >= 0; ++index) {
        const bool last = index + 1 == count;
        sent = zmq_send(socket, iov[index].iov_base, iov[index].iov_len, last ? flags & ~ZMQ_SNDMORE : flags);
    }
    return sent;
}

int zmq_recviov(void *socket, iovec *iov, size_t *count, int flags) {
    if (as_socket(socket) == nullptr)
        return -1;
    if (iov == nullptr || count == nullptr || *count == 0)
        return fail(EINVAL);
    const std::size_t room = std::exchange(*count, 0);
    for (bool more = true; more && *count < room; ++*count)
        if (receive_allocated(socket, iov[*count], more, flags) != 0)
            return -1;
    return size_as_int(*count);
}

} // extern "C"
