// SPDX-License-Identifier: MPL-2.0
// shared_stream: a connection's stream in traffic, with the machines that move its bytes. The work on it is
// done by the connection's I/O thread, or by the application's thread instead (caller-runs I/O).
//
// A sender that is far ahead of the I/O thread writes in its place (relief): the I/O thread then only looks,
// every relief_look, whether the sender still comes, and takes the writing back when it does not, or after
// some looks in any case: where there are processors enough, both at work together may be better.
//
// Threads: what is marked so by the I/O thread; the functions of pipe_driver by who holds the token of the
// pipe's seat, which the others take themselves. Ownership: borrows the stream and the pipe end. The I/O
// thread alone decides who reads: it hands the stream over when the application asks for it, and takes it
// back when the application says so or stays away. While the stream is handed over the event loop does not
// listen to it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/socket_options.hpp"
#include "lane/pipe.hpp"
#include "session/custody.hpp"
#include "session/inflow.hpp"
#include "session/outflow.hpp"
#include "zmtp/handshake.hpp"

namespace zlink::session {

class shared_stream final : public pipe_driver, private command_handler {
  public:
    // The I/O thread's, as all up to the next mark. `early`: bytes that came with the end of the handshake,
    // `late`: those of it that are still to be sent. `cipher`: what traffic is sealed with; null: it is not.
    shared_stream(transport::stream &stream, pipe_end &end, const zmtp::peer_info &peer,
                  const socket_options &options, std::unique_ptr<zmtp::frame_cipher> cipher,
                  zmtp::byte_view early, zmtp::byte_view late);
    // From now on the application's thread may come.
    void open() noexcept;
    // It comes no more; what is in the middle is given up, see inflow and outflow.
    void close() noexcept;
    // Before it: the connection ended, and not by us.
    void lost() noexcept;

    // Turns of the two machines; want of memory is theirs to say.
    [[nodiscard]] inflow_status take_in() noexcept;
    [[nodiscard]] outflow_status give_out() noexcept;
    // Nothing is published that was not sent, also when the news of it are still on their way.
    [[nodiscard]] bool all_sent() const noexcept;
    // Is as much published as is to be written at once (ZMQ_ASIO_MIN_OUT_BATCH)?
    [[nodiscard]] bool fills_batch() const;
    // A whole frame of the connection itself. Throws std::bad_alloc.
    void command(zmtp::byte_view frame);
    // True once after bytes came.
    [[nodiscard]] bool take_activity() noexcept;
    // The TTL of a PING that came since the last call. Its PONG waits to be sent.
    [[nodiscard]] std::optional<std::uint16_t> take_ping() noexcept;

    // To be asked as often as said while give_out() is answered with `relieved`. Returns false if the sender
    // has stayed away, or has had its time: call give_out() again.
    static constexpr std::chrono::microseconds relief_look{400};
    [[nodiscard]] bool still_relieved() noexcept;
    void take_back_writing() noexcept;

    [[nodiscard]] pipe_end &end() noexcept { return end_; }
    [[nodiscard]] bool asked_for() const noexcept;
    [[nodiscard]] bool is_handed_over() const noexcept { return custody_.handed_over(); }
    void hand_over() noexcept;
    // Returns false if the system refused; the stream is closed then.
    [[nodiscard]] bool take_back() noexcept;
    // Out of a set, into the event loop. Returns false if the system refused; the stream is closed then.
    [[nodiscard]] bool listen() noexcept;
    // See custody.
    [[nodiscard]] custody_look look_after() noexcept;
    // It is handed over as one of many or not at all (see stream_set), or this is over.
    void join_set(bool on) noexcept;

    // ---- who holds the token
    std::uint32_t write_out() noexcept override;
    through_status write_through(byte_range begun, const outgoing_frame &frame) noexcept override;
    std::uint32_t goes_on() noexcept override { return relieved_ ? 0 : pipe_event::readable; }
    bool relieve(bool begins) noexcept override;
    std::uint32_t end_relief() noexcept override;
    bool handed_over() const noexcept override { return custody_.kept(); }
    std::uint32_t read_in() noexcept override;
    int begin_wait(std::uint32_t &calls) noexcept override;
    std::uint32_t end_wait() noexcept override;
    void offer(const landing_place &landing) noexcept override { inflow_->offer(landing); }
    bool settle() noexcept override { return inflow_->settle(); }
    std::uint32_t give_back() noexcept override;

  private:
    [[nodiscard]] inflow_status turn_in(reader_place reader) noexcept;
    [[nodiscard]] outflow_status turn_out() noexcept;
    void on_ping(const zmtp::ping &received) override;
    void forget_unsent() noexcept;

    transport::stream &stream_;
    pipe_end &end_;
    const bool tells_anew_; // the socket tells the next publisher everything: nothing is left for that
    std::unique_ptr<zmtp::frame_cipher> cipher_;
    std::unique_ptr<inflow> inflow_; // this and all below: guarded by the token
    std::unique_ptr<outflow> outflow_;
    std::optional<std::uint16_t> ping_ttl_;
    bool relieved_ = false;
    int relief_looks_left_ = 0;
    std::uint32_t reliefs_ = 0; // calls of relieve()
    std::uint32_t reliefs_seen_ = 0;
    custody custody_;
    bool in_set_ = false;
    bool closed_ = false;
};

} // namespace zlink::session
