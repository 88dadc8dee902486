// SPDX-License-Identifier: MPL-2.0
#include "connections/name_watcher.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "connections/connector.hpp"
#include "pipe/pipe_end_guard.hpp"
#include "transport/tcp_address.hpp"

namespace zlink::connections {
namespace {

constexpr std::uint32_t shortest_ttl_s = 1;
constexpr std::uint32_t longest_ttl_s = 24 * 60 * 60;
// Without addresses, or without an answer.
constexpr int first_delay_ms = 500;
constexpr int longest_delay_ms = 8000;

transport::socket_address with_bytes(const runtime::dns_address &found, std::uint16_t port) {
    transport::socket_address address;
    if (found.family == AF_INET6) {
        auto &v6 = reinterpret_cast<sockaddr_in6 &>(address.storage);
        v6.sin6_family = AF_INET6;
        v6.sin6_addr = found.bytes;
        address.size = sizeof v6;
    } else {
        auto &v4 = reinterpret_cast<sockaddr_in &>(address.storage);
        v4.sin_family = AF_INET;
        std::memcpy(&v4.sin_addr, &found.bytes, sizeof v4.sin_addr);
        address.size = sizeof v4;
    }
    return transport::with_port(address, port);
}

// As it follows the scheme.
std::string text_of(const transport::socket_address &address) {
    constexpr std::string_view scheme = "tcp://";
    return transport::tcp_endpoint_text(address).substr(scheme.size());
}

transport::tcp_pair parts_of(const std::string &address) {
    const auto parsed = transport::parse_tcp_address(address);
    return parsed ? *parsed : transport::tcp_pair{}; // zmq_connect has checked it
}

std::shared_ptr<const socket_options> for_each_address(socket_options options) {
    options.pattern.connect_routing_id.clear(); // a name for one peer only
    return std::make_shared<const socket_options>(std::move(options));
}

} // namespace

name_watcher::name_watcher(worker_list &owner, std::vector<worker_list *> groups,
                           std::shared_ptr<socket_link> link, std::shared_ptr<const socket_options> options,
                           transport::endpoint name)
    : workers_(owner), groups_(std::move(groups)), link_(std::move(link)),
      options_(for_each_address(*options)), name_(std::move(name)), parts_(parts_of(name_.address)),
      timer_(owner.thread().context()) {}

// Without memory for it, the turn comes again.
template <class Step> void name_watcher::turn(Step &&step) {
    if (stopped_)
        return;
    try {
        step();
    } catch (const std::bad_alloc &) {
        failed(longest_delay_ms);
    }
}

void name_watcher::start() {
    turn([this] { ask(); });
}

// ---- the addresses of the name

void name_watcher::ask() {
    const auto numeric = transport::resolve_tcp_numeric(parts_.peer, options_->ipv6);
    if (numeric && *numeric)
        return connect_to(**numeric);
    const auto on_answer = [this, weak = weak_from_this()](const runtime::dns_answer &found) {
        if (const auto self = weak.lock())
            turn([&] { take(found); });
    };
    if (!lookup_.start_records(workers_.thread().context(), parts_.peer.host, options_->ipv6, on_answer))
        failed(longest_delay_ms);
}

void name_watcher::take_family(const runtime::dns_family &family, int kind) {
    if (family.outcome == runtime::dns_outcome::failed)
        return;
    std::map<std::string, transport::socket_address> wanted;
    for (const runtime::dns_address &found : family.addresses) {
        const auto address = with_bytes(found, parts_.peer.port);
        wanted.emplace(text_of(address), address);
    }
    for (auto entry = connected_.begin(); entry != connected_.end();) {
        if (entry->second.family != kind || wanted.contains(entry->first)) {
            ++entry;
            continue;
        }
        if (auto gone = entry->second.connector.lock())
            entry->second.workers->withdraw(std::move(gone), options_->linger_ms);
        entry = connected_.erase(entry);
    }
    for (const auto &[text, address] : wanted)
        if (!connected_.contains(text) && connected_.size() < most_addresses)
            connect_to(address);
}

void name_watcher::connect_to(const transport::socket_address &address) {
    const std::string text = text_of(address);
    const std::string source = name_.address.substr(0, name_.address.rfind(';') + 1);
    const transport::endpoint peer{transport::find_transport(name_.transport->connects_by), source + text};
    worker_list &where = worker_list::least_loaded(groups_);
    const auto entry = connected_.emplace(text, connected_address{&where, {}, address.family()}).first;
    try {
        entry->second.connector = begin_connector(peer, where);
    } catch (const std::bad_alloc &) {
        connected_.erase(entry);
        throw;
    }
}

// Null: the socket is gone.
std::shared_ptr<worker> name_watcher::begin_connector(const transport::endpoint &peer, worker_list &where) {
    const std::string name = transport::text_of(name_);
    if (options_->immediate) {
        auto fresh = std::make_shared<connector>(where, link_, options_, peer, nullptr, name);
        where.begin(fresh);
        return fresh;
    }
    const auto made = make_worker_pipe(*options_, {pipe_peer::connector, true, true}, link_->counts());
    pipe_end_guard for_socket(made->first());
    pipe_end_guard own(made->second());
    made->counts()->describe(transport::text_of(peer), "");
    auto fresh = std::make_shared<connector>(where, link_, options_, peer, made, name);
    own.claim();
    if (!link_->adopt(made, {{}, name}))
        return nullptr;
    for_socket.claim();
    where.begin(fresh);
    return fresh;
}

// ---- the next question

void name_watcher::take(const runtime::dns_answer &answer) {
    take_family(answer.v4, AF_INET);
    take_family(answer.v6, AF_INET6);
    const auto found = [](const runtime::dns_family &family) {
        return family.outcome == runtime::dns_outcome::found;
    };
    const auto failed_to = [](const runtime::dns_family &family) {
        return family.outcome == runtime::dns_outcome::failed;
    };
    std::uint32_t ttl_s = longest_ttl_s;
    for (const runtime::dns_family *family : {&answer.v4, &answer.v6})
        if (found(*family))
            ttl_s = std::min(ttl_s, family->ttl_s);
    const int life_ms = static_cast<int>(std::max(ttl_s, shortest_ttl_s)) * 1000;
    if (failed_to(answer.v4) || failed_to(answer.v6) || !(found(answer.v4) || found(answer.v6)))
        return failed(life_ms);
    delay_ms_ = 0;
    ask_after(life_ms);
}

// Nobody knows, or there is no address. That may change soon.
void name_watcher::failed(int longest_ms) {
    delay_ms_ = delay_ms_ == 0 ? first_delay_ms : std::min(delay_ms_ * 2, longest_delay_ms);
    link_->count(closed_reason::connect_failed);
    const int delay_ms = std::min(delay_ms_, longest_ms);
    tell_retry(delay_ms);
    ask_after(delay_ms);
}

void name_watcher::ask_after(int delay_ms) {
    try {
        timer_.expires_after(std::chrono::milliseconds(delay_ms));
        timer_.async_wait([this, weak = weak_from_this()](const boost::system::error_code &error) {
            if (const auto self = weak.lock(); self && !error)
                turn([this] { ask(); });
        });
    } catch (const std::bad_alloc &) { // at once, rather than never
        workers_.thread().post(
            runtime::slotted(again_slot_, [this, self = shared_from_this()] { turn([this] { ask(); }); }));
    }
}

void name_watcher::tell_retry(int delay_ms) noexcept {
    link_->count(event_kind::connect_retried, 0);
    if (!link_->watched())
        return;
    try {
        link_->tell({event_kind::connect_retried,
                     static_cast<std::uint32_t>(delay_ms),
                     {},
                     transport::text_of(name_),
                     true});
    } catch (...) {
        return; // no memory: an event less
    }
}

// ---- the end

void name_watcher::terminate(int linger_ms) {
    stop(linger_ms, &worker_list::terminate);
}

void name_watcher::disconnect(int linger_ms) {
    stop(linger_ms, &worker_list::disconnect);
}

void name_watcher::stop(int linger_ms, end_function end_worker) {
    if (std::exchange(stopped_, true))
        return;
    lookup_.cancel();
    timer_.cancel();
    for (const auto &[text, entry] : connected_)
        if (auto connecting = entry.connector.lock())
            (entry.workers->*end_worker)(std::move(connecting), linger_ms);
    connected_.clear();
    workers_.finished(*this);
}

} // namespace zlink::connections
