// SPDX-License-Identifier: MPL-2.0
// encrypted_writer: from the outbound queue of a pipe into a stream whose frames are sealed (CURVE).
//
// Threads, ownership: see frame writer.hpp. Frames are sealed from the queue into buffers, as many as make a
// batch, and written gathered; a quiet connection holds no buffer. Sealed bytes are lost with the connection:
// its successor has other keys.
#pragma once

#include <array>

#include "connections/frame_writer.hpp"
#include "zmtp/frame_cipher.hpp"

namespace zlink::connections {

class encrypted_writer final : public frame_writer {
  public:
    // `first`: bytes that go out before everything else, as they are (the end of the handshake).
    encrypted_writer(pipe_end &end, zmtp::frame_cipher &cipher, bool subscribes_by_command,
                     zmtp::byte_view first)
        : end_(end), cipher_(cipher), subscribes_by_command_(subscribes_by_command),
          first_(first.begin(), first.end()) {}
    ~encrypted_writer() override { drop_batch(); }

    [[nodiscard]] write_status turn(transport::stream &to) override;
    [[nodiscard]] direct_write_status through(transport::stream &to, byte_range begun,
                                              const outgoing_frame &frame) noexcept override;
    [[nodiscard]] bool holds_bytes() const noexcept override { return buffers_ != 0 || !first_.empty(); }
    void rewind() noexcept override;

  private:
    static constexpr std::size_t most_buffers = 8;
    struct filled_buffer {
        buffer *bytes;
        std::size_t filled;
    };

    [[nodiscard]] bool fill(std::size_t most);
    [[nodiscard]] bool seal_commands();
    [[nodiscard]] bool seal(const incoming_frame &frame);
    [[nodiscard]] bool seal(std::uint8_t flags, zmtp::byte_view body) noexcept;
    [[nodiscard]] std::uint8_t *room_for(std::size_t bytes) noexcept;
    [[nodiscard]] transport::io_status send_batch(transport::stream &to);
    void drop_batch() noexcept;

    pipe_end &end_;
    zmtp::frame_cipher &cipher_;
    bool subscribes_by_command_;
    bool in_message_ = false; // the queue's: committing is atomic, so the rest is there
    zmtp::byte_buffer first_;
    std::size_t first_sent_ = 0;
    std::array<filled_buffer, most_buffers> batch_{};
    std::size_t buffers_ = 0; // of the batch
    std::size_t sealed_ = 0;  // bytes in them
    std::size_t sent_ = 0;    // of these
};

} // namespace zlink::connections
