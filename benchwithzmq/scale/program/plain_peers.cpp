// SPDX-License-Identifier: MPL-2.0
#include "scale/program/plain_peers.hpp"

#include "common/fail.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace bench::scale {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t greeting_size = 64;
constexpr std::size_t short_header_size = 2; // flags and size of a short frame
constexpr char command_flags = '\x04';

// Signature, version 3.1, mechanism NULL, not the server's part of it.
std::string greeting() {
    std::string bytes("\xff\0\0\0\0\0\0\0\1\x7f\3\1NULL"sv);
    bytes.resize(greeting_size, '\0');
    return bytes;
}

constexpr std::string_view ready_command = "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\6DEALER"sv;
static_assert(ready_command.size() == short_header_size + 0x1c);

sockaddr_in address_of(const std::string &endpoint) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(
        static_cast<std::uint16_t>(std::strtoul(endpoint.c_str() + endpoint.rfind(':') + 1, nullptr, 10)));
    return address;
}

} // namespace

plain_peers::plain_peers() : events_(epoll_create1(EPOLL_CLOEXEC)) {
    if (events_ < 0)
        fail("epoll_create1: %s", std::strerror(errno));
}

plain_peers::~plain_peers() {
    constexpr linger reset{1, 0};
    for (const peer &closed : peers_) {
        setsockopt(closed.stream, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(closed.stream);
    }
    close(events_);
}

void plain_peers::connect(const std::string &endpoint, std::size_t count, std::size_t at_once) {
    const sockaddr_in address = address_of(endpoint);
    std::size_t complete = 0;
    for (std::size_t started = 0; complete < count; complete += advance_some()) {
        for (; started < count && started < complete + at_once; ++started)
            start(peers_.emplace_back(), reinterpret_cast<const sockaddr *>(&address), sizeof address);
    }
}

void plain_peers::exchange(std::size_t size, std::size_t at_once) {
    std::string frame(short_header_size + size, 'x');
    frame[0] = '\0';
    frame[1] = static_cast<char>(size);
    std::size_t complete = 0;
    for (std::size_t asked = 0; complete < peers_.size(); complete += advance_some()) {
        for (; asked < peers_.size() && asked < complete + at_once; ++asked)
            ask(peers_[asked], frame);
    }
}

void plain_peers::start(peer &made, const sockaddr *address, socklen_t address_size) {
    made.stream = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (made.stream < 0)
        fail("socket: %s", std::strerror(errno));
    if (::connect(made.stream, address, address_size) != 0 && errno != EINPROGRESS)
        fail("connect: %s", std::strerror(errno));
    watch(made, EPOLLOUT, EPOLL_CTL_ADD);
}

void plain_peers::ask(peer &asker, std::string_view frame) {
    asker.now = phase::awaiting_reply;
    write(asker, frame);
}

std::size_t plain_peers::advance_some() {
    constexpr int patience_ms = 20'000;
    std::array<epoll_event, 64> happened{};
    const int count = epoll_wait(events_, happened.data(), static_cast<int>(happened.size()), patience_ms);
    if (count < 0 && errno != EINTR)
        fail("epoll_wait: %s", std::strerror(errno));
    if (count == 0)
        fail("the server said nothing for %d s to %zu connections", patience_ms / 1000, peers_.size());
    std::size_t idle = 0;
    for (int index = 0; index < count; ++index)
        idle += advance(*static_cast<peer *>(happened[static_cast<std::size_t>(index)].data.ptr)) ? 1U : 0U;
    return idle;
}

// True when the peer has become idle.
bool plain_peers::advance(peer &ready) {
    if (ready.now == phase::connecting) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(ready.stream, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0)
            fail("connect: %s", std::strerror(error));
        write(ready, greeting());
        ready.now = phase::greeting;
        watch(ready, EPOLLIN, EPOLL_CTL_MOD);
        return false;
    }
    read(ready);
    while (step(ready)) {
        if (ready.now == phase::idle)
            return true;
    }
    return false;
}

bool plain_peers::step(peer &ready) {
    if (ready.now == phase::greeting) {
        if (ready.received.size() < greeting_size)
            return false;
        ready.received.erase(0, greeting_size);
        write(ready, ready_command);
        ready.now = phase::handshake;
        return true;
    }
    if (ready.received.size() < short_header_size)
        return false;
    const std::size_t size = short_header_size + static_cast<unsigned char>(ready.received[1]);
    if (ready.received.size() < size)
        return false;
    const char due = ready.now == phase::handshake ? command_flags : '\0';
    if (ready.received[0] != due || ready.now == phase::idle)
        fail("the server sent a frame with flags %d in phase %d", ready.received[0],
             static_cast<int>(ready.now));
    ready.received.erase(0, size);
    ready.now = phase::idle;
    return true;
}

void plain_peers::read(peer &ready) {
    std::array<char, 512> bytes{};
    const ssize_t size = recv(ready.stream, bytes.data(), bytes.size(), 0);
    if (size == 0)
        fail("the server closed a connection in phase %d", static_cast<int>(ready.now));
    if (size < 0)
        fail("recv: %s", std::strerror(errno));
    ready.received.append(bytes.data(), static_cast<std::size_t>(size));
}

void plain_peers::write(peer &to, std::string_view bytes) {
    // A few bytes into an empty socket buffer always fit.
    if (send(to.stream, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
        fail("send: %s", std::strerror(errno));
}

void plain_peers::watch(peer &watched, std::uint32_t events, int operation) {
    epoll_event wanted{};
    wanted.events = events;
    wanted.data.ptr = &watched;
    if (epoll_ctl(events_, operation, watched.stream, &wanted) != 0)
        fail("epoll_ctl: %s", std::strerror(errno));
}

} // namespace bench::scale
