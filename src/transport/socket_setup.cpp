// SPDX-License-Identifier: MPL-2.0
#include "transport/socket_setup.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/fork.hpp"
#include "runtime/tuning.hpp"
#include "transport/descriptor_guard.hpp"
#include "transport/ipc_address.hpp"
#include "transport/tcp_address.hpp"
#include "transport/ws/ws_port.hpp"

namespace zlink::transport {
namespace {

void set_int(int descriptor, int level, int option, int value) noexcept {
    ::setsockopt(descriptor, level, option, &value, sizeof value); // best effort: a hint to the system
}

// A mark below the default asks for few messages in flight: the connection keeps the system's buffer sizes.
bool bounds_the_way(int high_water_mark) noexcept {
    return high_water_mark > 0 && high_water_mark < socket_options{}.send_hwm;
}

// A mark up to this one bounds each send as well. With a mark of 100, that would cut the rate of 8 KB
// messages to a fifth.
constexpr int largest_mark_of_bounded_sends = 16;

bool bounds_sends(int high_water_mark) noexcept {
    return high_water_mark > 0 && high_water_mark <= largest_mark_of_bounded_sends;
}

// The system adapts the buffer sizes of tcp as long as nobody sets them. Those of ipc stay as they begin,
// which is less than a large message.
int send_buffer_of(int family, const socket_options &options) noexcept {
    if (options.send_buffer >= 0 || family != AF_UNIX || bounds_the_way(options.send_hwm))
        return options.send_buffer;
    const int tuned = runtime::process_tuning().ipc_buffer_bytes;
    return tuned != 0 ? tuned : -1;
}

void set_buffers(int descriptor, int family, const socket_options &options) noexcept {
    if (const int bytes = send_buffer_of(family, options); bytes >= 0)
        set_int(descriptor, SOL_SOCKET, SO_SNDBUF, bytes);
    if (options.receive_buffer >= 0)
        set_int(descriptor, SOL_SOCKET, SO_RCVBUF, options.receive_buffer);
}

void set_tcp(int descriptor, int family, const socket_options &options) noexcept {
    if (options.tos != 0) {
        set_int(descriptor, IPPROTO_IP, IP_TOS, options.tos);
        if (family == AF_INET6)
            set_int(descriptor, IPPROTO_IPV6, IPV6_TCLASS, options.tos);
    }
    if (options.priority != 0)
        set_int(descriptor, SOL_SOCKET, SO_PRIORITY, options.priority);
    if (options.busy_poll_us != 0)
        set_int(descriptor, SOL_SOCKET, SO_BUSY_POLL, options.busy_poll_us);
    if (!options.bind_to_device.empty())
        ::setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, options.bind_to_device.c_str(),
                     static_cast<socklen_t>(options.bind_to_device.size()));
}

// The details count only where keep-alive itself is asked for, as with libzmq.
void set_keepalive(int descriptor, const socket_options &options) noexcept {
    if (options.tcp_keepalive == -1)
        return;
    set_int(descriptor, SOL_SOCKET, SO_KEEPALIVE, options.tcp_keepalive);
    if (options.tcp_keepalive_count != -1)
        set_int(descriptor, IPPROTO_TCP, TCP_KEEPCNT, options.tcp_keepalive_count);
    if (options.tcp_keepalive_idle_s != -1)
        set_int(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, options.tcp_keepalive_idle_s);
    if (options.tcp_keepalive_interval_s != -1)
        set_int(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, options.tcp_keepalive_interval_s);
}

// Sets the options that the environment of the process asks for. TCP_QUICKACK holds only at first: the system
// leaves that mode when the connection turns out to be a dialogue. To set it again would cost a call per
// receive. (Large bodies are confirmed at once unless it says 0, see stream::receive.)
void set_tuned(int descriptor) noexcept {
    const runtime::tuning &tuned = runtime::process_tuning();
    set_int(descriptor, IPPROTO_TCP, TCP_NODELAY, tuned.tcp_nodelay ? 1 : 0);
    if (tuned.tcp_quickack.value_or(false))
        set_int(descriptor, IPPROTO_TCP, TCP_QUICKACK, 1);
    if (tuned.tcp_busy_poll_us > 0) // more than the system's own value takes CAP_NET_ADMIN
        set_int(descriptor, SOL_SOCKET, SO_BUSY_POLL, tuned.tcp_busy_poll_us);
}

// A receiver that wants to be woken for so many bytes needs room for them, so Linux makes the window larger.
// It goes on adapting the window, which it does not where SO_RCVBUF is set. The window stays larger when a
// single byte is enough again.
void open_window(int descriptor, int bytes) noexcept {
    set_int(descriptor, SOL_SOCKET, SO_RCVLOWAT, bytes);
    set_int(descriptor, SOL_SOCKET, SO_RCVLOWAT, 1);
}

// The loopback device loses nothing and is not shared: there is no congestion to be found out about. The
// system's other algorithms (models of the path, pacing) take their time at every confirmation.
void set_loopback(int descriptor) noexcept {
    constexpr std::string_view simplest = "reno"; // every Linux has it
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, simplest.data(),
                 static_cast<socklen_t>(simplest.size()));
}

