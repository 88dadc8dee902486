// SPDX-License-Identifier: MPL-2.0
// sealed_outflow: from the outbound lane of a pipe into a stream whose frames are sealed (CURVE).
//
// Threads, ownership: see outflow.hpp. Frames are sealed from the lane into buffers, as many as make a batch,
// and written gathered; a quiet connection holds no buffer. Sealed bytes are lost with the connection: its
// successor has other keys.
#pragma once

#include <array>

#include "session/outflow.hpp"
#include "zmtp/frame_cipher.hpp"

namespace zlink::session {

class sealed_outflow final : public outflow {
  public:
    // `first`: bytes that go out before everything else, as they are (the end of the handshake).
    sealed_outflow(pipe_end &end, zmtp::frame_cipher &cipher, bool subscribes_by_command,
                   zmtp::byte_view first)
        : end_(end), cipher_(cipher), subscribes_by_command_(subscribes_by_command),
          first_(first.begin(), first.end()) {}
    ~sealed_outflow() override { drop_batch(); }

    [[nodiscard]] outflow_status turn(transport::stream &to) override;
    [[nodiscard]] through_status through(transport::stream &to, byte_range begun,
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
    bool in_message_ = false; // the lane's: publishing is atomic, so the rest is there
    zmtp::byte_buffer first_;
    std::size_t first_sent_ = 0;
    std::array<filled_buffer, most_buffers> batch_{};
    std::size_t buffers_ = 0; // of the batch
    std::size_t sealed_ = 0;  // bytes in them
    std::size_t sent_ = 0;    // of these
};

} // namespace zlink::session
