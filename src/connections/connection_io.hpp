// SPDX-License-Identifier: MPL-2.0
// connection_io: a connection's stream in traffic, with the machines that move its bytes. The work on it is
// done by the connection's I/O thread, or by the application's thread instead (caller-runs I/O).
//
// A sender that is throttled writes in place of the I/O thread (write lease). The I/O thread then only checks
// every write_lease_check whether the sender still writes. It revokes the lease when the sender does not, and
// after some checks in any case. With enough processors it may be better that both work at the same time.
//
// Threads: the I/O thread calls the functions that are marked so. The holder of the mutex of the pipe's
// stream slot calls those of stream_io. The other functions take that mutex themselves. Ownership: borrows
// the stream and the pipe end. The I/O thread alone decides who reads. It grants the read lease when the
// application asks for it. It revokes it when the application releases it or stays away. While the stream is
// leased the event loop does not listen to it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/socket_options.hpp"
#include "connections/frame_reader.hpp"
#include "connections/frame_writer.hpp"
#include "direct_io/lease.hpp"
#include "pipe/pipe.hpp"
#include "zmtp/handshake.hpp"

namespace zlink::connections {

class connection_io final : public stream_io {
  public:
    // The I/O thread's, as all up to the next mark. `early`: bytes that came with the end of the handshake,
    // `late`: those of it that are still to be sent. `cipher`: what traffic is sealed with; null: it is not.
    connection_io(transport::stream &stream, pipe_end &end, const zmtp::peer_info &peer,
                  const socket_options &options, std::unique_ptr<zmtp::frame_cipher> cipher,
                  zmtp::byte_view early, zmtp::byte_view late);
    // From now on the application's thread may come.
    void open() noexcept;
    // It comes no more; what is in the middle is given up, see frame reader and frame writer.
    void close() noexcept;
    // Before it: the connection ended, and not by us.
    void lost() noexcept;

    // Turns of the two machines; want of memory is theirs to say.
    [[nodiscard]] read_status read_some() noexcept;
    [[nodiscard]] write_status write_some() noexcept;
    // Nothing is committed that was not sent, also when the news of it are still on their way.
    [[nodiscard]] bool all_sent() const noexcept;
    // Does a layer of the stream hold bytes that the system has not taken?
    [[nodiscard]] bool holds_output() const noexcept;
    // Is as much committed as is to be written at once (ZMQ_ASIO_MIN_OUT_BATCH)?
    [[nodiscard]] bool fills_batch() const;
    // A whole frame of the connection itself. Throws std::bad_alloc.
    void command(zmtp::byte_view frame);
    // True once after bytes came.
    [[nodiscard]] bool take_activity() noexcept;
    // The TTL of a PING that came since the last call. Its PONG waits to be sent.
    [[nodiscard]] std::optional<std::uint16_t> take_ping() noexcept;

    // To be asked as often as said while write_some() is answered with `leased`. Returns false if the sender
    // has stayed away, or has had its time: call write_some() again.
    static constexpr std::chrono::microseconds write_lease_check{400};
    [[nodiscard]] bool write_lease_in_use() noexcept;
    void revoke_write_lease() noexcept;

    [[nodiscard]] pipe_end &end() noexcept { return end_; }
    // Has the stream bytes that were read ahead? In a poll group the application may be reading it.
    [[nodiscard]] bool has_buffered() const noexcept;
    [[nodiscard]] bool asked_for() const noexcept;
    [[nodiscard]] bool is_leased() const noexcept { return read_lease_.is_granted(); }
    void grant_lease() noexcept;
    // Returns false if the system refused; the stream is closed then.
    [[nodiscard]] bool revoke_lease() noexcept;
    // Out of a set, into the event loop. Returns false if the system refused; the stream is closed then.
    [[nodiscard]] bool listen() noexcept;
    // To be called every lease::check_ms while it answers `in_use`.
    [[nodiscard]] direct_io::lease_use check_read_lease() noexcept;
    // It is leased as one of many or not at all (see poll_group), or this is over.
    void join_poll_group(bool on) noexcept;

    // ---- who holds the mutex
    std::uint32_t write_out() noexcept override;
    direct_write_status write_direct(byte_range begun, const outgoing_frame &frame) noexcept override;
    std::uint32_t goes_on() noexcept override { return write_lease_.is_held() ? 0 : pipe_event::readable; }
    bool write_on_lease(bool begins) noexcept override;
    std::uint32_t end_write_lease() noexcept override;
    bool leased() const noexcept override { return read_lease_.is_held(); }
    std::uint32_t read_in() noexcept override;
    int begin_wait(std::uint32_t &calls) noexcept override;
    std::uint32_t end_wait() noexcept override;
    bool watch_in(int epoll, bool asks, std::uint32_t &calls) noexcept override;
    void post_receive(const posted_buffer &posted) noexcept override { reader_->post_receive(posted); }
    bool end_receive() noexcept override { return reader_->end_receive(); }
    std::uint32_t release_lease() noexcept override;

  private:
    [[nodiscard]] read_status read_turn(run_by reader) noexcept;
    [[nodiscard]] write_status write_turn() noexcept;
    [[gnu::noinline, gnu::cold]] direct_write_status write_with_layer(byte_range begun,
                                                                      const outgoing_frame &frame) noexcept;
    [[gnu::noinline, gnu::cold]] std::uint32_t read_on_through_layer(run_by reader, std::uint64_t before,
                                                                     read_status &status) noexcept;

    transport::stream &stream_;
    pipe_end &end_;
    const bool tells_anew_; // the socket tells the next publisher everything: nothing is left for that
    std::unique_ptr<zmtp::frame_cipher> cipher_;
    std::unique_ptr<frame_writer> writer_; // this and all below: guarded by the mutex
    ping_responder pings_;
    std::unique_ptr<frame_reader> reader_;
    direct_io::lease write_lease_;
    direct_io::lease read_lease_;
    bool in_poll_group_ = false;
    bool closed_ = false;
};

} // namespace zlink::connections
