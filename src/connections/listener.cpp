// SPDX-License-Identifier: MPL-2.0
#include "connections/listener.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <sys/socket.h>
#include <utility>

#include "connections/opening_dialogue.hpp"
#include "transport/socket_setup.hpp"

namespace zlink::connections {
namespace {

constexpr int accepts_per_turn = 64;
constexpr std::chrono::milliseconds accept_pause{100};

// The connection was gone before it was accepted, and the next one may be accepted at once. Everything else
// (no descriptors, no memory, errors of the network: accept(2)) may well come again.
bool concerns_one_connection(int code) noexcept {
    return code == ECONNABORTED || code == EPERM || code == EPROTO || code == EINTR;
}

} // namespace

listener::listener(worker_list &owner, std::vector<worker_list *> groups, std::shared_ptr<socket_link> link,
                   std::shared_ptr<const socket_options> options, const transport::endpoint &where,
                   transport::listening_socket socket)
    : workers_(owner), groups_(std::move(groups)), link_(std::move(link)), options_(std::move(options)),
      where_(where), limit_(std::make_shared<connection_limit>(options_->max_peers)),
      socket_(std::move(socket)), readiness_(owner.thread().context()), pause_(owner.thread().context()) {}

listener::~listener() {
    if (readiness_.is_open())
        readiness_.release();
    transport::stop_listening(socket_);
}

void listener::start() {
    boost::system::error_code error;
    try {
        readiness_.assign(socket_.descriptor, error);
    } catch (const std::bad_alloc &) {
        error = boost::asio::error::no_memory;
    }
    if (error)
        return pause(&listener::start);
    if (socket_.claim)
        receive_handed();
    wait();
}

// Other endpoints at the same port call it, from any thread.
void listener::receive_handed() {
    socket_.claim->receive_by([this, weak = weak_from_this()](transport::handed_connection accepted) {
        workers_.thread().post([this, weak, taken = std::move(accepted)]() mutable {
            if (const auto self = weak.lock(); self && !stopped_)
                begin_session(std::move(taken));
        });
    });
}

void listener::wait() {
    readiness_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                          runtime::slotted(wait_slot_, [this, self = shared_from_this()](const auto &error) {
                              if (!error && !stopped_)
                                  accept_some();
                          }));
}

// ENOMEM: there was no memory for the worker; the connection is closed.
int listener::accept_one() noexcept {
    const int descriptor = ::accept4(socket_.descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0)
        return errno;
    try {
        begin_session({transport::descriptor_guard(descriptor), nullptr, {}});
        return 0;
    } catch (const std::bad_alloc &) {
        return ENOMEM;
    }
}

void listener::accept_some() {
    for (int turn = 0; turn < accepts_per_turn; ++turn) {
        const int code = accept_one();
        if (code == 0)
            continue;
        if (code == EAGAIN || code == EWOULDBLOCK)
            break;
        if (!concerns_one_connection(code)) {
            tell(event_kind::accept_failed, code);
            return pause(&listener::accept_some);
        }
        link_->count(closed_reason::accept_failed);
        tell(event_kind::accept_failed, code);
    }
    wait();
}

// The system has connected some peers already. They and the monitor hear that they were accepted.
void listener::accept_last() noexcept {
    for (int turn = 0; turn < accepts_per_turn; ++turn)
        if (const int code = accept_one(); code != 0 && !concerns_one_connection(code))
            return;
}

void listener::begin_session(transport::handed_connection accepted) {
    if (!where_.transport->passes_filters(accepted.descriptor.get(), *options_)) {
        link_->count(closed_reason::filtered);
        return tell(event_kind::accept_failed, EAGAIN); // as libzmq gives it
    }
    // At a port of several endpoints the request says whose connection it is.
    const bool may_be_passed_on = accepted.received.empty() && socket_.claim && socket_.claim->shares_port();
    auto place = may_be_passed_on ? connection_limit::place() : connection_limit::take(limit_);
    if (!place && !may_be_passed_on) {
        link_->count(closed_reason::over_limit);
        return tell(event_kind::accept_failed, EUSERS);
    }
    worker_list &where = worker_list::least_loaded(groups_);
    auto fresh = std::make_shared<accepted_worker>(where, link_, options_, where_, limit_, std::move(place),
                                                   std::move(accepted));
    if (accepted_.size() == accepted_.capacity())
        std::erase_if(accepted_, [](const auto &entry) { return entry.second.expired(); });
    accepted_.emplace_back(&where, fresh);
    fresh->announce();
    where.begin(std::move(fresh));
}

void listener::tell(event_kind kind, int value) noexcept {
    if (!link_->watched())
        return;
    try {
        link_->tell({kind, static_cast<std::uint32_t>(value), socket_.endpoint});
    } catch (...) {
        return; // no memory: an event less
    }
}

void listener::pause(void (listener::*then)()) {
    link_->count(closed_reason::accept_failed);
    try {
        pause_.expires_after(accept_pause);
        pause_.async_wait([this, then, weak = weak_from_this()](const boost::system::error_code &error) {
            if (const auto self = weak.lock(); self && !error && !stopped_)
                (this->*then)();
        });
    } catch (const std::bad_alloc &) { // without a pause, rather than never
        workers_.thread().post(runtime::slotted(pause_slot_, [this, then, self = shared_from_this()] {
            if (!stopped_)
                (this->*then)();
        }));
    }
}

