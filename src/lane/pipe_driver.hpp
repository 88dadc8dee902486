// SPDX-License-Identifier: MPL-2.0
// pipe_driver: the work of a connection that the application's thread may do itself instead of waking an I/O
// thread for it (caller-runs I/O): write what was published, read what has come.
//
// Threads: whoever holds the seat's token. The I/O thread waits for it, which is short: one turn of a
// connection. An application thread takes it only when it is free, or to read a stream that was handed to it.
// Ownership: a pipe has the seat; a connection sits on it while it serves the pipe. Every `calls` is a set of
// pipe_event bits for the session: what is left for it to do.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/token.hpp"
#include "lane/chunk.hpp"
#include "lane/frame_view.hpp"

namespace zlink {

// Result of a direct write: nothing happened; all is sent; or the stream took a part. Then the lane has the
// rest, or memory is short and the connection ends.
enum class through_status : std::uint8_t { untouched, done, cut_short };

class pipe_driver {
  public:
    // Writes what is published.
    [[nodiscard]] virtual std::uint32_t write_out() noexcept = 0;
    // Writes a message that ends with this frame from where it lies, when nothing waits before it; `begun`
    // are its frames before, as they lie in the lane.
    [[nodiscard]] virtual through_status write_through(byte_range begun,
                                                       const outgoing_frame &frame) noexcept = 0;
    // After one that was cut short: for the rest of it.
    [[nodiscard]] virtual std::uint32_t goes_on() noexcept = 0;

    // Writes some of what is published in place of the I/O thread, which may be in the middle of it: from the
    // first call (`begins`) until end_relief(), or until the I/O thread takes it back: then false.
    [[nodiscard]] virtual bool relieve(bool begins) noexcept = 0;
    [[nodiscard]] virtual std::uint32_t end_relief() noexcept = 0;

    // Is the stream the application's to read?
    [[nodiscard]] virtual bool handed_over() const noexcept = 0;
    // Reads what has come, when it is.
    [[nodiscard]] virtual std::uint32_t read_in() noexcept = 0;
    // The thread is going to sleep: what is to be watched for readability; -1: the stream is not the
    // application's, and was asked for.
    [[nodiscard]] virtual int begin_wait(std::uint32_t &calls) noexcept = 0;
    [[nodiscard]] virtual std::uint32_t end_wait() noexcept = 0;
    // Where the body of the next message is wanted; until settle(), which returns true if the beginning of
    // one is there.
    virtual void offer(const landing_place &landing) noexcept = 0;
    virtual bool settle() noexcept = 0;
    // The application does not go on reading.
    [[nodiscard]] virtual std::uint32_t give_back() noexcept = 0;

  protected:
    ~pipe_driver() = default;
};

// Place for the body of a message that a thread awaits from another thread of the process.
struct awaited_body {
    landing_place place;
    lane_detail::landed_body landed{};
};

// Counts of messages to a stream, see pipe_end::note_sent().
struct sent_halves {
    std::uint64_t direct = 0; // messages that did not pass through the lane
    std::uint64_t last = 0;   // all messages, at the newest half of the high-water mark
    std::uint64_t next = 0;   // and at the one that follows
};

struct driver_seat {
    zlink::token token;
    pipe_driver *driver = nullptr;   // guarded
    lane_detail::landed_body landed; // guarded
    sent_halves halves;              // guarded
};

} // namespace zlink
