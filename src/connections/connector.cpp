// SPDX-License-Identifier: MPL-2.0
#include "connections/connector.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <netdb.h>
#include <new>
#include <unistd.h>

#include "connections/opening_dialogue.hpp"

namespace zlink::connections {

connector::connector(worker_list &owner, std::shared_ptr<socket_link> link,
                     std::shared_ptr<const socket_options> options, transport::endpoint peer,
                     std::shared_ptr<pipe> made, std::string name)
    : pipe_worker(owner, std::move(link), std::move(options), *peer.transport), peer_(std::move(peer)),
      name_(std::move(name)), made_(std::move(made)), timer_(owner.thread().context()) {}

connector::~connector() {
    if (connecting_)
        connecting_->close();
    if (made_)
        made_->second().close();
}

// The first attempt begins even if the socket has given up the endpoint meanwhile: its monitor hears of it,
// as with libzmq.
void connector::start() {
    attempting([this] { try_now(); });
    if (const auto made = std::exchange(made_, nullptr))
        serve(made->second());
}

// A monitor hears of the end of an attempt that is under way, and of the end of all attempts where
// RECONNECT_STOP_AFTER_DISCONNECT asked for it.
void connector::on_finish() noexcept {
    if (connecting_ || (waiting_ && stops_at(reconnect_stop::after_disconnect)))
        tell(event_kind::closed, descriptor_);
    if (connecting_)
        std::exchange(connecting_, nullptr)->close(); // its handler holds it until then
}

// ---- one attempt

// Without memory for a step of it, it failed.
template <class Step> void connector::attempting(Step &&step) {
    try {
        step();
    } catch (const std::bad_alloc &) {
        if (finished_)
            return;
        if (connection_)
            connection_->stop();
        connection_.reset();
        failed();
    }
}

void connector::try_now() {
    waiting_ = false;
    attempt_ = attempt::resolving;
    auto plan = transport_.plan(peer_.address, *options_);
    if (!plan)
        return failed();
    plan_ = *std::move(plan);
    if (plan_.to_look_up)
        return look_up(*plan_.to_look_up);
    connect_next();
}

void connector::look_up(const transport::tcp_host_port &host) {
    const int family = options_->ipv6 ? AF_UNSPEC : AF_INET;
    const auto on_answer = [this, weak = weak_from_this()](const addrinfo *found, int) {
        const auto self = weak.lock();
        if (!self || finished_ || attempt_ != attempt::resolving)
            return;
        attempting([&] {
            take_answer(found);
            connect_next();
        });
    };
    if (!lookup_.start(workers_.thread().context(), host.host, std::to_string(host.port), family, on_answer))
        failed();
}

void connector::take_answer(const addrinfo *found) {
    for (; found != nullptr; found = found->ai_next) {
        transport::socket_address address;
        if (found->ai_addrlen > sizeof address.storage)
            continue;
        std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
        address.size = found->ai_addrlen;
        plan_.addresses.insert(plan_.addresses.begin(), address);
    }
}

// Opens a socket for the next candidate that has one: a host may have no IPv6, or the source address none
// of its family.
void connector::connect_next() {
    while (!plan_.addresses.empty()) {
        const transport::socket_address peer = plan_.addresses.back();
        plan_.addresses.pop_back();
        const auto opened = transport_.open(peer, plan_, *options_);
        if (opened)
            return connect_to(peer, transport::descriptor_guard(*opened));
    }
    failed();
}

void connector::connect_to(const transport::socket_address &peer, transport::descriptor_guard descriptor) {
    connecting_ = std::make_shared<transport::stream>(workers_.thread().context(), transport_);
    descriptor_ = descriptor.release();
    if (!connecting_->assign(descriptor_, peer.family()))
        return failed();
    attempt_ = attempt::connecting;
    arm_connect_timeout(options_->connect_timeout_ms);
    if (transport_.over_tcp) // others answer at once
        tell(event_kind::connect_delayed, EINPROGRESS);
    connecting_->connect(
        peer, [this, weak = weak_from_this(), stream = connecting_](const boost::system::error_code &error) {
            const auto self = weak.lock();
            if (self && !finished_ && stream == connecting_)
                attempting([&] { on_connected(error); });
        });
}

void connector::arm_connect_timeout(int timeout_ms) {
    if (timeout_ms <= 0)
        return;
    timer_.expires_after(std::chrono::milliseconds(timeout_ms));
    timer_.async_wait(
        [this, weak = weak_from_this(), stream = connecting_](const boost::system::error_code &error) {
            const auto self = weak.lock();
            if (self && !error && !finished_ && stream == connecting_)
                stream->close(); // its handler goes on
        });
}

void connector::on_connected(const boost::system::error_code &error) {
    timer_.cancel();
    const auto stream = std::exchange(connecting_, nullptr);
    if (error) {
        tell(event_kind::closed, descriptor_);
        // libzmq looks at this condition for tcp only: an ipc path may well be bound later.
        if (error == boost::asio::error::connection_refused && plan_.addresses.empty() &&
            transport_.over_tcp && stops_at(reconnect_stop::connection_refused)) {
            link_->count(closed_reason::connect_failed);
            return give_up();
        }
        return connect_next();
    }
    auto openings = transport_.openings != nullptr
                        ? transport_.openings(transport::connection_side::connected, peer_.address, *options_)
                        : transport::opening_list();
    if (!openings.empty())
        return open(stream, std::move(openings));
    begin_connection(std::move(*stream));
}

// The openings get as much time as the connect or as the handshake after them, whichever is shorter.
void connector::open(std::shared_ptr<transport::stream> stream, transport::opening_list openings) {
    connecting_ = std::move(stream);
    const int connect = options_->connect_timeout_ms;
    const int handshake = options_->handshake_interval_ms;
    arm_connect_timeout(connect > 0 && handshake > 0 ? std::min(connect, handshake)
                                                     : std::max(connect, handshake));
    std::make_shared<opening_dialogue>(connecting_, std::move(openings),
                                       [this, weak = weak_from_this(), asked = connecting_.get()](
                                           bool opened, transport::opening_failure why) {
                                           const auto self = weak.lock();
                                           if (self && !finished_ && asked == connecting_.get())
                                               attempting([&] { on_opened(opened, why); });
                                       })
        ->start();
}

void connector::on_opened(bool opened, transport::opening_failure why) {
    timer_.cancel();
    const auto stream = std::exchange(connecting_, nullptr);
    if (opened)
        return begin_connection(std::move(*stream));
    const bool told = why.fault != transport::opening_fault::none;
    const event_detail detail = detail_of(why);
    if (told)
        on_event(detail.kind, detail.value, stream->descriptor());
    stream->close();
    tell(event_kind::closed, descriptor_);
    if (!told)
        return failed();
    attempt_ = attempt::none;
    link_->count(reason_of(why));
    stops_at(reconnect_stop::handshake_failed) ? give_up() : retry_later();
}

void connector::begin_connection(transport::stream stream) {
    attempt_ = attempt::none;
    if ((transport_.over_tcp && transport::connected_to_itself(stream.descriptor())) ||
        !stream.register_again()) {
        tell(event_kind::closed, descriptor_);
        return failed();
    }
    on_event(event_kind::connected, static_cast<std::uint32_t>(descriptor_), descriptor_);
    open_connection(std::move(stream));
}

void connector::failed() {
    attempt_ = attempt::none;
    connecting_.reset();
    link_->count(closed_reason::connect_failed);
    retry_later();
}

// ---- the next one

void connector::retry_later() {
    finish_if_drained();
    if (finished_)
        return;
    if (options_->reconnect_interval_ms <= 0)
        stopped_ = true;
    if (stopped_)
        return finish_if_hopeless();
    const int delay_ms = next_delay_ms();
    tell(event_kind::connect_retried, delay_ms);
    waiting_ = true;
    try {
        timer_.expires_after(std::chrono::milliseconds(delay_ms));
        timer_.async_wait([this, weak = weak_from_this()](const boost::system::error_code &error) {
            if (const auto self = weak.lock(); self && !error)
                retry();
        });
    } catch (const std::bad_alloc &) { // at once, rather than never
        workers_.thread().post(runtime::slotted(retry_slot_, [this, self = shared_from_this()] { retry(); }));
    }
}

void connector::retry() {
    if (!finished_)
        attempting([this] { try_now(); });
}

bool connector::stops_at(int condition) const noexcept {
    return (options_->reconnect_stop & condition) != 0;
}

// The connector ends by itself: the socket learns of it through its pipe.
void connector::give_up() {
    gave_up_.store(true, std::memory_order_relaxed);
    finish();
}

// The socket is gone, and nothing that it left will be sent.
void connector::finish_if_hopeless() {
    if ((leaving_ || withdrawn_) && stopped_ && !connection_ && attempt_ == attempt::none)
        finish();
}

// Without a maximum: the interval and up to as much again, as far as an int goes. With one: doubled at each
// failure up to it, less some jitter, never below the interval.
int connector::next_delay_ms() {
    const int interval = options_->reconnect_interval_ms;
    const int maximum = options_->reconnect_interval_max_ms;
    if (maximum <= interval) {
        const int most = std::min(interval, std::numeric_limits<int>::max() - interval);
        return interval + static_cast<int>(jitter_.below(static_cast<std::uint32_t>(most) + 1));
    }
    delay_ms_ = delay_ms_ == 0 ? interval : delay_ms_ > maximum / 2 ? maximum : delay_ms_ * 2;
    const int slack = std::max(0, (delay_ms_ - interval) / 4);
    return delay_ms_ - static_cast<int>(jitter_.below(static_cast<std::uint32_t>(slack) + 1));
}

std::string connector::asked_for() const {
    return transport_.event_text != nullptr ? transport_.event_text(peer_.address, *options_)
                                            : transport::text_of(peer_);
}

// Tells of an event that belongs to no stream.
void connector::tell(event_kind kind, int value) noexcept {
    on_event(kind, static_cast<std::uint32_t>(value), -1);
}

pipe_end *connector::on_handshake(const zmtp::peer_info &peer, const connection_origin &origin) {
    connected_at_ = runtime::now_ms();
    if (end_ != nullptr) {
        introduce(peer, origin, connected_before_);
        connected_before_ = true;
        notify(router_notify::connect);
        return end_;
    }
    return serve_new_pipe(peer, origin, true);
}

void connector::on_ended(closed_reason reason) {
    link_->count(reason);
    const bool served = connection_->was_in_traffic();
    const bool hopeless = connection_->is_hopeless(reason);
    connection_.reset();
    if (counters::pipe_counts *const counts = end_ != nullptr ? end_->counts() : nullptr)
        counts->set_flag(counters::pipe_flag::connected, false);
    if (served) {
        notify(router_notify::disconnect);
        if (hears_hiccups(*options_) && !options_->hiccup_message.empty())
            say_to_socket(options_->hiccup_message);
    }
    if (options_->immediate && end_ != nullptr)
        std::exchange(end_, nullptr)->close();
    if (served && runtime::now_ms() - connected_at_ >= std::max(delay_ms_, options_->reconnect_interval_ms))
        delay_ms_ = 0; // it was stable: the next back-off begins anew
    if (hopeless)
        return finish(); // as libzmq does; the endpoint stays until zmq_disconnect
    if (options_->reconnect_interval_ms <= 0 || (!served && stops_at(reconnect_stop::handshake_failed)))
        return give_up();
    retry_later();
}

void connector::terminate(int linger_ms) {
    pipe_worker::terminate(linger_ms);
    finish_if_hopeless();
}

void connector::disconnect(int linger_ms) {
    stopped_ |= stops_at(reconnect_stop::after_disconnect);
    terminate(linger_ms);
}

// The socket hears that nothing follows. It reads what has come, and closes its end with the next call.
// Messages that it had written until then are sent. A socket without calls writes nothing: it is not waited
// for.
void connector::withdraw(int linger_ms) {
    constexpr std::chrono::milliseconds time_for_socket{500};
    if (finished_ || leaving_ || withdrawn_)
        return;
    withdrawn_ = stopped_ = true;
    if (!connection_ || !connection_->in_traffic() || end_ == nullptr)
        return finish();
    connection_->stop_receiving();
    if (finished_ || end_ == nullptr)
        return;
    end_->announce_end(linger_ms);
    try {
        timer_.expires_after(time_for_socket);
        timer_.async_wait([this, linger_ms, weak = weak_from_this()](const boost::system::error_code &error) {
            if (const auto self = weak.lock(); self && !error && !leaving_)
                terminate(linger_ms);
        });
    } catch (const std::bad_alloc &) {
        terminate(linger_ms);
    }
}

void connector::on_pipe_event(pipe_end &end, std::uint32_t events) {
    pipe_worker::on_pipe_event(end, events);
    finish_if_hopeless();
}

} // namespace zlink::connections
