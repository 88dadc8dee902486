// SPDX-License-Identifier: MPL-2.0
// The contexts and sockets of a simulated program: their options, and how its threads wait for them.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>

#include "sim/scenario.hpp"

namespace sim {
namespace {

constexpr int most_attempts = 10'000; // of a call that the world refuses for a moment

bool is_shortage(int error) noexcept {
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS || error == EINTR ||
           error == EADDRINUSE; // the listener of a closed socket ends a little later
}

// Does a call again that ended for want of something, or by a signal.
template <class Call> auto again(const char *name, Call &&call) {
    for (int attempts = 0; attempts < most_attempts; ++attempts) {
        const auto result = call();
        if (result)
            return result;
        if (!is_shortage(errno))
            fail("%s: %s", name, std::strerror(errno));
        pause_a_while(2);
    }
    fail("%s never succeeds: %s", name, std::strerror(errno));
}

} // namespace

// ---- contexts

program_context::program_context(const plan &of)
    : linger_ms_(of.over == transport::inproc ? -1 : of.linger_ms) {
    context_ = again("zmq_ctx_new", [] { return zmq_ctx_new(); });
    zmq_ctx_set(context_, ZMQ_IO_THREADS, of.io_threads);
}

program_context::~program_context() {
    constexpr int of_kernel_ms = 1000; // for the peer's confirmation of the last bytes
    const int limit_ms = linger_ms_ < 0 ? -1 : linger_ms_ + of_kernel_ms;
    again("zmq_ctx_term", [=, this] {
        return timed("zmq_ctx_term", limit_ms, [this] { return zmq_ctx_term(context_); }) == 0;
    });
}

// ---- sockets

program_socket::program_socket(void *context, int type, const plan &of)
    : waits_(of.waits), send_limit_ms_(of.send_limit_ms), receive_limit_ms_(of.receive_limit_ms) {
    socket_ = again("zmq_socket", [=] { return zmq_socket(context, type); });
    two_rows_ = (type == ZMQ_PUSH || type == ZMQ_PULL) && waits_ == waiting::zmq_poll;
    set(ZMQ_SNDHWM, of.send_mark);
    set(ZMQ_RCVHWM, of.receive_mark);
    set(ZMQ_SNDTIMEO, of.send_limit_ms);
    set(ZMQ_RCVTIMEO, of.receive_limit_ms);
    set(ZMQ_RECONNECT_IVL, of.reconnect_ms);
    set(ZMQ_LINGER, of.linger_ms);
    if (of.heartbeat_ms != 0)
        set(ZMQ_HEARTBEAT_IVL, of.heartbeat_ms);
}

program_socket::~program_socket() {
    if (poller_ != nullptr)
        zmq_poller_destroy(&poller_);
    timed("zmq_close", 0, [this] { return zmq_close(socket_); });
}

void program_socket::set(int option, int value) {
    again("zmq_setsockopt", [=, this] { return zmq_setsockopt(socket_, option, &value, sizeof value) == 0; });
}
void program_socket::set(int option, const std::string &value) {
    again("zmq_setsockopt",
          [&, this] { return zmq_setsockopt(socket_, option, value.data(), value.size()) == 0; });
}
int program_socket::integer(int option) const {
    int value = 0;
    std::size_t size = sizeof value;
    again("zmq_getsockopt", [&, this] { return zmq_getsockopt(socket_, option, &value, &size) == 0; });
    return value;
}

// The keys are those of zmq_curve(7).
void program_socket::secure(bool server) {
    const std::string server_key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
    if (server) {
        set(ZMQ_CURVE_SERVER, 1);
        return set(ZMQ_CURVE_SECRETKEY, "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6");
    }
    set(ZMQ_CURVE_SERVERKEY, server_key);
    set(ZMQ_CURVE_PUBLICKEY, "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID");
    set(ZMQ_CURVE_SECRETKEY, "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs");
}
void program_socket::bind(const std::string &endpoint) {
    again("zmq_bind", [&, this] { return zmq_bind(socket_, endpoint.c_str()) == 0; });
}
void program_socket::connect(const std::string &endpoint) {
    again("zmq_connect", [&, this] { return zmq_connect(socket_, endpoint.c_str()) == 0; });
}

namespace {

// Signals may come faster than the time limit of a call, which begins anew each time.
class patience {
  public:
    explicit patience(int limit_ms) noexcept : until_(limit_ms < 0 ? never : run->now() + limit_ms * ms) {}
    // After EINTR.
    [[nodiscard]] bool is_over() const noexcept { return run->now() > until_; }

