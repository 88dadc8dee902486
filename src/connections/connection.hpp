// SPDX-License-Identifier: MPL-2.0
// connection: one stream from its handshake to its end.
//
// Threads: its I/O thread. Ownership: shared by its session and by the handlers that wait for its stream;
// stop() cancels those and no call to the owner follows. Life: handshake -> traffic -> ended; a raw one has
// no handshake. In the handshake the application's authenticator may be asked; until it has answered nothing
// is read from the peer. The owner gives the pipe end when the handshake is done, and keeps it.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>

#include "base/socket_options.hpp"
#include "connections/closed_reason.hpp"
#include "connections/connection_io.hpp"
#include "connections/socket_event.hpp"
#include "connections/zap_exchange.hpp"
#include "direct_io/poll_group.hpp"
#include "runtime/clock.hpp"
#include "runtime/handler_slot.hpp"
#include "runtime/io_thread.hpp"
#include "zmtp/handshake.hpp"
#include "zmtp/heartbeat.hpp"

namespace zlink::connections {

class connection;

// Where a connection comes from: the peer's address, and the descriptor of its stream.
struct connection_origin {
    std::string address;
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
    // The set that streams of this thread are to be watched in; null: none.
    virtual std::shared_ptr<direct_io::poll_group> own_poll_group() = 0;
    // For the monitor; the descriptor is still open.
    virtual void on_event(event_kind kind, std::uint32_t value, int descriptor) noexcept = 0;

  protected:
    ~connection_owner() = default;
};

class connection final : public std::enable_shared_from_this<connection>, private verdict_listener {
  public:
    connection(runtime::io_thread &thread, transport::stream stream,
               std::shared_ptr<const socket_options> options, connection_owner &owner);

    void start();
    // Ends at once, without telling the owner.
    void stop() noexcept;

    // Events of the pipe: there is something to send, there is room again.
    void send_more();
    void receive_more();
    // The poll group has found the stream readable.
    void on_group_readable();
    // The application's thread, which shares the stream, has something to be done: bits of pipe_event.
    void on_calls(std::uint32_t calls);
    // The socket is gone: what it sent still goes out; what comes for it is thrown away.
    void stop_receiving();
    [[nodiscard]] bool in_traffic() const noexcept { return state_ == state::traffic; }
    // The handshake was completed, whatever came after.
    [[nodiscard]] bool was_in_traffic() const noexcept { return shared_ != nullptr; }
    // Returns true if another attempt is useless after a connection that ended for this reason. The peer does
    // not speak the protocol, does not fit this socket, or has refused it for a reason with a number.
    [[nodiscard]] bool is_hopeless(closed_reason reason) const noexcept;
    // Nothing is left to be sent.
    [[nodiscard]] bool drained() noexcept { return idle_ && shared_->all_sent() && delivered(); }

  private:
    enum class state : std::uint8_t { handshake, traffic, ended };

    [[nodiscard]] bool handshake_failed() const noexcept;
    void wait_readable();
    void wait_writable();
    void on_readable();
    void on_writable();

    void read_handshake();
    void write_handshake();
    void advance_handshake(zmtp::byte_view leftover);
    void take_handshake(zmtp::byte_view received);
    void authenticate(zmtp::byte_view leftover);
    void on_verdict(zmtp::verdict found) override;
    void begin_raw();
    void begin_traffic(const zmtp::peer_info &peer, zmtp::byte_view early, zmtp::byte_view late);

    void read_turn();
    void write_turn();
    void write_turn_later();
    void wait_for_room();
    void check_write_lease();
    void hang_up();
    void on_write_turn(write_status status);
    void discard();
    void part();
    [[nodiscard]] bool delivered() noexcept;
    void note_traffic();
    void answer_ping(std::uint16_t ttl_deciseconds);

    bool join_poll_group();
    void leave_poll_group() noexcept;
    void let_go_of_stream() noexcept {
        leave_poll_group();
        if (shared_)
            shared_->close();
    }
    void grant_lease();
    [[nodiscard]] bool revoke_lease();
    void reclaim_lease();
    void check_read_lease();
    void check_lease_on_time();

    void arm_timer();
    void wait_until(runtime::time_ms deadline);
    void send_ping();
    void on_timer();
    void end(closed_reason reason);
    void end_soon();
    void report_end(closed_reason reason) noexcept;

    runtime::io_thread &thread_;
    transport::stream stream_;
    std::shared_ptr<const socket_options> options_;
    connection_owner *owner_;
    state state_ = state::handshake;
    runtime::handler_slot read_slot_;
    runtime::handler_slot write_slot_;
    bool receiving_ = true;
    bool output_lost_ = false; // the peer takes no more; what it has sent is still received
    bool discarded_ = false;   // something came after stop_receiving()
    bool reading_ = false;     // a wait for readability is under way
    bool writing_ = false;
    bool again_ = false;      // a further turn to write is posted
    bool reading_on_ = false; // and one to read
    bool paused_ = false;     // by the high-water mark
    bool idle_ = false;       // the outbound queue will tell when there is more

    std::unique_ptr<zmtp::handshake> handshake_;        // until it is done
    std::unique_ptr<zap_exchange> authenticator_;       // while it is asked
    zmtp::byte_buffer held_;                            // what came meanwhile
    std::unique_ptr<connection_io> shared_;             // from then on
    std::shared_ptr<direct_io::poll_group> poll_group_; // that the stream is watched in, and not by Asio
    direct_io::group_member member_{};                  // of it
    std::optional<zmtp::heartbeat> heartbeat_;
    std::unique_ptr<boost::asio::steady_timer> timer_; // of the handshake, then of the heartbeat
    bool without_mechanism_ = false; // in traffic with a raw peer, or one of ZMTP 1.0 or 2.0
    runtime::time_ms handshake_deadline_ = runtime::never;
    runtime::time_ms parting_deadline_ = runtime::never; // see delivered()
    std::size_t undelivered_ = 0;                        // bytes, when last asked
    runtime::time_ms parting_check_ = runtime::never;
    runtime::time_ms lease_check_at_ = runtime::never; // see lease::check()
    std::unique_ptr<boost::asio::steady_timer>
        write_lease_timer_; // of check_write_lease(), from the first on
    bool ending_ = false;   // end_soon() was called
    runtime::post_slot end_slot_;
};

} // namespace zlink::connections
