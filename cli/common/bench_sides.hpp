// SPDX-License-Identifier: MPL-2.0
// The two sides of `zlink bench` as their types of sockets want it: addresses, groups, subscriptions, streams
// without messages, and the word that a run is over. Each side is for one thread. A call waits until it is
// done, the run is over (false), or the other side was silent for too long (a failure).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <zmq.h>

#include "common/benchmark.hpp"

namespace cli {

// At the front of a message that is long enough.
struct bench_stamp {
    std::uint64_t due_ns;      // 0: its latency would be the time in queues
    std::uint64_t is_measured; // 0 during the warm-up
};

inline constexpr const char *bench_group = "bench"; // of RADIO and DISH

bool is_over(const bench_task &task);

class received_frame {
  public:
    received_frame() { zmq_msg_init(&frame_); }
    ~received_frame() { zmq_msg_close(&frame_); }
    received_frame(const received_frame &) = delete;
    received_frame &operator=(const received_frame &) = delete;

    bool receive(socket &used, const bench_task &task);
    bool give(socket &used, const bench_task &task, int flags);
    std::size_t size() const { return zmq_msg_size(&frame_); }
    std::string_view text() { return {static_cast<const char *>(zmq_msg_data(&frame_)), size()}; }
    bench_stamp read_stamp();

  private:
    zmq_msg_t frame_;
};

class bench_client {
  public:
    bench_client(socket &used, const bench_task &task);

    // Until the server would get a message. Over udp nobody knows.
    bool await_server();
    bool send(const std::string &bytes);
    // The whole message that the server has sent back.
    bool receive_answer(std::size_t size);
    // Tells the server that it was the end, and how many messages were measured.
    void say_end(std::uint64_t measured);

  private:
    bool await_stream();
    bool await_subscription();
    bool await_group();
    // With the group of a RADIO, or the number of the server for a PEER.
    bool send_addressed(const std::string &bytes);

    socket &used_;
    const bench_task &task_;
    int type_;
    std::string stream_id_; // of the connection of a STREAM
    received_frame frame_;
};

class bench_server {
  public:
    bench_server(socket &used, const bench_task &task);

    // False at the end of the run.
    bool receive();
    bool send_back();
    received_frame &body() { return body_; }
    // How many messages the client has measured; nothing if it did not say so.
    std::optional<std::uint64_t> announced() const { return announced_; }

  private:
    bool is_notice();
    bool is_end();

    socket &used_;
    const bench_task &task_;
    int type_;
    std::string client_id_; // of the connection of a STREAM
    received_frame address_, body_;
    std::optional<std::uint64_t> announced_;
};

} // namespace cli
