// SPDX-License-Identifier: MPL-2.0
#include "limit/socket_end.hpp"

#include "common/fail.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
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
    if (wanted.over == transport::tcp)
        return connected_tcp();
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        fail_call("socketpair");
    return {pair[0], pair[1]};
}

socket_end::socket_end(int descriptor, frame_shape shape, const settings &wanted)
    : descriptor_(descriptor), framer_(shape, wanted.size_bytes),
      out_(framer_.is_large() ? 0 : framer::batch_bytes), in_(out_.size()) {
    if (wanted.send_buffer_bytes >= 0)
        set_int(descriptor, SOL_SOCKET, SO_SNDBUF, wanted.send_buffer_bytes);
    if (wanted.receive_buffer_bytes >= 0)
        set_int(descriptor, SOL_SOCKET, SO_RCVBUF, wanted.receive_buffer_bytes);
}

socket_end::~socket_end() {
    close(descriptor_);
}

void socket_end::flush() {
    for (std::size_t done = 0; done < filled_;) {
        const ssize_t sent = ::send(descriptor_, out_.data() + done, filled_ - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            fail_call("send");
        done += static_cast<std::size_t>(sent < 0 ? 0 : sent);
    }
    filled_ = 0;
}

void socket_end::receive_batch() {
    std::memmove(in_.data(), in_.data() + taken_, arrived_ - taken_);
    arrived_ -= taken_;
    taken_ = 0;
    while (arrived_ < framer_.frame_bytes()) {
        const ssize_t received = recv(descriptor_, in_.data() + arrived_, in_.size() - arrived_, 0);
        if (received == 0)
            fail("the connection ended early");
        if (received < 0 && errno != EINTR)
            fail_call("recv");
        arrived_ += static_cast<std::size_t>(received < 0 ? 0 : received);
    }
}

std::size_t socket_end::send_rest(const body &message, std::size_t done, int flags) {
    // sendmsg only reads what an iovec points to, whatever its type says.
    rest left(const_cast<std::byte *>(framer_.prefix()), framer_.prefix_bytes(),
              const_cast<std::byte *>(message.data()), message.size(), done);
    const ssize_t sent = sendmsg(descriptor_, &left.message, MSG_NOSIGNAL | flags);
    if (sent < 0 && errno != EINTR && errno != EAGAIN)
        fail_call("sendmsg");
    return static_cast<std::size_t>(sent < 0 ? 0 : sent);
}

std::size_t socket_end::receive_rest(body &message, std::size_t done) {
    rest left(prefix_, framer_.prefix_bytes(), message.data(), message.size(), done);
    const ssize_t received = recvmsg(descriptor_, &left.message, 0);
    if (received == 0)
        fail("the connection ended early");
    if (received < 0 && errno != EINTR)
        fail_call("recvmsg");
    return static_cast<std::size_t>(received < 0 ? 0 : received);
}

void socket_end::send_whole(const body &message) {
    framer_.note_sent();
    for (std::size_t done = 0; done < framer_.frame_bytes();)
        done += send_rest(message, done, 0);
}

void socket_end::receive_whole(body &message) {
    for (std::size_t done = 0; done < framer_.frame_bytes();)
        done += receive_rest(message, done);
    framer_.check_prefix(prefix_);
    framer_.note_received();
}

void socket_end::pass_whole(socket_end &to, const body &out, body &in) {
    framer_.note_sent();
    std::size_t sent = 0;
    for (std::size_t received = 0; received < framer_.frame_bytes();) {
        if (sent < framer_.frame_bytes())
            sent += send_rest(out, sent, MSG_DONTWAIT);
        if (received < sent)
            received += to.receive_rest(in, received);
    }
    to.framer_.check_prefix(to.prefix_);
    to.framer_.note_received();
}

} // namespace bench