std::size_t most_of_call(int option_bytes, std::size_t tuned_bytes) noexcept {
    const std::size_t told = option_bytes != 0 ? static_cast<std::size_t>(option_bytes) : tuned_bytes;
    return told != 0 ? told : transfer_rules::any;
}

std::optional<socket_address> peer_of(int descriptor) {
    socket_address address;
    address.size = sizeof address.storage;
    if (::getpeername(descriptor, address.data(), &address.size) != 0)
        return std::nullopt;
    return address;
}

std::optional<ucred> credentials_of(int descriptor) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return std::nullopt;
    return peer;
}

result<void> bind_and_listen(int descriptor, const socket_address &address, int backlog) {
    if (::bind(descriptor, address.data(), address.size) != 0)
        return error{errno};
    if (::listen(descriptor, backlog) != 0)
        return error{errno};
    return {};
}

result<listening_socket> adopt_listening(int descriptor, const std::string &path) {
    // One of the application (USE_FD) may block, and would block the I/O thread.
    if (const int flags = ::fcntl(descriptor, F_GETFL);
        flags < 0 || ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0)
        return error{errno};
    const auto address = own_address(descriptor);
    if (!address)
        return error{address.code()};
    listening_socket made;
    made.descriptor = descriptor;
    made.endpoint = address->family() == AF_UNIX ? "ipc://" + path : tcp_endpoint_text(*address);
    return made;
}

result<listening_socket> listen_at(const ipc_bind_target &target, const socket_options &options, int &tried) {
    const auto opened = open_socket(SOCK_STREAM, AF_UNIX, options);
    if (!opened)
        return error{opened.code()};
    descriptor_guard guard(tried = *opened);
    if (!target.path.empty())
        ::unlink(target.path.c_str()); // what a listener that ended badly left behind
    if (const auto bound = bind_and_listen(guard.get(), target.address, options.backlog); !bound)
        return error{bound.code()};
    listening_socket made;
    made.endpoint = ipc_endpoint_text(target.address);
    if (!target.directory.empty())
        made.path = target.path;
    made.directory = target.directory;
    made.descriptor = guard.release();
    withhold_from_children(made.descriptor);
    return made;
}

} // namespace

result<socket_address> own_address(int descriptor) {
    socket_address address;
    address.size = sizeof address.storage;
    if (::getsockname(descriptor, address.data(), &address.size) != 0)
        return error{errno};
    return address;
}

int family_of(int descriptor) noexcept {
    int family = AF_UNSPEC;
    socklen_t size = sizeof family;
    ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size);
    return family;
}

