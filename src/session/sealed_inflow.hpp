// SPDX-License-Identifier: MPL-2.0
// sealed_inflow: from a stream whose frames are sealed (CURVE) into the inbound lane of a pipe.
//
// Threads, ownership: see inflow.hpp. Frames are received into a buffer that lives as long as there is
// something in it, so that a quiet connection holds none; small bodies are opened on their way to the lane,
// large ones where they lie, in a buffer of their own that the lane takes over. A frame that does not open
// ends the connection, and nothing of it is published.
#pragma once

#include "session/inflow.hpp"
#include "zmtp/frame_cipher.hpp"

namespace zlink::session {

class sealed_inflow final : public inflow {
  public:
    sealed_inflow(pipe_end &end, inflow_rules rules, command_handler &handler,
                  zmtp::frame_cipher &cipher) noexcept
        : end_(end), rules_(rules), handler_(handler), cipher_(cipher) {}
    ~sealed_inflow() override { drop_buffers(); }

    void begin(zmtp::byte_view early) override;
    [[nodiscard]] inflow_status turn(transport::stream &from, reader_place reader) override;
    void reset() noexcept override;

  private:
    using opened_frame = zmtp::frame_cipher::opened_frame;

    [[nodiscard]] inflow_status take_turn(transport::stream &from, reader_place reader);
    [[nodiscard]] inflow_status walk(reader_place reader);
    [[nodiscard]] step walk_frame(reader_place reader);
    [[nodiscard]] step begin_large(const zmtp::frame_header &header);
    [[nodiscard]] step finish_large();
    [[nodiscard]] step take_small(zmtp::byte_view sealed);
    [[nodiscard]] step take(const opened_frame &frame, buffer *owner);
    [[nodiscard]] step take_command(const opened_frame &frame);
    [[nodiscard]] step write(const opened_frame &frame, buffer *owner);
    [[nodiscard]] bool make_room() noexcept;
    void drop_buffers() noexcept;

    pipe_end &end_;
    inflow_rules rules_;
    command_handler &handler_;
    zmtp::frame_cipher &cipher_;
    bool reader_sleeps_ = false; // and has to be notified
    buffer *received_ = nullptr; // its bytes from begin_ to filled_ are not yet taken
    std::size_t begin_ = 0;
    std::size_t filled_ = 0;
    bool busy_ = false;       // the last receive filled it
    buffer *large_ = nullptr; // a body that is being received
    std::size_t large_filled_ = 0;
    reply_envelope envelope_; // if only replies are taken
    zmtp::byte_buffer early_;
};

} // namespace zlink::session
