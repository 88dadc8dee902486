// SPDX-License-Identifier: MPL-2.0
#include "common/raw_stream.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

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

} // namespace

raw_stream::raw_stream(const std::string &endpoint, double timeout_seconds) : endpoint_(endpoint) {
    if (endpoint.starts_with("ipc://") && endpoint.size() > 6)
        connect_to_path(endpoint.substr(6));
    else if (endpoint.starts_with("tcp://"))
        connect_to_host(endpoint.substr(6), timeout_seconds);
    else
        throw failure(concat("\"", endpoint,
                             "\" cannot be pinged: write tcp://HOST:PORT, ipc://PATH, tls://HOST:PORT or "
                             "ws://HOST:PORT/PATH"),
                      status_usage);
}

raw_stream::~raw_stream() {
    if (descriptor_ >= 0)
        close(descriptor_);
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

void raw_stream::connect_to_host(const std::string &address, double timeout_seconds) {
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
        error = try_address(one->ai_addr, one->ai_addrlen, one->ai_family, timeout_seconds);
        if (error == 0)
            return;
    }
    throw failure(explain(endpoint_, error, timeout_seconds));
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
        descriptor_ = -1;
    }
    return error;
}

bool raw_stream::wait_for(short events, double timeout_seconds) const {
    pollfd items[] = {{descriptor_, events, 0}, {stop_signal::descriptor(), POLLIN, 0}};
    poll(items, 2, static_cast<int>(timeout_seconds * 1000));
    if (stop_signal::came())
        throw failure("stopped", 128 + stop_signal::number());
    return items[0].revents != 0;
}

void raw_stream::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto size = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (size > 0)
            bytes.remove_prefix(static_cast<std::size_t>(size));
        else if (errno == EAGAIN)
            wait_for(POLLOUT, 1);
        else if (errno == EPIPE || errno == ECONNRESET)
            return; // reading tells
        else if (errno != EINTR)
            throw failure(concat("cannot write to ", endpoint_, ": ", std::strerror(errno)));
    }
}

std::string raw_stream::read_up_to(std::size_t size, double timeout_seconds) {
    std::string bytes(size, '\0');
    if (closed_ || !wait_for(POLLIN, timeout_seconds))
        return "";
    const auto count = recv(descriptor_, bytes.data(), size, 0);
    closed_ = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
}

} // namespace cli