result<int> open_socket(int kind, int family, const socket_options &options) {
    const int descriptor = ::socket(family, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return error{errno};
    set_buffers(descriptor, family, options);
    if (family != AF_UNIX)
        set_tcp(descriptor, family, options);
    if (family == AF_INET6)
        set_int(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    return descriptor;
}

result<listening_socket> listen_tcp(const std::string &address, const socket_options &options, int &tried) {
    if (options.use_fd >= 0)
        return adopt_listening(options.use_fd, {});
    auto wanted = resolve_tcp_bind(address, options.ipv6);
    if (!wanted)
        return error{wanted.code()};
    const auto opened = open_socket(SOCK_STREAM, wanted->family(), options);
    if (!opened)
        return error{opened.code()};
    descriptor_guard guard(tried = *opened);
    set_int(guard.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (const auto bound = bind_and_listen(guard.get(), *wanted, options.backlog); !bound)
        return error{bound.code()};
    auto made = adopt_listening(guard.get(), {});
    if (made)
        withhold_from_children(guard.release());
    return made;
}

result<listening_socket> listen_ipc(const std::string &address, const socket_options &options, int &tried) {
    const auto name = parse_ipc_bind(address);
    if (!name)
        return error{name.code()};
    if (options.use_fd >= 0)
        return adopt_listening(options.use_fd, address);
    const auto target = resolve_ipc_bind(*name);
    if (!target)
        return error{target.code()};
    auto made = listen_at(*target, options, tried);
    if (!made && !target->directory.empty())
        ::rmdir(target->directory.c_str());
    return made;
}

void stop_listening(listening_socket &listener) noexcept {
    if (listener.claim)
        std::exchange(listener.claim, nullptr)->end();
    if (listener.descriptor >= 0) {
        release_to_children(listener.descriptor);
        ::close(std::exchange(listener.descriptor, -1));
    }
    if (!listener.path.empty())
        ::unlink(listener.path.c_str());
    if (!listener.directory.empty())
        ::rmdir(listener.directory.c_str());
    listener.path.clear();
    listener.directory.clear();
}

result<int> open_tcp(const socket_address &peer, const std::optional<tcp_host_port> &source,
                     const socket_options &options) {
    auto opened = open_socket(SOCK_STREAM, peer.family(), options);
    if (!opened || !source)
        return opened;
    descriptor_guard guard(*opened);
    const auto from = resolve_tcp_bind(*source, peer.family() == AF_INET6);
    if (!from)
        return error{from.code()};
    set_int(guard.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (::bind(guard.get(), from->data(), from->size) != 0)
        return error{errno};
    return guard.release();
}

result<int> open_ipc(const socket_options &options) {
    return open_socket(SOCK_STREAM, AF_UNIX, options);
}

void tune_ipc(int descriptor, const socket_options &options) noexcept {
    set_buffers(descriptor, AF_UNIX, options);
}

void tune_tcp(int descriptor, const socket_options &options) noexcept {
    socket_address own;
    own.size = sizeof own.storage;
    if (::getsockname(descriptor, own.data(), &own.size) != 0)
        return;
    set_buffers(descriptor, own.family(), options);
    set_tcp(descriptor, own.family(), options);
    set_tuned(descriptor);
    if (const int bytes = runtime::process_tuning().tcp_window_bytes;
        bytes > 0 && options.receive_buffer < 0 && !bounds_the_way(options.receive_hwm))
        open_window(descriptor, bytes);
    if (runtime::process_tuning().tcp_loopback_reno && is_loopback(own))
        set_loopback(descriptor);
    set_keepalive(descriptor, options);
    if (options.tcp_max_retransmit_ms > 0)
        set_int(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, options.tcp_max_retransmit_ms);
}

transfer_rules transfer_rules_of(const socket_options &options) {
    const runtime::tuning &tuned = runtime::process_tuning();
    return {most_of_call(options.in_batch_size, tuned.in_batch_bytes),
            most_of_call(options.out_batch_size, tuned.out_batch_bytes), tuned.tcp_quickack.value_or(true),
            bounds_sends(options.send_hwm)};
}

bool passes_ipc_filters(int descriptor, const socket_options &options) {
    if (!peer_of(descriptor))
        return false;
    if (options.ipc_filter_uids.empty() && options.ipc_filter_gids.empty() && options.ipc_filter_pids.empty())
        return true;
    const auto peer = credentials_of(descriptor);
    if (!peer)
        return false;
    const auto holds = [](const auto &list, auto value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    return holds(options.ipc_filter_uids, peer->uid) || holds(options.ipc_filter_gids, peer->gid) ||
           holds(options.ipc_filter_pids, peer->pid);
}

bool passes_tcp_filters(int descriptor, const socket_options &options) {
    const auto peer = peer_of(descriptor);
    if (!peer)
        return false;
    if (options.tcp_accept_filters.empty())
        return true;
    return std::any_of(options.tcp_accept_filters.begin(), options.tcp_accept_filters.end(),
                       [&](const std::string &text) {
                           const auto filter = parse_tcp_filter(text, options.ipv6);
                           return filter && filter->accepts(unmapped(*peer));
                       });
}

std::string tcp_peer_address(int descriptor) {
    const auto peer = peer_of(descriptor);
    if (!peer)
        return {};
    const socket_address plain = unmapped(*peer);
    char host[NI_MAXHOST] = "";
    if (::getnameinfo(plain.data(), plain.size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    return host;
}

std::string ipc_peer_address(int descriptor) {
    const auto peer = credentials_of(descriptor);
    if (!peer)
        return {};
    return "localhost:" + std::to_string(peer->uid) + ":" + std::to_string(peer->gid) + ":" +
           std::to_string(peer->pid);
}

} // namespace zlink::transport
