// SPDX-License-Identifier: MPL-2.0
// The seam between the handshake and a security mechanism (NULL here; PLAIN and CURVE in src/security).
//
// The handshake exchanges greetings, compares mechanism names, frames and unframes; the mechanism
// says which command goes out next and what an incoming one means. Metadata is the same for all mechanisms
// and belongs to the handshake.
//
// Threads: used by the owner of its handshake only. Ownership: the handshake owns its mechanism. It calls
// begin, then append_next until that returns false. For each command of the peer it calls accept and
// append_next again. While awaits() is not null nothing but authenticated() is called, and append_next after
// that. Invariants: no I/O, no clock. After a failure, or after the mechanism is done, accept is not called
// again.
#pragma once

#include "zmtp/authentication.hpp"
#include "zmtp/bytes.hpp"
#include "zmtp/command.hpp"
#include "zmtp/frame_cipher.hpp"
#include "zmtp/handshake_failure.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

class mechanism {
  public:
    mechanism() = default;
    mechanism(const mechanism &) = delete;
    mechanism &operator=(const mechanism &) = delete;
    virtual ~mechanism() = default;

    // At most 20 ASCII bytes, as in the greeting.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    [[nodiscard]] virtual bool as_server() const noexcept = 0;
    // Whether peers of ZMTP 1.0 and 2.0, which have no mechanisms, may be spoken to.
    [[nodiscard]] virtual bool allows_old_peers() const noexcept = 0;
    // Whether the first command may follow our greeting before the peer's has come: it depends on nothing of
    // the peer's and gives nothing away. Saves half a round trip.
    [[nodiscard]] virtual bool may_start_early() const noexcept = 0;

    // The properties to tell the peer. Called once, first.
    virtual void begin(std::vector<property> own) = 0;
    // Appends the next command, one whole frame, to `out`. Returns false if there is nothing to say until the
    // peer has spoken.
    [[nodiscard]] virtual bool append_next(byte_buffer &out) = 0;
    // Takes a command of the peer; ERROR is taken by the handshake.
    [[nodiscard]] virtual handshake_failure accept(const command &incoming) = 0;
    // The reason in an ERROR that some peers misspell; `body` is of a frame that is no proper command.
    [[nodiscard]] virtual std::optional<std::string_view> misspelt_error(byte_view body) const noexcept {
        static_cast<void>(body);
        return std::nullopt;
    }
    // True when both sides have said all.
    [[nodiscard]] virtual bool done() const noexcept = 0;
    // The properties the peer told. Complete when done() is true.
    [[nodiscard]] virtual std::span<const property> peer_properties() const noexcept = 0;

    // Returns the authentication that must be decided before anything else happens; null: none.
    [[nodiscard]] virtual const authentication *awaits() const noexcept { return nullptr; }
    // It was, and the peer is accepted.
    virtual void authenticated() {}
    // It was not; appends the ERROR that says so.
    virtual void append_refusal(byte_buffer &out, std::string_view reason) const {
        append_error(out, reason);
    }
    // Whether traffic is sealed, and what with once done() is true.
    [[nodiscard]] virtual bool seals_traffic() const noexcept { return false; }
    [[nodiscard]] virtual std::unique_ptr<frame_cipher> take_cipher() { return nullptr; }
};

} // namespace zlink::zmtp