void listener::terminate(int linger_ms) {
    stop(linger_ms, &worker_list::terminate);
}

void listener::disconnect(int linger_ms) {
    stop(linger_ms, &worker_list::disconnect);
}

void listener::stop(int linger_ms, void (worker_list::*end_worker)(std::shared_ptr<worker>, int) noexcept) {
    if (std::exchange(stopped_, true))
        return;
    pause_.cancel();
    accept_last();
    if (readiness_.is_open())
        readiness_.release(); // the descriptor is ours
    tell(event_kind::closed, socket_.descriptor);
    transport::stop_listening(socket_);
    for (const auto &[where, weak] : accepted_)
        if (const auto accepted = weak.lock())
            (where->*end_worker)(accepted, linger_ms);
    accepted_.clear();
    workers_.finished(*this);
}

void accepted_worker::announce() noexcept {
    const int descriptor = accepted_.descriptor.get();
    on_event(event_kind::accepted, static_cast<std::uint32_t>(descriptor), descriptor);
}

transport::opening_list accepted_worker::make_openings() {
    if (!accepted_.received.empty())
        return transport_.resumed(address_, *options_, std::move(accepted_.received));
    return transport_.openings != nullptr
               ? transport_.openings(transport::connection_side::accepted, address_, *options_)
               : transport::opening_list();
}

void accepted_worker::start() {
    try {
        transport::opening_list openings = make_openings();
        transport::stream stream(workers_.thread().context(), transport_);
        if (accepted_.layer)
            stream.add_layer(std::move(accepted_.layer));
        const int descriptor = accepted_.descriptor.release();
        if (stream.assign(descriptor, transport::family_of(descriptor)))
            return openings.empty() ? open_connection(std::move(stream))
                                    : open(std::move(stream), std::move(openings));
        link_->count(closed_reason::accept_failed);
    } catch (const std::bad_alloc &) {
        link_->count(closed_reason::no_memory);
    }
    finish();
}

// The openings get as much time as the handshake after them.
void accepted_worker::open(transport::stream stream, transport::opening_list openings) {
    opening_ = std::make_shared<transport::stream>(std::move(stream));
    if (options_->handshake_interval_ms > 0) {
        open_timer_ = std::make_unique<boost::asio::steady_timer>(
            workers_.thread().context(), std::chrono::milliseconds(options_->handshake_interval_ms));
        open_timer_->async_wait([opened = opening_](const boost::system::error_code &error) {
            if (!error)
                opened->close(); // its dialogue goes on
        });
    }
    std::make_shared<opening_dialogue>(
        opening_, std::move(openings),
        [this, weak = weak_from_this()](bool opened, transport::opening_failure why) {
            const auto self = weak.lock();
            if (self && !finished_)
                on_opened(opened, why);
        })
        ->start();
}

void accepted_worker::on_opened(bool opened, transport::opening_failure why) {
    open_timer_.reset();
    const auto stream = std::exchange(opening_, nullptr);
    try {
        if (opened && !has_place(stream->descriptor())) {
            stream->close();
            return finish();
        }
        if (opened && stream->register_again())
            return open_connection(std::move(*stream));
        if (!opened && why.fault == transport::opening_fault::none) // it was passed on
            return finish();
        const event_detail detail = detail_of(why);
        link_->count(reason_of(why));
        on_event(detail.kind, detail.value, stream->descriptor());
    } catch (const std::bad_alloc &) {
        link_->count(closed_reason::no_memory);
    }
    stream->close();
    finish();
}

// The connection had none while it was not known whose it is.
bool accepted_worker::has_place(int descriptor) {
    if (!place_)
        place_ = connection_limit::take(limit_);
    if (place_)
        return true;
    link_->count(closed_reason::over_limit);
    on_event(event_kind::accept_failed, EUSERS, descriptor);
    return false;
}

void accepted_worker::on_finish() noexcept {
    open_timer_.reset();
    if (opening_)
        std::exchange(opening_, nullptr)->close(); // its handlers hold it until then
}

// The socket closes its end of the pipe when it has read it to the end, and then leave() follows. Until then
// the peer counts as connected, as with libzmq. With nothing to read that need not wait for the next call on
// the socket, except with types that have a time for reading.
void accepted_worker::disconnect(int linger_ms) {
    if (finished_ || leaving_)
        return;
    if (end_ == nullptr || (end_->out().depth() == 0 && !traits_of(options_->type).takes_turns()))
        return terminate(linger_ms);
    if (connection_)
        connection_->stop_receiving();
    if (end_ != nullptr)
        end_->announce_end(linger_ms);
}

pipe_end *accepted_worker::on_handshake(const zmtp::peer_info &peer, const connection_origin &origin) {
    return serve_new_pipe(peer, origin, false);
}

void accepted_worker::on_ended(closed_reason reason) {
    link_->count(reason);
    notify(router_notify::disconnect);
    if (hears_disconnects(*options_) && !options_->disconnect_message.empty())
        say_to_socket(options_->disconnect_message);
    finish();
}

} // namespace zlink::connections
