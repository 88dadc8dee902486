// SPDX-License-Identifier: MPL-2.0
#include "sim/scenario.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

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

void pause_a_while(int most_ms) {
    const time_ns time = run->up_to(most_ms * ms);
    std::this_thread::sleep_for(std::chrono::nanoseconds(time));
}

void run_threads(const plan &of, const std::function<void(int number)> &receive,
                 const std::function<void(int number)> &send) {
    std::vector<std::thread> threads;
    for (int number = 0; number < of.receivers; ++number)
        threads.emplace_back(receive, number);
    for (int number = 0; number < of.senders; ++number)
        threads.emplace_back(send, number);
    for (std::thread &one : threads)
        one.join();
}

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
    : send_limit_ms_(of.send_limit_ms), receive_limit_ms_(of.receive_limit_ms) {
    socket_ = again("zmq_socket", [=] { return zmq_socket(context, type); });
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
    timed("zmq_close", 0, [this] { return zmq_close(socket_); });
}

void program_socket::set(int option, int value) {
    again("zmq_setsockopt", [=, this] { return zmq_setsockopt(socket_, option, &value, sizeof value) == 0; });
}
void program_socket::set(int option, const std::string &value) {
    again("zmq_setsockopt",
          [&, this] { return zmq_setsockopt(socket_, option, value.data(), value.size()) == 0; });
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

bool program_socket::send_frame(const std::string &frame, int flags) {
    const patience waits(send_limit_ms_);
    for (;;) {
        const int sent = timed("zmq_send", send_limit_ms_,
                               [&] { return zmq_send(socket_, frame.data(), frame.size(), flags); });
        if (sent >= 0)
            return true;
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
        if (send_frame(message[index], more ? ZMQ_SNDMORE : 0))
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
    for (;;) {
        const int size =
            timed("zmq_recv", receive_limit_ms_, [&] { return zmq_msg_recv(&message, socket_, 0); });
        if (size >= 0)
            break;
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

// ---- plans

void attach(program_socket &socket, const plan &of, bool binds, int number, int peers) {
    if (binds) {
        if (of.late_bind)
            pause_a_while(3000);
        return socket.bind(endpoint_of(of, number));
    }
    for (int peer = 0; peer < peers; ++peer)
        socket.connect(endpoint_of(of, peer));
}

std::string endpoint_of(const plan &of, int number) {
    switch (of.over) {
    case transport::tcp:
        return "tcp://127.0.0.1:" + std::to_string(5000 + number);
    case transport::ipc:
        return "ipc:///pretend/" + std::to_string(number);
    default:
        return "inproc://" + std::to_string(number);
    }
}

plan draw_plan(weather how) {
    zlink::random_generator &dice = run->dice;
    plan made;
    made.how = how;
    const std::uint32_t over = dice.below(8);
    made.over = over < 5 ? transport::tcp : over < 7 ? transport::ipc : transport::inproc;
    made.senders = 1 + static_cast<int>(dice.below(3));
    made.receivers = 1 + static_cast<int>(dice.below(3));
    made.messages = 1 + dice.below(dice.below(4) == 0 ? 300 : 40);
    made.largest = dice.below(4) == 0 ? 100'000 : 1000;
    made.send_mark = dice.below(3) == 0 ? 1 + static_cast<int>(dice.below(8)) : 1000;
    made.receive_mark = dice.below(3) == 0 ? 1 + static_cast<int>(dice.below(8)) : 1000;
    made.send_limit_ms = dice.below(3) == 0 ? static_cast<int>(dice.below(500)) : -1;
    made.receive_limit_ms = 20 + static_cast<int>(dice.below(3000));
    made.linger_ms = dice.below(4) == 0 ? static_cast<int>(dice.below(3000)) : -1;
    made.heartbeat_ms = dice.below(3) == 0 ? 100 + static_cast<int>(dice.below(2000)) : 0;
    if (made.heartbeat_ms != 0)
        made.largest = 1000; // with a long one no heartbeat may ever come through
    made.reconnect_ms = 1 + static_cast<int>(dice.below(500));
    constexpr int pauses[] = {0, 0, 5, 1000, 60'000};
    made.pause_ms = pauses[dice.below(5)];
    made.receive_limit_ms += made.pause_ms / 10;
    if (made.pause_ms > 1000)
        made.messages = std::min<std::uint64_t>(made.messages, 20);
    if (how == weather::stormy && made.over != transport::inproc) // inproc never connects again
        made.restarts_one_in = dice.below(2) * (10 + dice.below(100));
    made.io_threads = 1 + static_cast<int>(dice.below(4) / 3);
    made.receivers_bind = dice.below(3) != 0;
    made.late_bind = made.over != transport::inproc && dice.below(3) == 0;
    return made;
}

std::string describe(const plan &of, const char *pattern) {
    constexpr const char *transports[] = {"tcp", "ipc", "inproc"};
    constexpr const char *weathers[] = {"calm", "rough", "stormy"};
    char text[200];
    std::snprintf(text, sizeof text, "%s %s %s, %d to %d, %llu messages, marks %d/%d, heartbeat %d", pattern,
                  transports[static_cast<int>(of.over)], weathers[static_cast<int>(of.how)], of.senders,
                  of.receivers, static_cast<unsigned long long>(of.messages), of.send_mark, of.receive_mark,
                  of.heartbeat_ms);
    return text;
}

// A broken connection loses what was under way. A heartbeat may break one that is slow or full. A linger time
// may be too short.
bool may_lose(const plan &of) noexcept {
    const bool quick =
        of.how == weather::calm && net->is.most_delay <= 1200 * us && net->is.least_window >= 4096;
    const bool too_short = of.heartbeat_ms != 0 && (!quick || of.heartbeat_ms < 500);
    return net->breaks != 0 || too_short || of.linger_ms >= 0;
}

std::uint64_t play_scenario(weather how, std::span<char> about) {
    struct kind {
        const char *name;
        std::uint64_t (*play)(const plan &);
    };
    constexpr kind kinds[] = {{"PUSH/PULL", &play_pipeline},
                              {"REQ/REP", &play_requests},
                              {"DEALER/ROUTER", &play_router},
                              {"PUB/SUB", &play_topics}};
    const plan drawn = draw_plan(how);
    const kind &one = kinds[run->dice.below(std::size(kinds))];
    std::snprintf(about.data(), about.size(), "%s", describe(drawn, one.name).c_str());
    if (how == weather::stormy)
        net->plan_faults(run->now() + 60 * one_s, 100 * ms + run->up_to(10 * one_s));
    return one.play(drawn);
}

} // namespace sim
