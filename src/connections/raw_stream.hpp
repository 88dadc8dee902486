// SPDX-License-Identifier: MPL-2.0
// Frame reader and frame writer of a connection without ZMTP (STREAM, ROUTER_RAW). Each piece of received
// bytes becomes a message. The bodies of messages are sent without headers. An empty message to the socket
// says that there is a connection, or that it has ended; an empty message from it ends the connection.
//
// Threads, ownership: see frame_reader.hpp and frame_writer.hpp.
#pragma once

#include <array>

#include "connections/frame_reader.hpp"
#include "connections/frame_writer.hpp"

namespace zlink::connections {

class raw_reader final : public frame_reader {
  public:
    // One message has at most as many bytes. libzmq's are as long, and programs have buffers for that.
    static constexpr std::size_t most_bytes = 8192;

    raw_reader(pipe_end &end, bool notifies) noexcept : end_(end), notifies_(notifies) {}

    void begin(zmtp::byte_view early) override;
    [[nodiscard]] read_status turn(transport::stream &from, run_by reader) override;
    void lost() noexcept override;
    void reset() noexcept override {}

  private:
    [[nodiscard]] bool commit(zmtp::byte_view body) noexcept;

    pipe_end &end_;
    bool notifies_;
};

class raw_writer final : public frame_writer {
  public:
    explicit raw_writer(pipe_end &end) noexcept : end_(end) {}
    ~raw_writer() override { held_.drop(); }

    [[nodiscard]] write_status turn(transport::stream &to) override;
    [[nodiscard]] bool holds_bytes() const noexcept override {
        return !small_.empty() || held_.owner != nullptr;
    }
    // Bytes that were taken from the queue are lost with the connection.
    void rewind() noexcept override;

  private:
    void collect();
    [[nodiscard]] transport::io_status send_collected(transport::stream &to);

    pipe_end &end_;
    zmtp::byte_buffer small_; // bodies one behind the other
    std::size_t small_sent_ = 0;
    incoming_frame held_; // a large one behind them, sent from where it lies
    std::size_t held_sent_ = 0;
    bool hangs_up_ = false; // and then the end
};

} // namespace zlink::connections
