// SPDX-License-Identifier: MPL-2.0
// frame reader: from a stream into the inbound queue of a pipe.
//
// Threads: one at a time, see connection_io. Ownership: borrows the pipe end and the ping responder.
// One turn is bounded, so that no connection starves the others. Reaching the high-water mark stops reading
// from the network: that is the back-pressure. Nothing of an invalid frame is committed.
#pragma once

#include <memory>

#include "connections/ping_responder.hpp"
#include "connections/reply_envelope.hpp"
#include "message/frame_header.hpp"
#include "pipe/pipe.hpp"
#include "queue/message_queue.hpp"
#include "queue/queue_writer.hpp"
#include "transport/stream.hpp"
#include "zmtp/command.hpp"
#include "zmtp/legacy_frames.hpp"

namespace zlink::connections {

enum class read_status : std::uint8_t { wait, again, paused, closed, malformed, oversize, no_memory };

// The thread that runs the frame reader. With io_thread the queue's reader is another thread: it is notified
// of messages, and says when there is room again. With caller it is this thread, which looks by itself. With
// caller_group this thread serves many connections, and the reader is notified as with io_thread.
enum class run_by : std::uint8_t { io_thread, caller, caller_group };

struct read_rules {
    bool takes_subscriptions = false;   // SUBSCRIBE, CANCEL, JOIN, LEAVE go to the socket
    std::int64_t max_message_size = -1; // bytes of one frame, of a command too; -1: any
    bool takes_replies = false;         // and nothing else: REQ

    [[nodiscard]] bool refuses(std::uint64_t size) const noexcept {
        return size > static_cast<std::uint64_t>(max_message_size); // -1 is above every size
    }
};

class frame_reader {
  public:
    // Bytes of one turn, for a reader here and for one beside: the cache still has them when they are read.
    static constexpr std::size_t turn_bytes_here = 64 * 1024;
    static constexpr std::size_t turn_bytes_beside = 16 * 1024;

    virtual ~frame_reader() = default;
    // Bytes that came together with the end of the handshake. To be followed by turn().
    virtual void begin(zmtp::byte_view early) = 0;
    // Takes what the stream has, for one turn.
    [[nodiscard]] virtual read_status turn(transport::stream &from, run_by reader) = 0;
    // See receive_window.
    virtual void post_receive(const posted_buffer &) noexcept {}
    virtual bool end_receive() noexcept { return false; }
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
    [[nodiscard]] static read_status status_after(step last) noexcept;
    static std::size_t bytes_of_turn(run_by reader);
    // The queue is full. Returns false if its reader made room meanwhile.
    static bool pauses(queue_writer &target, run_by reader) noexcept {
        return reader == run_by::caller || target.prepare_wait_room();
    }

    bool active_ = false;
};

// ZMTP 3: the queue's bytes are the wire's.
class plain_reader final : public frame_reader {
  public:
    // `target`: the end's own queue, or another one that its user reads.
    plain_reader(pipe_end &end, queue_writer &target, read_rules rules, ping_responder &pings) noexcept
        : end_(end), target_(target),
          window_(target, &target == &end.out() ? &end.other().posted().placed : nullptr), rules_(rules),
          pings_(pings) {}

    void begin(zmtp::byte_view early) override;
    [[nodiscard]] read_status turn(transport::stream &from, run_by reader) override;
    void post_receive(const posted_buffer &posted) noexcept override { window_.post_receive(posted); }
    bool end_receive() noexcept override { return window_.end_receive(); }
    void reset() noexcept override {
        window_.reset();
        envelope_.reset();
        to_discard_ = 0;
    }

  private:
    transport::io_result receive(transport::stream &from, const receive_window::room &room);
    transport::io_result take_early(const receive_window::room &room);
    read_status take_turn(transport::stream &from, run_by reader);
    read_status walk(run_by reader);
    bool accept_messages();
    step walk_frame(run_by reader);
    // In line: of two callers, one is the loop over small frames.
    [[gnu::always_inline]] inline step walk_message(const frame_header &header, run_by reader);
    step take_command(const frame_header &header, run_by reader);
    [[gnu::noinline]] step walk_command(const frame_header &header, run_by reader);
    step walk_ping(const frame_header &header, const zmtp::command &command);
    step discard(std::uint64_t size);
    void commit(run_by reader);

    pipe_end &end_;
    queue_writer &target_;
    receive_window window_;
    read_rules rules_;
    ping_responder &pings_;
    bool reader_sleeps_ = false;   // and has to be notified
    std::size_t frame_size_ = 0;   // of the frame at the front, as far as it is known
    std::uint64_t to_discard_ = 0; // bytes of a command that have not arrived
    reply_envelope envelope_;      // if only replies are taken
    zmtp::byte_buffer early_;
};

// ZMTP 3 into a queue that drops the oldest: by way of a queue of its own.
class keeping_reader final : public frame_reader {
  public:
    keeping_reader(pipe_end &end, read_rules rules, ping_responder &pings) noexcept
        : end_(end), frames_(end, passing_.writer(), rules, pings) {}

    void begin(zmtp::byte_view early) override { frames_.begin(early); }
    [[nodiscard]] read_status turn(transport::stream &from, run_by reader) override;
    void reset() noexcept override { frames_.reset(); }

  private:
    pipe_end &end_;
    message_queue passing_;
    plain_reader frames_;
};

// ZMTP 1.0 and 2.0: frame by frame.
class legacy_reader final : public frame_reader {
  public:
    legacy_reader(pipe_end &end, read_rules rules, zmtp::legacy_decoder::header_parser parser) noexcept
        : end_(end), rules_(rules), decoder_(parser) {}

    void begin(zmtp::byte_view early) override { pending_.assign(early.begin(), early.end()); }
    [[nodiscard]] read_status turn(transport::stream &from, run_by reader) override;
    void reset() noexcept override;

  private:
    read_status take_pending(run_by reader);
    [[nodiscard]] bool take_piece(const zmtp::frame_piece &piece);

    pipe_end &end_;
    read_rules rules_;
    zmtp::legacy_decoder decoder_;
    zmtp::byte_buffer pending_; // received, not decoded
    zmtp::byte_buffer frame_;   // of the frame being decoded
    reply_envelope envelope_;   // if only replies are taken
    bool in_message_ = false;
};

} // namespace zlink::connections
