// SPDX-License-Identifier: MPL-2.0
// The monitor of a socket with operations: events for async_monitor, and for async_connect the end of a
// handshake.
#pragma once

#include <deque>

#include "zlink/asio/actions.hpp"
#include "zlink/asio/readiness.hpp"

namespace zlink::asio {
inline namespace ZLINK_ASIO_FLAVOUR {
namespace detail {

// The readiness of the PAIR that a monitor writes to.
template <class Executor> class monitor_readiness final : public readiness<Executor> {
  public:
    static constexpr std::size_t watchers = 0, connects = 1;
    // Events that wait for async_monitor; older ones are dropped.
    static constexpr std::size_t backlog_limit = 1000;

    using readiness<Executor>::readiness;

    // Has events kept for async_monitor from now on.
    void watch() noexcept { watching_ = true; }
    // Takes the oldest event that was kept.
    bool take(monitor_event &event) {
        if (backlog_.empty())
            return false;
        event = std::move(backlog_.front());
        backlog_.pop_front();
        return true;
    }
    // The event that the connects are asked about; nullptr if there is none.
    [[nodiscard]] const monitor_event *current() const noexcept { return current_; }
    // Reads the events that are there, so that those of earlier connections do not end a connect that begins
    // now.
    void drop_old_events() {
        operation_queue done;
        read_all(done);
        done.complete_all(way::post);
    }

  protected:
    void read_all(operation_queue &done) {
        monitor_event event;
        multipart frames;
        while (receive_frames(this->socket().native(), frames) == 0) {
            std::error_code code;
            if (zlink::detail::parse_event(frames, event, code))
                distribute(event, done);
        }
    }

    [[nodiscard]] poll_events awaited() const noexcept override { return poll_events::in; }
    bool advance(poll_events events, operation_queue &done) override {
        operation_queue found;
        if (any(events & poll_events::in))
            read_all(found);
        this->run(this->queue(watchers), found);
        const bool moved = !found.empty();
        done.take(found);
        return moved;
    }

  private:
    void distribute(monitor_event &event, operation_queue &done) {
        const bool stopped = event.type == monitor_event_type::monitor_stopped;
        current_ = &event;
        operation_queue &queue = this->queue(connects);
        for (operation *one = queue.front(); one;) {
            operation *const next = operation_queue::next(*one);
            if (this->try_now(*one)) {
                queue.remove(*one);
                done.push(*one);
                one = stopped ? next : nullptr;
            } else {
                one = next;
            }
        }
        current_ = nullptr;
        if (!watching_)
            return;
        if (backlog_.size() == backlog_limit)
            backlog_.pop_front();
        backlog_.push_back(std::move(event));
    }

    std::deque<monitor_event> backlog_;
    const monitor_event *current_ = nullptr;
    bool watching_ = false;
};

template <class Executor> struct next_event {
    monitor_readiness<Executor> *monitor;
    monitor_event event{};
    int perform(void *) { return monitor->take(event) ? 0 : EAGAIN; }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code, std::move(event));
    }
};

// Begins to connect, and has its result when the handshake is done.
template <class Executor> struct connect_until_done {
    static constexpr bool in_any_order = true;
    monitor_readiness<Executor> *monitor;
    readiness<Executor> *owner; // of the socket that connects
    std::string endpoint;
    bool begun = false;

    int perform(void *) {
        if (!begun)
            return begin();
        const monitor_event *const event = monitor->current();
        if (!event)
            return EAGAIN;
        if (event->type == monitor_event_type::monitor_stopped)
            return aborted;
        const int number = event->endpoint == endpoint ? result_of(*event) : EAGAIN;
        if (number != EAGAIN && number != 0)
            give_up();
        return number;
    }
    // A connect that failed or was cancelled leaves no connection.
    void give_up() {
        zmq_disconnect(owner->socket().native(), endpoint.c_str());
        owner->check();
    }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code);
    }

  private:
    [[nodiscard]] int begin() {
        begun = true;
        monitor->drop_old_events();
        const int number = number_of(zmq_connect(owner->socket().native(), endpoint.c_str()));
        owner->check();
        if (number != 0)
            return number;
        // These transports have no handshake.
        for (const char *scheme : {"inproc:", "udp:", "pgm:", "epgm:", "norm:"})
            if (endpoint.starts_with(scheme))
                return 0;
        // Events have the endpoint in this form.
        std::error_code code;
        const std::string name = owner->socket().get(opt::last_endpoint, code);
        if (!code)
            endpoint = name;
        return EAGAIN;
    }
    [[nodiscard]] int result_of(const monitor_event &event) const {
        switch (event.type) {
        case monitor_event_type::handshake_succeeded:
            return 0;
        case monitor_event_type::handshake_failed_protocol:
            return EPROTO;
        case monitor_event_type::handshake_failed_auth:
            return EACCES;
        case monitor_event_type::closed:
        case monitor_event_type::disconnected:
        case monitor_event_type::handshake_failed_no_detail:
            return tries_again() ? EAGAIN : ECONNREFUSED;
        default:
            return EAGAIN;
        }
    }
    [[nodiscard]] bool tries_again() const {
        std::error_code code;
        return owner->socket().get(opt::reconnect_interval, code) != infinite;
    }
};

} // namespace detail
} // namespace ZLINK_ASIO_FLAVOUR
} // namespace zlink::asio
