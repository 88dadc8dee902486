// SPDX-License-Identifier: MPL-2.0
// A small name server for tests, over udp and tcp at one port of 127.0.0.1. Its records change while it runs.
//
// Threads: one of its own; the public functions from any. Units: in the names.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace zlink::test {

enum class dns_manner { answers, says_nxdomain, says_servfail, sends_garbage, is_silent };

struct dns_zone {
    std::vector<std::string> v4{};
    std::vector<std::string> v6{};
    std::uint32_t ttl_s = 0;
    dns_manner manner = dns_manner::answers;
    dns_manner manner_v6 = dns_manner::answers; // of questions for IPv6, if `manner` answers
};

class dns_server {
  public:
    dns_server() {
        // A port that both protocols have free.
        for (bool done = false; !done;) {
            sockaddr_in where{};
            where.sin_family = AF_INET;
            where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            socklen_t size = sizeof where;
            udp_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
            tcp_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            done = ::bind(udp_, reinterpret_cast<sockaddr *>(&where), size) == 0 &&
                   ::getsockname(udp_, reinterpret_cast<sockaddr *>(&where), &size) == 0 &&
                   ::bind(tcp_, reinterpret_cast<sockaddr *>(&where), size) == 0 && ::listen(tcp_, 16) == 0;
            port_ = ntohs(where.sin_port);
            if (!done) {
                ::close(udp_);
                ::close(tcp_);
            }
        }
        thread_ = std::thread([this] { serve(); });
    }
    ~dns_server() {
        stopping_ = true;
        thread_.join();
        ::close(udp_);
        ::close(tcp_);
    }
    dns_server(const dns_server &) = delete;
    dns_server &operator=(const dns_server &) = delete;

    [[nodiscard]] std::string text() const { return "127.0.0.1:" + std::to_string(port_); }
    void set(const std::string &name, dns_zone zone) {
        std::lock_guard lock(guard_);
        zones_[name] = std::move(zone);
    }
    // How many questions about the name came.
    [[nodiscard]] int asked(const std::string &name) {
        std::lock_guard lock(guard_);
        return asked_[name];
    }
    [[nodiscard]] int asked_by_tcp() const { return asked_by_tcp_; }

  private:
    using bytes = std::vector<std::uint8_t>;

    static void put16(bytes &to, unsigned value) {
        to.push_back(static_cast<std::uint8_t>(value >> 8U));
        to.push_back(static_cast<std::uint8_t>(value));
    }

    static void put_records(bytes &to, const std::vector<std::string> &addresses, int family,
                            std::uint32_t ttl_s) {
        for (const std::string &text : addresses) {
            std::array<std::uint8_t, 16> raw{};
            ::inet_pton(family, text.c_str(), raw.data());
            put16(to, 0xc00c); // the name of the question
            put16(to, family == AF_INET ? 1 : 28);
            put16(to, 1);
            put16(to, ttl_s >> 16U);
            put16(to, ttl_s & 0xffffU);
            put16(to, family == AF_INET ? 4 : 16);
            to.insert(to.end(), raw.begin(), raw.begin() + (family == AF_INET ? 4 : 16));
        }
    }

    // Empty: no answer.
    bytes answer(const bytes &question, bool by_udp) {
        std::size_t at = 12;
        std::string name;
        while (at < question.size() && question[at] != 0) {
            name += name.empty() ? "" : ".";
            name.append(reinterpret_cast<const char *>(&question[at + 1]), question[at]);
            at += question[at] + 1U;
        }
        if (at + 5 > question.size())
            return {};
        const bool v6 = question[at + 2] == 28;
        std::lock_guard lock(guard_);
        ++asked_[name];
        if (!by_udp)
            ++asked_by_tcp_;
        const auto found = zones_.find(name);
        const dns_zone zone =
            found != zones_.end() ? found->second : dns_zone{.manner = dns_manner::says_nxdomain};
        const dns_manner manner = zone.manner == dns_manner::answers && v6 ? zone.manner_v6 : zone.manner;
        if (manner == dns_manner::is_silent)
            return {};
        if (manner == dns_manner::sends_garbage)
            return {question[0], question[1], 0x81, 0x80, 0xff, 0xff, 0xff, 0xff, 0xc0, 0x0c, 0xc0, 0x0c};
        const std::vector<std::string> &addresses = v6 ? zone.v6 : zone.v4;
        const bool well = manner == dns_manner::answers;
        bytes made(question.begin(), question.begin() + static_cast<std::ptrdiff_t>(at) + 5);
        made[2] = 0x81;
        made[3] = well ? 0x80 : manner == dns_manner::says_nxdomain ? 0x83 : 0x82;
        made[6] = well ? static_cast<std::uint8_t>(addresses.size() >> 8U) : 0;
        made[7] = well ? static_cast<std::uint8_t>(addresses.size()) : 0;
        std::memset(&made[8], 0, 4);
        const std::size_t head = made.size();
        if (well)
            put_records(made, addresses, v6 ? AF_INET6 : AF_INET, zone.ttl_s);
        if (by_udp && made.size() > 512) {
            made.resize(head);
            made[2] |= 0x02U; // cut short
            made[6] = made[7] = 0;
        }
        return made;
    }

    void serve() {
        while (!stopping_) {
            std::array<pollfd, 2> ready{{{udp_, POLLIN, 0}, {tcp_, POLLIN, 0}}};
            if (::poll(ready.data(), ready.size(), 20) <= 0)
                continue;
            if (ready[0].revents != 0)
                serve_datagram();
            if (ready[1].revents != 0)
                serve_connection(::accept4(tcp_, nullptr, nullptr, SOCK_CLOEXEC));
        }
    }

    void serve_datagram() {
        bytes question(1500);
        sockaddr_in from{};
        socklen_t size = sizeof from;
        const auto got =
            ::recvfrom(udp_, question.data(), question.size(), 0, reinterpret_cast<sockaddr *>(&from), &size);
        if (got < 17)
            return;
        question.resize(static_cast<std::size_t>(got));
        const bytes made = answer(question, true);
        if (!made.empty())
            (void)::sendto(udp_, made.data(), made.size(), 0, reinterpret_cast<sockaddr *>(&from), size);
    }

    // One question, and the connection is closed.
    void serve_connection(int descriptor) {
        if (descriptor < 0)
            return;
        const timeval patience{.tv_sec = 5, .tv_usec = 0};
        ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        std::array<std::uint8_t, 2> length{};
        if (::recv(descriptor, length.data(), 2, MSG_WAITALL) == 2) {
            bytes question(static_cast<std::size_t>(length[0]) * 256 + length[1]);
            if (::recv(descriptor, question.data(), question.size(), MSG_WAITALL) ==
                static_cast<ssize_t>(question.size())) {
                bytes made;
                const bytes said = question.size() >= 17 ? answer(question, false) : bytes();
                put16(made, static_cast<unsigned>(said.size()));
                made.insert(made.end(), said.begin(), said.end());
                (void)::send(descriptor, made.data(), made.size(), MSG_NOSIGNAL);
            }
        }
        ::close(descriptor);
    }

    int udp_ = -1;
    int tcp_ = -1;
    std::uint16_t port_ = 0;
    std::mutex guard_;
    std::map<std::string, dns_zone> zones_; // guarded
    std::map<std::string, int> asked_;      // guarded
    std::atomic<int> asked_by_tcp_ = 0;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

} // namespace zlink::test
