// SPDX-License-Identifier: MPL-2.0
#include "common/raw_stream.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlink/options.h>
#include <zmq.h>

#include "common/clock.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"
#include "transport/transports.hpp"

namespace cli {

namespace {

std::string explain(const std::string &endpoint, int error, double timeout_seconds) {
    const auto why = [&](std::string_view text) {
        return concat("cannot connect to ", endpoint, ": ", text);
    };
    switch (error) {
    case ECONNREFUSED:
        return why("refused: nobody listens there; is the program running, and is the port right? (ss -tln, "
                   "ss -xl)");
    case ENOENT:
        return why("there is no such socket file: is the program running, and is the path right?");
    case EACCES:
    case EPERM:
        return why(
            "permission denied: may this user write the socket file, and does a firewall stand between?");
    case ETIMEDOUT:
        return why(concat("no answer within ", timeout_seconds,
                          " s: is the host up, and does a firewall stand between?"));
    case EHOSTUNREACH:
    case ENETUNREACH:
        return why("unreachable: no route leads there (ip route)");
    default:
        return why(std::strerror(error));
    }
}

struct advice_row {
    std::uint32_t value;
    const char *text;
};

// ZMQ_PROTOCOL_ERROR_...
constexpr std::uint32_t mechanisms_differ = 0x11000002, no_websocket = 0x30000000;

constexpr advice_row stream_advices[] = {
    {ZLINK_TLS_FAILED_PROTOCOL, "does the peer speak TLS? tcp:// and ws:// do not"},
    {ZLINK_TLS_FAILED_HOSTNAME, "--tls-hostname gives the name in its certificate"},
    {ZLINK_TLS_FAILED_UNTRUSTED, "--tls-ca names its authority, --tls-insecure trusts everybody"},
    {ZLINK_TLS_FAILED_NO_CERT, "give --tls-cert and --tls-key"},
    {EPIPE, "is it of this transport, and does it accept this address?"},
    {ECONNRESET, "is it of this transport, and does it accept this address?"},
    {EACCES, "does the peer want another certificate (--tls-cert, --tls-key)?"},
    {ZLINK_TLS_FAILED_REFUSED, "does the peer want a certificate (--tls-cert, --tls-key)?"},
};

std::string reason_of(std::uint32_t value) {
    if (value == no_websocket || value == mechanisms_differ)
        return "no WebSocket of ZMTP is at this path: is the path right?";
    std::string text = zmq_strerror(static_cast<int>(value));
    for (const auto &row : stream_advices)
        if (row.value == value)
            text += concat("; ", row.text);
    return text;
}

std::string explain_opening(const std::string &endpoint, double timeout_seconds,
                            const zlink::transport::opening_failure &why) {
    if (why.value == EAGAIN)
        return concat(endpoint, ": no answer to TLS or WebSocket within ", timeout_seconds,
                      " s: is it of this transport? \"zlink ping tcp://...\" tells whether it is tcp");
    return concat(endpoint, ": the handshake failed: ", reason_of(why.value));
}

double seconds_until(std::uint64_t deadline) {
    const auto now = now_ns();
    return now < deadline ? static_cast<double>(deadline - now) / 1e9 : 0;
}

const zlink::transport::transport_row &transport_of(const std::string &endpoint) {
    const auto at = endpoint.find("://");
    const auto *row = zlink::transport::find_transport(endpoint.substr(0, at));
    if (at == endpoint.npos || at + 3 == endpoint.size() || row == nullptr ||
        row->kind != zlink::transport::transport_kind::byte_stream)
        throw failure(concat("\"", endpoint,
                             "\" cannot be pinged: write tcp://HOST:PORT, ipc://PATH, tls://HOST:PORT or "
                             "ws://HOST:PORT/PATH"),
                      status_usage);
    return *row;
}

} // namespace

opening_failed::opening_failed(const std::string &endpoint, double timeout_seconds,
                               const zlink::transport::opening_failure &why)
    : failure(explain_opening(endpoint, timeout_seconds, why)),
      by_protocol_(why.fault == zlink::transport::opening_fault::protocol) {}

raw_stream::raw_stream(const std::string &endpoint, double timeout_seconds,
                       const zlink::socket_options &options)
    : endpoint_(endpoint), timeout_(timeout_seconds), stream_(context_, transport_of(endpoint)) {
    const auto address = endpoint.substr(endpoint.find("://") + 3);
    connect(address);
    open(address, options);
}

void raw_stream::connect(const std::string &address) {
    if (stream_.over_tcp())
        connect_to_host(address.substr(0, address.find('/')));
    else
        connect_to_path(address);
}

void raw_stream::open(const std::string &address, zlink::socket_options options) {
    using zlink::transport::connection_side;
    const auto &row = stream_.transport();
    if (row.prepare != nullptr)
        if (const auto ready = row.prepare(connection_side::connected, address, options); !ready)
            throw failure(concat("cannot connect to ", endpoint_, ": ", zmq_strerror(ready.code()),
                                 "; --tls-ca FILE says whom to trust, and is the endpoint HOST:PORT?"));
    if (row.openings == nullptr)
        return;
    const auto begin = now_ns();
    auto openings = row.openings(connection_side::connected, address, options);
    for (const auto &one : openings)
        finish(*one, begin + seconds_to_ns(timeout_));
    if (!openings.empty())
        opened_ns_ = now_ns() - begin;
}

void raw_stream::finish(zlink::transport::opening &one, std::uint64_t deadline) {
    using zlink::transport::opening_status;
    for (;;) {
        const auto step = one.go_on(stream_);
        if (step == opening_status::done)
            return;
        if (step == opening_status::failed)
            throw opening_failed(endpoint_, timeout_, one.failure());
        if (step == opening_status::reads && stream_.has_buffered()) // by the layer of the opening before
            continue;
        if (!wait_for(step == opening_status::reads ? POLLIN : POLLOUT, seconds_until(deadline)))
            throw opening_failed(endpoint_, timeout_, {zlink::transport::opening_fault::connection, EAGAIN});
    }
}

// A path that begins with @ is a name without a file.
void raw_stream::connect_to_path(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw failure(concat("the path of ", endpoint_, " is too long: at most 107 bytes"));
    std::memcpy(address.sun_path, path.data(), path.size());
    auto size = sizeof address;
    if (path[0] == '@') {
        address.sun_path[0] = '\0';
        size = offsetof(sockaddr_un, sun_path) + path.size();
    }
    if (const int error = try_address(&address, static_cast<unsigned>(size), AF_UNIX, 1))
        throw failure(explain(endpoint_, error, 1));
}

void raw_stream::connect_to_host(const std::string &address) {
    const auto colon = address.rfind(':');
    if (colon == address.npos || colon + 1 == address.size() || colon == 0)
        throw failure(concat("\"", endpoint_, "\" has no host or no port: write tcp://HOST:PORT"),
                      status_usage);
    std::string host = address.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    if (const int error = getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &wanted, &found))
        throw failure(concat("the name ", printable(address), " has no address: ", gai_strerror(error)));
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> all(found, freeaddrinfo);
    int error = 0;
    for (const auto *one = found; one != nullptr; one = one->ai_next) {
        error = try_address(one->ai_addr, one->ai_addrlen, one->ai_family, timeout_);
        if (error == 0)
            return;
    }
    throw failure(explain(endpoint_, error, timeout_));
}

