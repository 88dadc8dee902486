// SPDX-License-Identifier: MPL-2.0
#include "common/http_server.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.hpp"
#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

constexpr std::size_t largest_request = 8192;
constexpr std::uint64_t patience_ns = 2'000'000'000;

// Returns false if the time is over, or a signal came.
bool wait_for(int descriptor, short events, std::uint64_t deadline) {
    pollfd watched[] = {{descriptor, events, 0}, {stop_signal::descriptor(), POLLIN, 0}};
    while (now_ns() < deadline && !stop_signal::came()) {
        const int found = poll(watched, 2, static_cast<int>((deadline - now_ns()) / 1'000'000) + 1);
        if (found < 0 && errno != EINTR)
            return false;
        if (found > 0 && watched[0].revents != 0)
            return true;
    }
    return false;
}

// The first line says all. Empty: it did not come.
std::string read_request(int descriptor) {
    std::string request;
    const std::uint64_t deadline = now_ns() + patience_ns;
    while (request.find("\r\n\r\n") == std::string::npos && request.size() < largest_request) {
        char part[1024];
        if (!wait_for(descriptor, POLLIN, deadline))
            return {};
        const ssize_t size = recv(descriptor, part, sizeof part, MSG_DONTWAIT);
        if (size <= 0)
            return {};
        request.append(part, static_cast<std::size_t>(size));
    }
    return request.substr(0, request.find("\r\n"));
}

void write_all(int descriptor, const std::string &bytes) {
    const std::uint64_t deadline = now_ns() + patience_ns;
    for (std::size_t sent = 0; sent < bytes.size();) {
        if (!wait_for(descriptor, POLLOUT, deadline))
            return;
        const ssize_t size =
            send(descriptor, bytes.data() + sent, bytes.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (size < 0 && errno != EAGAIN && errno != EINTR)
            return;
        sent += size > 0 ? static_cast<std::size_t>(size) : 0;
    }
}

struct frees_addresses {
    void operator()(addrinfo *found) const { freeaddrinfo(found); }
};

} // namespace

http_server::http_server(const std::string &endpoint) {
    constexpr std::string_view scheme = "tcp://";
    const std::size_t colon = endpoint.rfind(':');
    if (endpoint.rfind(scheme, 0) != 0 || colon < scheme.size())
        throw failure(concat(endpoint, ": give an address and a port, as in tcp://127.0.0.1:9464"),
                      status_usage);
    std::string host = endpoint.substr(scheme.size(), colon - scheme.size());
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    const std::string port = endpoint.substr(colon + 1) == "*" ? "0" : endpoint.substr(colon + 1);
    addrinfo hints{};
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *answer = nullptr;
    const int code = getaddrinfo(host == "*" ? nullptr : host.c_str(), port.c_str(), &hints, &answer);
    if (code != 0)
        throw failure(concat(endpoint, ": ", gai_strerror(code), "; give an address of this machine"));
    const std::unique_ptr<addrinfo, frees_addresses> found(answer);
    descriptor_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (descriptor_ < 0 || ::bind(descriptor_, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(descriptor_, 16) != 0) {
        const int reason = errno;
        if (descriptor_ >= 0)
            close(descriptor_);
        throw failure(concat(endpoint, ": ", std::strerror(reason), "; another port may be free"));
    }
}

http_server::~http_server() {
    close(descriptor_);
}

std::string http_server::endpoint() const {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    char host[NI_MAXHOST] = "";
    char port[NI_MAXSERV] = "";
    getsockname(descriptor_, reinterpret_cast<sockaddr *>(&address), &size);
    getnameinfo(reinterpret_cast<sockaddr *>(&address), size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    const bool long_form = address.ss_family == AF_INET6;
    return concat("tcp://", long_form ? "[" : "", host, long_form ? "]" : "", ":", port);
}

void http_server::serve(const std::function<http_answer(const std::string &)> &answer) {
    while (!stop_signal::came()) {
        if (!wait_for(descriptor_, POLLIN, now_ns() + patience_ns))
            continue;
        const int accepted = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (accepted < 0) {
            if (errno == EMFILE || errno == ENFILE)
                poll(nullptr, 0, 100); // it stays readable
            continue;
        }
        answer_one(accepted, answer);
        close(accepted);
    }
}

void http_server::answer_one(int descriptor, const std::function<http_answer(const std::string &)> &answer) {
    const std::string line = read_request(descriptor);
    if (line.empty())
        return;
    const std::size_t begin = line.find(' ');
    const std::size_t end = line.find_first_of(" ?", begin + 1);
    http_answer made{405, "text/plain", "only GET\n"};
    if (line.rfind("GET ", 0) == 0)
        made = answer(line.substr(begin + 1, end - begin - 1));
    const char *reason = made.status == 200 ? "OK" : made.status == 404 ? "Not Found" : "Error";
    write_all(descriptor,
              concat("HTTP/1.0 ", made.status, ' ', reason, "\r\nContent-Type: ", made.type,
                     "\r\nContent-Length: ", made.body.size(), "\r\nConnection: close\r\n\r\n", made.body));
}

} // namespace cli