  private:
    time_ns until_;
};

} // namespace

// ---- waits in polls

int program_socket::wait_in_poller(short event, int limit_ms) {
    if (poller_ == nullptr) {
        poller_ = again("zmq_poller_new", [] { return zmq_poller_new(); });
        again("zmq_poller_add", [=, this] { return zmq_poller_add(poller_, socket_, this, event) == 0; });
    }
    zmq_poller_modify(poller_, socket_, event);
    zmq_poller_event_t found{};
    const int answer = zmq_poller_wait(poller_, &found, limit_ms);
    if (answer < 0)
        return errno == EAGAIN ? 0 : answer;
    if (found.socket != socket_ || found.user_data != this || (found.events & event) == 0)
        fail("zmq_poller_wait tells of another event");
    return 1;
}

// As zmq_getsockopt(3) says: the descriptor tells of a change, and ZMQ_EVENTS says of which.
int program_socket::wait_at_descriptor(short event, int limit_ms) {
    const time_ns until = limit_ms < 0 ? never : run->now() + limit_ms * ms;
    const int descriptor = integer(ZMQ_FD);
    while ((integer(ZMQ_EVENTS) & event) == 0) {
        const time_ns rest = until == never ? -1 : (until - run->now() + ms - 1) / ms;
        if (until != never && rest <= 0)
            return 0;
        pollfd asked{descriptor, POLLIN, 0};
        if (::poll(&asked, 1, static_cast<int>(rest)) < 0)
            return -1;
    }
    return 1;
}

int program_socket::wait_once(short event, int limit_ms) {
    if (waits_ == waiting::zmq_poller)
        return wait_in_poller(event, limit_ms);
    if (waits_ == waiting::descriptor)
        return wait_at_descriptor(event, limit_ms);
    // A PUSH never has something to read, and a PULL never takes something: that row tells nothing.
    const short other = event == ZMQ_POLLIN ? ZMQ_POLLOUT : ZMQ_POLLIN;
    zmq_pollitem_t asked[] = {{socket_, 0, event, 0}, {socket_, 0, other, 0}};
    const int found = ::zmq_poll(asked, two_rows_ ? 2 : 1, limit_ms);
    if (found > 0 && (asked[0].revents & event) == 0)
        fail("zmq_poll tells of another event");
    return found;
}

bool program_socket::wait_until_ready(short event, int limit_ms) {
    const patience waits(limit_ms);
    for (;;) {
        const time_ns began = run->now();
        const int found = timed("a poll", limit_ms, [=, this] { return wait_once(event, limit_ms); });
        if (found > 0)
            return true;
        if (found == 0 && (limit_ms < 0 || run->now() - began + ms < limit_ms * ms))
            fail("a poll gave up after %lld ms, its limit is %d ms",
                 static_cast<long long>((run->now() - began) / ms), limit_ms);
        if (found < 0 && errno != EINTR)
            fail("a poll: %s", std::strerror(errno));
        if (found == 0 || waits.is_over())
            return false;
    }
}

// ---- messages

bool program_socket::send_frame(const std::string &frame, bool first, int flags) {
    const patience waits(send_limit_ms_);
    const bool polls = first && waits_ != waiting::in_call;
    for (;;) {
        if (polls && !wait_until_ready(ZMQ_POLLOUT, send_limit_ms_))
            return false;
        const int with = polls ? flags | ZMQ_DONTWAIT : flags;
        const int sent = timed("zmq_send", polls ? 0 : send_limit_ms_,
                               [&] { return zmq_send(socket_, frame.data(), frame.size(), with); });
        if (sent >= 0)
            return true;
        if (errno == EAGAIN && polls && !waits.is_over())
            continue; // the peer of that moment has gone
        if (errno == EAGAIN || errno == EHOSTUNREACH)
            return false;
        if (errno != EINTR)
            fail("zmq_send: %s", std::strerror(errno));
        if (waits.is_over())
            return false;
    }
}

// Only the first frame waits for a peer.
bool program_socket::send(const frames &message) {
    for (std::size_t index = 0; index < message.size(); ++index) {
        const bool more = index + 1 < message.size();
        if (send_frame(message[index], index == 0, more ? ZMQ_SNDMORE : 0))
            continue;
        if (index != 0)
            fail("a later frame of a message is not taken");
        return false;
    }
    return true;
}

bool program_socket::receive_frame(std::string &frame, bool first, bool &more) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    const patience waits(receive_limit_ms_);
    const bool polls = first && waits_ != waiting::in_call;
    if (polls && !wait_until_ready(ZMQ_POLLIN, receive_limit_ms_))
        return false;
    for (;;) {
        const int size = timed("zmq_recv", polls ? 0 : receive_limit_ms_,
                               [&] { return zmq_msg_recv(&message, socket_, polls ? ZMQ_DONTWAIT : 0); });
        if (size >= 0)
            break;
        if (errno == EAGAIN && polls)
            fail("there was no message after a poll that told of one");
        if (errno == EINTR && (!first || !waits.is_over()))
            continue;
        if ((errno != EAGAIN && errno != EINTR) || !first)
            fail("zmq_recv: %s", std::strerror(errno));
        zmq_msg_close(&message);
        return false;
    }
    frame.assign(static_cast<const char *>(zmq_msg_data(&message)), zmq_msg_size(&message));
    more = zmq_msg_more(&message) != 0;
    zmq_msg_close(&message);
    return true;
}

bool program_socket::receive(frames &message) {
    message.clear();
    bool more = true;
    while (more) {
        std::string frame;
        if (!receive_frame(frame, message.empty(), more))
            return false;
        message.push_back(std::move(frame));
    }
    return true;
}

} // namespace sim