int raw_stream::try_address(const void *address, unsigned size, int family, double timeout_seconds) {
    descriptor_ = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor_ < 0)
        return errno;
    int error = ::connect(descriptor_, static_cast<const sockaddr *>(address), size) == 0 ? 0 : errno;
    // A PING goes out at once, so that its time is the line's.
    if (const int on = 1; family != AF_UNIX)
        setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (error == EINPROGRESS || error == EAGAIN) {
        error = ETIMEDOUT;
        socklen_t length = sizeof error;
        if (wait_for(POLLOUT, timeout_seconds))
            getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &length);
    }
    if (error != 0) {
        close(descriptor_);
        return error;
    }
    return stream_.assign(descriptor_, family) ? 0 : ENOMEM;
}

bool raw_stream::wait_for(short events, double timeout_seconds) const {
    pollfd items[] = {{descriptor_, events, 0}, {stop_signal::descriptor(), POLLIN, 0}};
    poll(items, 2, static_cast<int>(timeout_seconds * 1000));
    if (stop_signal::came())
        throw failure("stopped", 128 + stop_signal::number());
    return items[0].revents != 0;
}

void raw_stream::write(std::string_view bytes) {
    using zlink::transport::io_status;
    while (!bytes.empty() || stream_.holds_output()) {
        const std::array<zlink::byte_range, 1> piece{
            {{reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()}}};
        const auto put =
            bytes.empty() ? zlink::transport::io_result{stream_.flush(), 0} : stream_.send(piece);
        if (put.status == io_status::closed)
            return; // reading tells
        if (put.status == io_status::again)
            wait_for(POLLOUT, 1);
        else
            bytes.remove_prefix(put.bytes);
    }
}

// The layers may take what comes for themselves. Then there is more to wait for.
std::string raw_stream::read_up_to(std::size_t size, double timeout_seconds) {
    using zlink::transport::io_status;
    std::string bytes(size, '\0');
    const auto deadline = now_ns() + seconds_to_ns(timeout_seconds);
    while (!closed_) {
        if (!stream_.has_buffered() && !wait_for(POLLIN, seconds_until(deadline)))
            break;
        const auto got = stream_.receive(std::span(reinterpret_cast<std::uint8_t *>(bytes.data()), size));
        closed_ = got.status == io_status::closed;
        if (got.status == io_status::ok) {
            bytes.resize(got.bytes);
            return bytes;
        }
    }
    return "";
}

} // namespace cli
