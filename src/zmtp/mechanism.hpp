// SPDX-License-Identifier: MPL-2.0
// The seam between the handshake and a security mechanism (NULL here; PLAIN and CURVE in src/security).
//
// The handshake exchanges greetings, compares mechanism names, frames and unframes; the mechanism
// says which command goes out next and what an incoming one means. Metadata is the same for all mechanisms
// and belongs to the handshake.
//
// Threads: used by the owner of its handshake only. Ownership: the handshake owns its mechanism and drives it
// in this order: begin, then append_next until it says false, then for each command of the peer accept and
// append_next again. Invariants: no I/O, no clock. After a failure, or after the mechanism is done, accept is
// not called again.
#pragma once

#include "zmtp/bytes.hpp"
#include "zmtp/command.hpp"
#include "zmtp/handshake_failure.hpp"

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
    // Appends the next command, one whole frame, to `out`. False: nothing to say until the peer has spoken.
    [[nodiscard]] virtual bool append_next(byte_buffer &out) = 0;
    // Takes a command of the peer; ERROR is taken by the handshake.
    [[nodiscard]] virtual handshake_failure accept(const command &incoming) = 0;
    // True when both sides have said all.
    [[nodiscard]] virtual bool done() const noexcept = 0;
    // The properties the peer told. Complete when done() is true.
    [[nodiscard]] virtual std::span<const property> peer_properties() const noexcept = 0;
};

} // namespace zlink::zmtp
