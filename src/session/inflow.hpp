// SPDX-License-Identifier: MPL-2.0
// inflow: from a stream into the inbound lane of a pipe.
//
// Threads: one at a time, see shared_stream. Ownership: borrows the pipe end and the handler.
// One turn is bounded, so that no connection starves the others. Reaching the high-water mark stops reading
// from the network: that is the back-pressure. Nothing of an invalid frame is published.
#pragma once

#include <memory>

#include "lane/intake.hpp"
#include "lane/pipe.hpp"
#include "session/reply_envelope.hpp"
#include "transport/stream.hpp"
#include "zmtp/command.hpp"
#include "zmtp/frame.hpp"
#include "zmtp/legacy_frames.hpp"

namespace zlink::session {

enum class inflow_status : std::uint8_t { wait, again, paused, closed, malformed, oversize, no_memory };

// Where the reader of the lane is: in another thread, which is told when something came and says when there
// is room again, or in this one, which looks by itself; or beside one that looks after many, and is told as
// if it was elsewhere.
enum class reader_place : std::uint8_t { elsewhere, here, beside };

// Takes the commands that are not messages.
class command_handler {
  public:
    virtual void on_ping(const zmtp::ping &received) = 0;

  protected:
    ~command_handler() = default;
};

struct inflow_rules {
    bool takes_subscriptions = false;   // SUBSCRIBE, CANCEL, JOIN, LEAVE go to the socket
    std::int64_t max_message_size = -1; // bytes of one frame, of a command too; -1: any
    bool takes_replies = false;         // and nothing else: REQ

    [[nodiscard]] bool refuses(std::uint64_t size) const noexcept {
        return size > static_cast<std::uint64_t>(max_message_size); // -1 is above every size
    }
};

class inflow {
  public:
    // Bytes of one turn, for a reader here and for one beside: the cache still has them when they are read.
    static constexpr std::size_t turn_bytes_here = 64 * 1024;
    static constexpr std::size_t turn_bytes_beside = 16 * 1024;

    virtual ~inflow() = default;
    // Bytes that came together with the end of the handshake. To be followed by turn().
    virtual void begin(zmtp::byte_view early) = 0;
    // Takes what the stream has, for one turn.
    [[nodiscard]] virtual inflow_status turn(transport::stream &from, reader_place reader) = 0;
    // See lane_intake.
    virtual void offer(const landing_place &) noexcept {}
    virtual bool settle() noexcept { return false; }
    // The connection ended, and not by us. reset() follows.
    virtual void lost() noexcept {}
    // It is over.
    virtual void reset() noexcept = 0;
    // True once after bytes were received.
    [[nodiscard]] bool take_activity() noexcept { return std::exchange(active_, false); }

  protected:
    // Result for the frame at the front.
    enum class step : std::uint8_t { next, incomplete, paused, malformed, oversize, no_memory };

    // Returns the status of a turn whose walk over frames ended with `last`.
    [[nodiscard]] static inflow_status status_after(step last) noexcept;
    static std::size_t bytes_of_turn(reader_place reader);
    // The lane is full. Returns false if its reader made room meanwhile.
    static bool pauses(lane &target, reader_place reader) noexcept {
        return reader == reader_place::here || target.try_wait();
    }

    bool active_ = false;
};

// ZMTP 3: the lane's bytes are the wire's.
class frame_inflow final : public inflow {
  public:
    // `target`: the end's own lane, or another one that its user reads.
    frame_inflow(pipe_end &end, lane &target, inflow_rules rules, command_handler &handler) noexcept
        : end_(end), target_(target), intake_(target, &target == &end.out() ? &end.seat().landed : nullptr),
          rules_(rules), handler_(handler) {}

    void begin(zmtp::byte_view early) override;
    [[nodiscard]] inflow_status turn(transport::stream &from, reader_place reader) override;
    void offer(const landing_place &landing) noexcept override { intake_.offer(landing); }
    bool settle() noexcept override { return intake_.settle(); }
    void reset() noexcept override {
        intake_.reset();
        envelope_.reset();
        to_discard_ = 0;
    }

  private:
    transport::io_result receive(transport::stream &from, const lane_intake::room &room);
    transport::io_result take_early(const lane_intake::room &room);
    inflow_status take_turn(transport::stream &from, reader_place reader);
    inflow_status walk(reader_place reader);
    bool accept_messages();
    step walk_frame(reader_place reader);
    // In line: of two callers, one is the loop over small frames.
    [[gnu::always_inline]] inline step walk_message(const zmtp::frame_header &header, reader_place reader);
    [[gnu::noinline]] step walk_command(const zmtp::frame_header &header, reader_place reader);
    step walk_ping(const zmtp::frame_header &header, const zmtp::command &command);
    step discard(std::uint64_t size);
    void publish(reader_place reader);

    pipe_end &end_;
    lane &target_;
    lane_intake intake_;
    inflow_rules rules_;
    command_handler &handler_;
    bool reader_sleeps_ = false;   // and has to be notified
    std::size_t frame_size_ = 0;   // of the frame at the front, as far as it is known
    std::uint64_t to_discard_ = 0; // bytes of a command that have not arrived
    reply_envelope envelope_;      // if only replies are taken
    zmtp::byte_buffer early_;
};

// ZMTP 3 into a conflating lane, which holds one message: by way of a lane of its own.
class conflating_inflow final : public inflow {
  public:
    conflating_inflow(pipe_end &end, inflow_rules rules, command_handler &handler) noexcept
        : end_(end), frames_(end, passing_, rules, handler) {}

    void begin(zmtp::byte_view early) override { frames_.begin(early); }
    [[nodiscard]] inflow_status turn(transport::stream &from, reader_place reader) override;
    void reset() noexcept override { frames_.reset(); }

  private:
    pipe_end &end_;
    lane passing_;
    frame_inflow frames_;
};

// ZMTP 1.0 and 2.0: frame by frame.
class legacy_inflow final : public inflow {
  public:
    legacy_inflow(pipe_end &end, inflow_rules rules, zmtp::legacy_decoder::header_parser parser) noexcept
        : end_(end), rules_(rules), decoder_(parser) {}

    void begin(zmtp::byte_view early) override { pending_.assign(early.begin(), early.end()); }
    [[nodiscard]] inflow_status turn(transport::stream &from, reader_place reader) override;
    void reset() noexcept override;

  private:
    inflow_status take_pending(reader_place reader);
    [[nodiscard]] bool take_piece(const zmtp::frame_piece &piece);

    pipe_end &end_;
    inflow_rules rules_;
    zmtp::legacy_decoder decoder_;
    zmtp::byte_buffer pending_; // received, not decoded
    zmtp::byte_buffer frame_;   // of the frame being decoded
    reply_envelope envelope_;   // if only replies are taken
    bool in_message_ = false;
};

} // namespace zlink::session
