// SPDX-License-Identifier: MPL-2.0
// frame writer: from the outbound queue of a pipe into a stream.
//
// Threads: one at a time, see connection_io. Ownership: borrows the pipe end.
// Commands of the connection itself (PING, PONG) go between messages. One turn is bounded.
#pragma once

#include <optional>
#include <string_view>

#include "pipe/pipe.hpp"
#include "queue/write_cursor.hpp"
#include "transport/stream.hpp"
#include "zmtp/bytes.hpp"
#include "zmtp/handshake.hpp"

namespace zlink::connections {

// idle: all is sent, and the queue will tell when there is more. wait: for the stream to be writable.
// hung_up: all is sent, and the application wants the connection closed. leased: the sender writes, see
// connection_io.
enum class write_status : std::uint8_t { idle, again, wait, closed, hung_up, no_memory, leased };

class frame_writer {
  public:
    static constexpr std::size_t turn_bytes = 128 * 1024;

    virtual ~frame_writer() = default;
    [[nodiscard]] virtual write_status turn(transport::stream &to) = 0;
    // Writes like turn(), for a sender that calls again by itself, without asking the queue for
    // notifications. Returns false if this frame writer is not for senders or broken, the stream is closed,
    // or memory is short.
    [[nodiscard]] virtual bool write_on_lease(transport::stream &) noexcept { return false; }
    // Sends a message from where it lies, when nothing waits before it: `begun`, what the queue has of it,
    // not committed, and its last frame. Only by the thread that writes the queue.
    [[nodiscard]] virtual direct_write_status through(transport::stream &, byte_range,
                                                      const outgoing_frame &) noexcept {
        return direct_write_status::untouched;
    }
    // A whole frame that goes out as soon as it may.
    void command(zmtp::byte_view frame) { commands_.insert(commands_.end(), frame.begin(), frame.end()); }
    // A message that the peer receives before those of the queue.
    void greet(zmtp::framing framing, std::string_view hello);
    [[nodiscard]] std::size_t commands_waiting() const noexcept { return commands_.size(); }
    // Something was taken from the queue, or never was in it, and has not been sent.
    [[nodiscard]] virtual bool holds_bytes() const noexcept { return false; }
    // The connection is lost: what the peer cannot have received whole stays in the queue.
    virtual void rewind() noexcept = 0;

  protected:
    // The end of a turn in which the stream did not take all.
    [[nodiscard]] static write_status waiting(transport::io_status status) noexcept {
        return status == transport::io_status::again ? write_status::wait : write_status::closed;
    }
    // A frame as the peer takes it: `prefix` goes before the body.
    struct peer_frame {
        std::uint8_t flags = 0;
        zmtp::byte_view prefix;
        zmtp::byte_view body;
    };
    // To peers before 3.1 a subscription is a message of one byte and the topic; JOIN and LEAVE are commands
    // to all. None: it is not for the peer.
    [[nodiscard]] static std::optional<peer_frame> as_taken(const incoming_frame &frame,
                                                            bool subscribes_by_command) noexcept;
    static void append_header(zmtp::byte_buffer &to, zmtp::framing framing, std::uint8_t flags,
                              std::uint64_t size);
    // Sends what is left of `bytes` from `sent` on; both are reset when all is gone.
    static transport::io_status send_all(transport::stream &to, zmtp::byte_buffer &bytes, std::size_t &sent);

    zmtp::byte_buffer commands_;
    std::size_t commands_sent_ = 0;
};

// ZMTP 3: the queue's bytes are the wire's.
class vectored_writer final : public frame_writer {
  public:
    explicit vectored_writer(pipe_end &end) noexcept : end_(end), cursor_(end.in()) {
        end.in().expect_busy();
    }

    [[nodiscard]] write_status turn(transport::stream &to) override;
    [[nodiscard]] bool write_on_lease(transport::stream &to) noexcept override;
    direct_write_status through(transport::stream &to, byte_range begun,
                                const outgoing_frame &frame) noexcept override;
    void rewind() noexcept override { cursor_.rewind(); }

  private:
    [[nodiscard]] write_status write(transport::stream &to, std::size_t &sent);
    void keep_rest(const outgoing_frame &frame, std::size_t sent) noexcept;

    pipe_end &end_;
    write_cursor cursor_;
    bool broken_ = false; // part of a message is sent, and there was no memory to keep the rest
};

// Everything else is encoded frame by frame: older peers, queues that drop the oldest.
class encoding_writer final : public frame_writer {
  public:
    encoding_writer(pipe_end &end, zmtp::framing framing, bool subscribes_by_command) noexcept
        : end_(end), framing_(framing), subscribes_by_command_(subscribes_by_command) {}

    [[nodiscard]] write_status turn(transport::stream &to) override;
    [[nodiscard]] bool holds_bytes() const noexcept override { return !encoded_.empty(); }
    // Encoded bytes are lost with the connection; the next one begins with a whole message.
    void rewind() noexcept override;

  private:
    void encode(const incoming_frame &frame);

    pipe_end &end_;
    zmtp::framing framing_;
    bool subscribes_by_command_;
    bool in_message_ = false; // the queue's: committing is atomic, so the rest is there
    zmtp::byte_buffer encoded_;
    std::size_t encoded_sent_ = 0;
};

} // namespace zlink::connections
