// SPDX-License-Identifier: MPL-2.0
#include "limit/socket_end.hpp"

#include "common/fail.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace bench {
namespace {

[[noreturn]] void fail_call(const char *call) {
    fail("%s: %s", call, std::strerror(errno));
}

// The part of prefix and body that lies behind the first `done` bytes.
struct rest {
    std::array<iovec, 2> parts;
    msghdr message{};

    rest(std::byte *prefix, std::size_t prefix_bytes, std::byte *body, std::size_t body_bytes,
         std::size_t done)
        : parts{iovec{prefix, prefix_bytes}, iovec{body, body_bytes}} {
        std::size_t first = 0;
        if (done >= prefix_bytes) {
            parts[1] = iovec{body + (done - prefix_bytes), body_bytes - (done - prefix_bytes)};
            first = 1;
        } else {
            parts[0] = iovec{prefix + done, prefix_bytes - done};
        }
        message.msg_iov = &parts[first];
        message.msg_iovlen = parts.size() - first;
    }
    rest(const rest &) = delete;
    rest &operator=(const rest &) = delete;
};

// Returns true where a second copy costs less than the slow one of the kernel. Over tcp a frame that finds an
// empty connection begins with a page in the kernel, so the place of the body is known. The frames of a
// stream begin anywhere in a page. Over ipc the kernel puts the first bytes of a frame elsewhere.
bool avoids_slow_copies(const framer &frames, const settings &wanted, pace how) {
    return frames.is_large() && wanted.over != transport::ipc && how == pace::lock_step &&
           copies_ahead_are_slow();
}

std::size_t buffer_bytes(const framer &frames, bool avoids, const settings &wanted) {
    if (!frames.is_large())
        return framer::batch_bytes;
    return avoids ? wanted.size_bytes : 0;
}

std::size_t offset_of(const body &message) {
    return reinterpret_cast<std::uintptr_t>(message.data()) % page_bytes;
}

void set_int(int descriptor, int level, int option, int value) {
    if (setsockopt(descriptor, level, option, &value, sizeof value) != 0)
        fail_call("setsockopt");
}

std::pair<int, int> connected_tcp() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || connected < 0 || bind(listener, generic, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, generic, &size) != 0 || connect(connected, generic, size) != 0)
        fail_call("a loopback connection");
    const int accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0)
        fail_call("accept4");
    close(listener);
    set_int(connected, IPPROTO_TCP, TCP_NODELAY, 1);
    set_int(accepted, IPPROTO_TCP, TCP_NODELAY, 1);
    return {connected, accepted};
}

} // namespace

std::pair<int, int> connected_sockets(const settings &wanted) {
    if (wanted.over != transport::ipc)
        return connected_tcp();
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        fail_call("socketpair");
    return {pair[0], pair[1]};
}

socket_end::socket_end(int descriptor, frame_shape shape, const settings &wanted, pace how)
    : socket_end(descriptor, framer(shape, wanted.size_bytes), wanted,
                 avoids_slow_copies(framer(shape, wanted.size_bytes), wanted, how)) {}

socket_end::socket_end(int descriptor, const framer &frames, const settings &wanted, bool avoids)
    : batched_end(frames, buffer_bytes(frames, avoids, wanted), buffer_bytes(frames, avoids, wanted),
                  offset_apart_from(wanted.body_offset)),
      descriptor_(descriptor), avoids_slow_copies_(avoids) {
    if (wanted.send_buffer_bytes >= 0)
        set_int(descriptor, SOL_SOCKET, SO_SNDBUF, wanted.send_buffer_bytes);
    if (wanted.receive_buffer_bytes >= 0)
        set_int(descriptor, SOL_SOCKET, SO_RCVBUF, wanted.receive_buffer_bytes);
}

socket_end::~socket_end() {
    close(descriptor_);
}

void socket_end::send_all(const std::byte *bytes, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
        const ssize_t sent = ::send(descriptor_, bytes + done, size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            fail_call("send");
        done += static_cast<std::size_t>(sent < 0 ? 0 : sent);
    }
}

std::size_t socket_end::receive_some(std::byte *to, std::size_t room) {
    const ssize_t received = recv(descriptor_, to, room, 0);
    if (received == 0)
        fail("the connection ended early");
    if (received < 0 && errno != EINTR)
        fail_call("recv");
    return static_cast<std::size_t>(received < 0 ? 0 : received);
}

std::size_t socket_end::send_rest(const std::byte *bytes, std::size_t done, int flags) {
    // sendmsg only reads what an iovec points to, whatever its type says.
    rest left(const_cast<std::byte *>(framer_.prefix()), framer_.prefix_bytes(),
              const_cast<std::byte *>(bytes), framer_.frame_bytes() - framer_.prefix_bytes(), done);
    const ssize_t sent = sendmsg(descriptor_, &left.message, MSG_NOSIGNAL | flags);
    if (sent < 0 && errno != EINTR && errno != EAGAIN)
        fail_call("sendmsg");
    return static_cast<std::size_t>(sent < 0 ? 0 : sent);
}

std::size_t socket_end::receive_rest(std::byte *bytes, std::size_t done) {
    rest left(prefix_, framer_.prefix_bytes(), bytes, framer_.frame_bytes() - framer_.prefix_bytes(), done);
    const ssize_t received = recvmsg(descriptor_, &left.message, 0);
    if (received == 0)
        fail("the connection ended early");
    if (received < 0 && errno != EINTR)
        fail_call("recvmsg");
    return static_cast<std::size_t>(received < 0 ? 0 : received);
}

const std::byte *socket_end::leaving(const body &message) {
    framer_.note_sent();
    if (!avoids_slow_copies_ || !is_slightly_ahead(framer_.prefix_bytes(), offset_of(message)))
        return message.data();
    std::memcpy(out_.data(), message.data(), message.size());
    return out_.data();
}

std::byte *socket_end::landing(body &message) {
    lands_in_buffer_ = avoids_slow_copies_ && is_slightly_ahead(offset_of(message), framer_.prefix_bytes());
    return lands_in_buffer_ ? in_.data() : message.data();
}

void socket_end::land(body &message) {
    framer_.check_prefix(prefix_);
    if (lands_in_buffer_)
        std::memcpy(message.data(), in_.data(), message.size());
    framer_.note_received();
}

void socket_end::send_whole(const body &message) {
    const std::byte *const bytes = leaving(message);
    for (std::size_t done = 0; done < framer_.frame_bytes();)
        done += send_rest(bytes, done, 0);
}

void socket_end::receive_whole(body &message) {
    std::byte *const bytes = landing(message);
    for (std::size_t done = 0; done < framer_.frame_bytes();)
        done += receive_rest(bytes, done);
    land(message);
}

void socket_end::pass_whole(socket_end &to, const body &out, body &in) {
    const std::byte *const from = leaving(out);
    std::byte *const place = to.landing(in);
    std::size_t sent = 0;
    for (std::size_t received = 0; received < framer_.frame_bytes();) {
        if (sent < framer_.frame_bytes())
            sent += send_rest(from, sent, MSG_DONTWAIT);
        if (received < sent)
            received += to.receive_rest(place, received);
    }
    to.land(in);
}

} // namespace bench
