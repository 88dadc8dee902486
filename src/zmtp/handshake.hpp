// SPDX-License-Identifier: MPL-2.0
// The start of a connection: greeting, detection of the peer's version (1.0, 2.0, 3.0, 3.1 and later),
// security handshake, metadata. RFC 37 and its predecessors 23, 15 and 13.
//
// Threads: none of its own; one owner at a time. Ownership: owns its mechanism and buffers. No I/O, no clock:
// the owner moves bytes, and keeps the time limit (HANDSHAKE_IVL).
//
// Use: send output() (there is some from the start), feed() what arrives, repeat until state() is done or
// failed.
//   - feed() consumes at most to the end of the handshake. The bytes behind it are traffic, framed as
//   peer().framing says.
//   - output() may hold bytes when state() is done: they go out before any traffic. When state() is failed it
//   may hold
//     an ERROR command, worth one try before closing.
//   - feed() takes nothing while state() is authenticating: the owner asks an authenticator about awaits()
//   and says what came of it.
//   - Consumed bytes are kept only while their frame is incomplete: at most max_handshake_frame and a header.
#pragma once

#include "base/socket_type.hpp"
#include "zmtp/bytes.hpp"
#include "zmtp/command.hpp"
#include "zmtp/handshake_failure.hpp"
#include "zmtp/mechanism.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::zmtp {

inline constexpr std::size_t max_routing_id = 255;
inline constexpr std::size_t max_handshake_frame = 64 * 1024;
inline constexpr std::size_t max_old_routing_id = max_handshake_frame; // of peers of 1.0 and 2.0

enum class handshake_state : std::uint8_t { greeting, securing, authenticating, done, failed };
std::string_view to_string(handshake_state state) noexcept;

// How traffic behind the handshake is framed: v1 and v2 by zmtp/legacy_frames.hpp, v3 by
// message/frame_header.hpp; raw: not at all, there was no handshake.
enum class framing : std::uint8_t { raw, v1, v2, v3 };

struct handshake_config {
    socket_type type = socket_type::pair; // one that has a name in zmtp/socket_rules.hpp
    std::string routing_id;               // at most max_routing_id bytes
    std::vector<property> extra;          // the application's own, X-...
};

struct peer_info {
    int version_major = 0; // 1, 2 or 3; 3 for everything newer, which is spoken to as 3.1; 0: not ZMTP
    int version_minor = 0;
    bool without_greeting = false;    // of 1.0: it tells no subscriptions, and wants all messages
    std::string socket_type;          // as in metadata; empty for a 1.0 peer, which does not tell
    std::string routing_id;           // empty when the peer has none; up to max_old_routing_id bytes
    std::vector<property> properties; // all that the peer told, in its order
    std::string error_reason;         // with handshake_failure::error_from_peer
    std::vector<property> vouched;    // what the authenticator says of it
    int refused_status = 0;           // what it said instead, with handshake_failure::refused

    [[nodiscard]] zmtp::framing framing() const noexcept {
        constexpr zmtp::framing by_version[]{framing::raw, framing::v1, framing::v2, framing::v3};
        return by_version[version_major < 3 ? version_major : 3];
    }
    // 3.1 and later: SUBSCRIBE and CANCEL commands. Others: messages of a byte 01 or 00 and the topic.
    [[nodiscard]] bool subscribes_by_command() const noexcept {
        return version_major >= 3 && version_minor >= 1;
    }
    // 3.x: PING and PONG. Older peers know no commands.
    [[nodiscard]] bool knows_commands() const noexcept { return version_major >= 3; }
};

class handshake {
  public:
    // Without a mechanism: NULL.
    explicit handshake(handshake_config config, std::unique_ptr<mechanism> security = nullptr);
    ~handshake(); // wipes what was sent and received: secrets of mechanisms may be in it
    handshake(handshake &&) = default;
    handshake &operator=(handshake &&) = default;

    // Takes bytes of the peer; returns how many, all of them unless the handshake ended among them.
    std::size_t feed(byte_view in);

    // Bytes to send now. The view is valid until the next call of feed or consume_output.
    [[nodiscard]] byte_view output() const noexcept { return byte_view(output_).subspan(output_sent_); }
    void consume_output(std::size_t count) noexcept;

    // While state() is authenticating: what is to be checked, and of which mechanism; and the answer.
    [[nodiscard]] const authentication &awaits() const noexcept { return *security_->awaits(); }
    [[nodiscard]] std::string_view mechanism_name() const noexcept { return security_->name(); }
    void authenticated(verdict found);

    [[nodiscard]] handshake_state state() const noexcept { return state_; }
    [[nodiscard]] handshake_failure failure() const noexcept { return failure_; }
    // Complete when state() is done. version_major is known (not 0) as soon as the version is.
    [[nodiscard]] const peer_info &peer() const noexcept { return peer_; }
    [[nodiscard]] peer_info take_peer() noexcept { return std::move(peer_); }
    // Whether traffic is sealed, and what with: once, when state() is done. Null where it has to be is an
    // error.
    [[nodiscard]] bool seals_traffic() const noexcept { return security_->seals_traffic(); }
    [[nodiscard]] std::unique_ptr<frame_cipher> take_cipher() { return security_->take_cipher(); }

  private:
    // The part of the handshake that the next bytes of the peer belong to. Every step but `over` waits for
    // needed_ bytes in input_.
    enum class step : std::uint8_t {
        signature_start,  // 1 byte: FF or the length of a 1.0 frame
        signature,        // 10 bytes: bit 0 of the last tells 1.0 from newer ones
        version,          // 1 byte
        rest_of_greeting, // 53 bytes
        command_header,   // 3.x, 2 or 9 bytes
        command_body,
        v2_socket_type, // 1 byte; then the identity, by 1.0 framing if the version byte is 0
        v2_identity_header,
        v1_identity_header,
        identity_body,
        over,
    };

    void advance();
    void want(step next, std::size_t bytes);
    void on_signature_start();
    void on_signature();
    void on_version();
    void on_greeting();
    void on_command_header();
    void on_command_body();
    void on_error(std::optional<std::string_view> reason);
    void on_v2_socket_type();
    void on_v2_identity_header();
    void on_v1_identity_header();
    void on_identity_body();

    void send(byte_view bytes);
    void send_rest_of_greeting();
    void send_commands();
    void send_old_identity();
    void proceed();
    void finish_metadata();
    void finish();
    void fail(handshake_failure why);

    handshake_config config_;
    std::unique_ptr<mechanism> security_;
    handshake_state state_ = handshake_state::greeting;
    handshake_failure failure_ = handshake_failure::none;
    step step_ = step::signature_start;
    bool greeting_sent_ = false;
    bool minor_known_ = false; // from the major version alone
    std::size_t needed_ = 1;
    byte_buffer input_; // the bytes of the current step
    byte_buffer output_;
    std::size_t output_sent_ = 0;
    peer_info peer_;
};

} // namespace zlink::zmtp
