// SPDX-License-Identifier: MPL-2.0
// scenario: what the threads of a simulated program do in one run: the pattern, the transport, the options.
//
// Threads: the first fiber makes it; each thread of the program has its own sockets.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <thread>

#include "sim/judge.hpp"

namespace sim {

enum class transport : std::uint8_t { tcp, ipc, inproc };
// Where a thread waits until it can send or receive.
enum class waiting : std::uint8_t { in_call, zmq_poll, zmq_poller, descriptor };

struct plan {
    weather how = weather::calm;
    transport over = transport::tcp;
    int senders = 1;
    int receivers = 1;
    std::uint64_t messages = 20; // of each sender
    std::size_t largest = 1000;
    int send_mark = 1000;
    int receive_mark = 1000;
    int send_limit_ms = -1;
    int receive_limit_ms = 100;
    int linger_ms = -1;
    int heartbeat_ms = 0;
    int reconnect_ms = 100;
    int pause_ms = 0; // between messages of one sender, at most
    int io_threads = 1;
    std::uint32_t restarts_one_in = 0; // a PULL is closed, and another one takes its place
    bool receivers_bind = true;
    bool late_bind = false;
    bool curve = false;
    bool proxied = false; // both sides connect to a proxy
    waiting waits = waiting::in_call;
};

// A context of one thread, or of all with inproc.
class program_context {
  public:
    explicit program_context(const plan &of);
    ~program_context();
    program_context(const program_context &) = delete;
    program_context &operator=(const program_context &) = delete;
    [[nodiscard]] void *get() const noexcept { return context_; }

  private:
    void *context_;
    int linger_ms_; // of each socket, whose owner is the context's as well; -1: as long as it takes
};

// A socket with the options of the plan. Closed by its destructor.
class program_socket {
  public:
    program_socket(void *context, int type, const plan &of);
    ~program_socket();
    program_socket(const program_socket &) = delete;
    program_socket &operator=(const program_socket &) = delete;

    void set(int option, int value);
    void set(int option, const std::string &value);
    // CURVE, with the keys of the server or of the client.
    void secure(bool server);
    // Until it succeeds: descriptors may be short.
    void bind(const std::string &endpoint);
    void connect(const std::string &endpoint);
    // Returns false if the time was over. Goes on after a signal.
    bool send(const frames &message);
    bool receive(frames &message);
    [[nodiscard]] void *get() const noexcept { return socket_; }

  private:
    bool send_frame(const std::string &frame, bool first, int flags);
    bool receive_frame(std::string &frame, bool first, bool &more);
    // Returns false if the time was over.
    bool wait_until_ready(short event, int limit_ms);
    // Above 0: it is ready. 0: the time was over. Below: errno.
    int wait_once(short event, int limit_ms);
    int wait_in_poller(short event, int limit_ms);
    int wait_at_descriptor(short event, int limit_ms);
    [[nodiscard]] int integer(int option) const;

    void *socket_;
    void *poller_ = nullptr;
    waiting waits_;
    bool two_rows_ = false; // of zmq_poll, for one socket
    int send_limit_ms_;
    int receive_limit_ms_;
};

// The two endpoints of a proxy.
inline constexpr int proxy_front = 100;
inline constexpr int proxy_back = 101;

[[nodiscard]] std::string endpoint_of(const plan &of, int number);
[[nodiscard]] plan draw_plan(weather how);
[[nodiscard]] std::string describe(const plan &of, const char *pattern);
// May a message be lost without a breach of a promise?
[[nodiscard]] bool may_lose(const plan &of) noexcept;
// Binds the endpoint of that number, or connects to those of all peers.
void attach(program_socket &socket, const plan &of, bool binds, int number, int peers);
// Connects to that endpoint of the proxy.
void attach_to_proxy(program_socket &socket, const plan &of, int endpoint);
void pause_a_while(int most_ms);
void sleep_for(time_ns time);

// Gives each receiver and each sender of the plan a thread of its own, and waits for all.
void run_threads(const plan &of, const std::function<void(int number)> &receive,
                 const std::function<void(int number)> &send);

// Each plays one run in this world, and returns how many messages came.
std::uint64_t play_pipeline(const plan &of);
std::uint64_t play_requests(const plan &of);
std::uint64_t play_router(const plan &of);
std::uint64_t play_topics(const plan &of);
std::uint64_t play_partings(const plan &of);
std::uint64_t play_heartbeats(const plan &of);
std::uint64_t play_late_listener(const plan &of);

// Draws and plays one. Returns the number of messages.
std::uint64_t play_scenario(weather how, std::span<char> about);

} // namespace sim
