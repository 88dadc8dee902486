// SPDX-License-Identifier: MPL-2.0
// encrypted_reader: from a stream whose frames are encrypted (CURVE) into the inbound queue of a pipe.
//
// Threads, ownership: see frame_reader.hpp. Frames are received into a buffer that lives as long as there is
// something in it, so a quiet connection holds none. Small bodies are decrypted on their way to the queue.
// Large ones are decrypted in place, in a buffer of their own that the queue takes over. A frame that does
// not open ends the connection, and nothing of it is committed. Behind a full queue one small frame is opened
// ahead, as it may be a PING.
#pragma once

#include "connections/frame_reader.hpp"
#include "zmtp/frame_cipher.hpp"

namespace zlink::connections {

class encrypted_reader final : public frame_reader {
  public:
    encrypted_reader(pipe_end &end, read_rules rules, ping_responder &pings,
                     zmtp::frame_cipher &cipher) noexcept
        : end_(end), rules_(rules), pings_(pings), cipher_(cipher) {}
    ~encrypted_reader() override { drop_buffers(); }

    void begin(zmtp::byte_view early) override;
    [[nodiscard]] read_status turn(transport::stream &from, run_by reader) override;
    void reset() noexcept override;

  private:
    using opened_frame = zmtp::frame_cipher::opened_frame;

    [[nodiscard]] read_status take_turn(transport::stream &from, run_by reader);
    [[nodiscard]] read_status walk(run_by reader);
    [[nodiscard]] step walk_frame(run_by reader);
    [[nodiscard]] step begin_large(const frame_header &header);
    [[nodiscard]] step finish_large();
    [[nodiscard]] step take_small(zmtp::byte_view sealed);
    [[nodiscard]] step take(const opened_frame &frame, buffer *owner);
    [[nodiscard]] step take_command(const opened_frame &frame);
    [[nodiscard]] bool is_full(run_by reader) noexcept;
    [[nodiscard]] step hold(const opened_frame &frame) noexcept;
    [[nodiscard]] step give_held(run_by reader);
    [[nodiscard]] step write(const opened_frame &frame, buffer *owner);
    [[nodiscard]] bool make_room() noexcept;
    void drop_buffers() noexcept;

    pipe_end &end_;
    read_rules rules_;
    ping_responder &pings_;
    zmtp::frame_cipher &cipher_;
    bool reader_sleeps_ = false; // and has to be notified
    buffer *received_ = nullptr; // its bytes from begin_ to filled_ are not yet taken
    std::size_t begin_ = 0;
    std::size_t filled_ = 0;
    bool busy_ = false;       // the last receive filled it
    buffer *large_ = nullptr; // a body that is being received
    std::size_t large_filled_ = 0;
    bool full_ = false;      // the queue, when the frame that is taken came
    buffer *held_ = nullptr; // the body of a frame that waits for room
    std::uint8_t held_flags_ = 0;
    reply_envelope envelope_; // if only replies are taken
    zmtp::byte_buffer early_;
};

} // namespace zlink::connections
