// SPDX-License-Identifier: MPL-2.0
// connection: one stream from its handshake to its end.
//
// Threads: its I/O thread. Ownership: shared by its worker and by the handlers that wait for its stream;
// stop() cancels those and no call to the owner follows. In the handshake the application's authenticator may
// be asked; until it has answered nothing is read from the peer. The owner gives the pipe end when the
// handshake is done, and keeps it. A raw connection has no handshake.
#pragma once

#include <memory>
#include <optional>

#include "base/socket_options.hpp"
#include "connections/closed_reason.hpp"
#include "connections/connection_handshake.hpp"
#include "connections/connection_io.hpp"
#include "connections/connection_timers.hpp"
#include "connections/parting.hpp"
#include "connections/socket_event.hpp"
#include "direct_io/group_place.hpp"
#include "runtime/handler_slot.hpp"
#include "runtime/io_thread.hpp"
#include "zmtp/heartbeat.hpp"

namespace zlink::connections {

// Where a connection comes from: the peer's address, what the layers know of the peer, and the descriptor.
struct connection_origin {
    std::string address;
    transport::stream_facts facts;
    int descriptor;
    bool over_tcp;
};

class connection_owner {
  public:
    // The end of the pipe that the connection serves from now on; null ends the connection.
    virtual pipe_end *on_handshake(const zmtp::peer_info &peer, const connection_origin &origin) = 0;
    // All is sent; said only after stop_receiving(). The owner may stop the connection.
    virtual void on_drained() = 0;
    // All is sent, and the application wants the connection closed (a raw one). Calls stop_receiving().
    virtual void on_hung_up() = 0;
    virtual void on_ended(closed_reason reason) = 0;
    // See socket_link.
    virtual std::shared_ptr<pipe> reach_authenticator() = 0;
    // The poll group for the streams of this thread; null: none.
    virtual std::shared_ptr<direct_io::poll_group> own_poll_group() = 0;
    // For the monitor; the descriptor is still open.
    virtual void on_event(event_kind kind, std::uint32_t value, int descriptor) noexcept = 0;
    // A PING had no answer in time: the connection ends next.
    virtual void on_heartbeat_missed() noexcept = 0;
    // The connection is about to be closed, for that reason.
    virtual void on_disconnected(closed_reason reason, int descriptor) noexcept = 0;

  protected:
    ~connection_owner() = default;
};

class connection final : public std::enable_shared_from_this<connection> {
  public:
    connection(runtime::io_thread &thread, transport::stream stream,
               std::shared_ptr<const socket_options> options, connection_owner &owner);

    void start();
    // Ends at once. The owner only hears that it is disconnected.
    void stop() noexcept;

    // Events of the pipe: there is something to send, there is room again.
    void send_more();
    void receive_more();
    // The poll group has found the stream readable.
    void on_group_readable();
    // The application's thread, which shares the stream, has something to be done: bits of pipe_event.
    void on_calls(std::uint32_t calls);
    // The authenticator has answered.
    void on_verdict(zmtp::verdict found);
    // The socket is gone: what it sent still goes out; what comes for it is thrown away.
    void stop_receiving();
    [[nodiscard]] bool in_traffic() const noexcept {
        return phase_ == phase::traffic || phase_ == phase::draining;
    }
    // The handshake was completed, whatever came after.
    [[nodiscard]] bool was_in_traffic() const noexcept { return io_ != nullptr; }
    // Returns true if another attempt is useless after a connection that ended for this reason. The peer does
    // not speak the protocol, does not fit this socket, or has refused it for a reason with a number.
    [[nodiscard]] bool is_hopeless(closed_reason reason) const noexcept;
    // Nothing is left to be sent.
    [[nodiscard]] bool drained() noexcept {
        return writing_ == writing::idle && io_->all_sent() && parting_.is_delivered(stream_);
    }

  private:
    // late_handshake: the socket is gone, and draining follows. draining: see stop_receiving().
    enum class phase : std::uint8_t { handshake, late_handshake, traffic, draining, ended };
    // waiting: for the stream to be readable. posted: a further turn is. paused: by the high-water mark. Only
    // its own handler ends `waiting` or `posted`.
    enum class reading : std::uint8_t { idle, waiting, posted, paused };
    // ready: nothing is under way. idle: the outbound queue will tell when there is more. waiting: for the
    // stream to take more. posted: a further turn is. lost: the peer takes no more; what it has sent is still
    // received.
    enum class writing : std::uint8_t { ready, idle, waiting, posted, lost };

    void wait_readable();
    void wait_writable();
    void on_readable();

    void write_handshake();
    void advance_handshake(handshake_step next);
    void begin_traffic(const zmtp::peer_info &peer, zmtp::byte_view early, zmtp::byte_view late);

    void read_turn();
    void write_turn();
    void write_turn_later();
    void note_traffic();
    void discard();
    void part();

    bool join_poll_group();
    void leave_poll_group() noexcept;
    void let_go_of_stream() noexcept;
    void grant_read_lease();
    [[nodiscard]] bool revoke_read_lease();
    void reclaim_read_lease();
    void check_read_lease();
    void check_write_lease();

    [[nodiscard]] bool wait_for_time() noexcept;
    void arm_timer();
    void on_timer();
    void beat_heart();
    void end(closed_reason reason);
    void end_soon();
    void report_end(closed_reason reason) noexcept;

    runtime::io_thread &thread_;
    transport::stream stream_;
    std::shared_ptr<const socket_options> options_;
    connection_owner *owner_;
    bool told_ = false; // that it is disconnected
    phase phase_ = phase::handshake;
    reading reading_ = reading::idle;
    writing writing_ = writing::ready;
    runtime::handler_slot read_slot_;
    runtime::handler_slot write_slot_;
    runtime::post_slot end_slot_;
    bool ending_ = false; // end_soon() was called

    std::unique_ptr<connection_handshake> handshake_; // until traffic begins
    std::unique_ptr<connection_io> io_;               // from then on
    direct_io::group_place place_;                    // where the stream is watched; not taken: by Asio
    std::optional<zmtp::heartbeat> heartbeat_;
    bool without_mechanism_ = false; // in traffic with a raw peer, or one of ZMTP 1.0 or 2.0
    parting parting_;
    connection_timers timers_;
};

} // namespace zlink::connections
