// SPDX-License-Identifier: MPL-2.0
#include "runtime/dns_records.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#ifdef ZLINK_DNS
#include <ares.h>
#include <poll.h>
#include <sys/time.h>
#endif

namespace zlink::runtime {

bool dns_address::operator==(const dns_address &other) const noexcept {
    return family == other.family && std::memcmp(&bytes, &other.bytes, sizeof bytes) == 0;
}

#ifdef ZLINK_DNS
namespace {

constexpr int look_interval_ms = 100; // between two looks at `cancelled`

// One question for both families, with sockets of its own. c-ares calls the functions at the bottom.
class records_question {
  public:
    explicit records_question(const dns_settings &settings) noexcept {
        ares_options options{};
        options.timeout = settings.timeout_ms;
        options.tries = settings.tries;
        options.sock_state_cb = on_socket;
        options.sock_state_cb_data = this;
        constexpr int given = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
        if (ares_init_options(&channel_, &options, given) != ARES_SUCCESS)
            channel_ = nullptr;
        else if (!settings.servers.empty())
            usable_ = ares_set_servers_ports_csv(channel_, settings.servers.c_str()) == ARES_SUCCESS;
    }
    ~records_question() {
        if (channel_ != nullptr)
            ares_destroy(channel_);
    }
    records_question(const records_question &) = delete;
    records_question &operator=(const records_question &) = delete;

    [[nodiscard]] bool usable() const noexcept { return channel_ != nullptr && usable_; }

    void ask(const std::string &host, int family, dns_family &into) {
        ares_addrinfo_hints hints{};
        hints.ai_family = family;
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = ARES_AI_NOSORT;
        part &one = parts_[asked_++];
        one = {this, &into};
        ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, on_addresses, &one);
    }

    void wait(const std::function<bool()> &cancelled) {
        while (answered_ < asked_ && !cancelled()) {
            timeval most{.tv_sec = 0, .tv_usec = look_interval_ms * 1000};
            timeval soon{};
            const timeval *next = ares_timeout(channel_, &most, &soon);
            const int ready =
                ::poll(watched_.data(), watched_.size(), static_cast<int>(next->tv_usec / 1000 + 1));
            serve(ready);
        }
    }

  private:
    struct part {
        records_question *of = nullptr;
        dns_family *into = nullptr;
    };

    // Serving a socket may change the list.
    void serve(int ready) {
        if (ready > 0) {
            const std::vector<pollfd> seen = watched_;
            for (const pollfd &one : seen)
                if (one.revents != 0)
                    ares_process_fd(channel_, (one.revents & ~POLLOUT) != 0 ? one.fd : ARES_SOCKET_BAD,
                                    (one.revents & ~POLLIN) != 0 ? one.fd : ARES_SOCKET_BAD);
        }
        ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD); // what has timed out
    }

    void watch(int descriptor, bool readable, bool writable) {
        std::erase_if(watched_, [descriptor](const pollfd &one) { return one.fd == descriptor; });
        const int events = (readable ? POLLIN : 0) | (writable ? POLLOUT : 0);
        if (events != 0)
            watched_.push_back({descriptor, static_cast<short>(events), 0});
    }

    static void take(dns_family &into, const ares_addrinfo &found) {
        int shortest = -1;
        const auto lives = [&shortest](int ttl) {
            shortest = shortest < 0 ? std::max(ttl, 0) : std::min(shortest, std::max(ttl, 0));
        };
        for (const ares_addrinfo_cname *name = found.cnames; name != nullptr; name = name->next)
            lives(name->ttl);
        for (const ares_addrinfo_node *node = found.nodes; node != nullptr; node = node->ai_next) {
            dns_address address;
            address.family = node->ai_family;
            if (node->ai_family == AF_INET)
                std::memcpy(&address.bytes, &reinterpret_cast<const sockaddr_in *>(node->ai_addr)->sin_addr,
                            4);
            else if (node->ai_family == AF_INET6)
                address.bytes = reinterpret_cast<const sockaddr_in6 *>(node->ai_addr)->sin6_addr;
            else
                continue;
            into.addresses.push_back(address);
            lives(node->ai_ttl);
        }
        into.ttl_s = static_cast<std::uint32_t>(std::max(shortest, 0));
        into.outcome = into.addresses.empty() ? dns_outcome::none : dns_outcome::found;
    }

    static void on_addresses(void *data, int status, int, ares_addrinfo *found) {
        const part &one = *static_cast<part *>(data);
        ++one.of->answered_;
        try {
            if (status == ARES_SUCCESS && found != nullptr)
                take(*one.into, *found);
            else if (status == ARES_ENOTFOUND || status == ARES_ENODATA)
                one.into->outcome = dns_outcome::none;
        } catch (const std::bad_alloc &) {
            *one.into = {};
        }
        if (found != nullptr)
            ares_freeaddrinfo(found);
    }

    // Without memory the socket is not watched, and the question ends by its time.
    static void on_socket(void *data, ares_socket_t descriptor, int readable, int writable) {
        try {
            static_cast<records_question *>(data)->watch(descriptor, readable != 0, writable != 0);
        } catch (const std::bad_alloc &) {
            return;
        }
    }

    ares_channel channel_ = nullptr;
    bool usable_ = true;
    std::vector<pollfd> watched_;
    part parts_[2];
    std::size_t asked_ = 0;
    std::size_t answered_ = 0;
};

dns_settings read_settings() {
    dns_settings found;
    const char *const text = ::secure_getenv("ZLINK_DNS_SERVERS");
    if (text == nullptr || *text == '\0')
        return found;
    found.servers = text;
    if (!records_question(found).usable()) {
        std::fprintf(stderr, "zlink: ZLINK_DNS_SERVERS=%.64s: not a value that it takes; ignored\n", text);
        found.servers.clear();
    }
    return found;
}

} // namespace

bool dns_available() noexcept {
    return true;
}

const dns_settings &process_dns_settings() {
    static const dns_settings found = read_settings();
    return found;
}

dns_answer find_dns_records(const std::string &host, bool ipv6, const dns_settings &settings,
                            const std::function<bool()> &cancelled) {
    dns_answer answer;
    records_question question(settings);
    if (!ipv6)
        answer.v6.outcome = dns_outcome::none;
    if (!question.usable())
        return answer;
    question.ask(host, AF_INET, answer.v4);
    if (ipv6)
        question.ask(host, AF_INET6, answer.v6);
    question.wait(cancelled);
    return answer;
}

#else

bool dns_available() noexcept {
    return false;
}

const dns_settings &process_dns_settings() {
    static const dns_settings none;
    return none;
}

dns_answer find_dns_records(const std::string &, bool, const dns_settings &, const std::function<bool()> &) {
    return {};
}

#endif

} // namespace zlink::runtime
