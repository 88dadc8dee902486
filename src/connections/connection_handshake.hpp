// SPDX-License-Identifier: MPL-2.0
// connection_handshake: the handshake of a connection, with the question to the application's authenticator.
// Nothing is read from the peer until the authenticator has answered. Bytes that came before are held.
//
// Threads: the I/O thread. Ownership: of the connection; borrows its options. It does not wait: the
// connection waits for the stream and calls again.
#pragma once

#include <memory>
#include <optional>

#include "base/socket_options.hpp"
#include "connections/socket_event.hpp"
#include "connections/zap_exchange.hpp"
#include "transport/stream.hpp"
#include "zmtp/handshake.hpp"

namespace zlink::connections {

class connection;

// The next step of a handshake. asks: the authenticator has to be asked. closed: the peer has gone.
enum class handshake_step : std::uint8_t { reads, asks, done, failed, closed };

class connection_handshake {
  public:
    // Null: a raw socket has no handshake, or the library does not have the mechanism.
    static std::unique_ptr<connection_handshake> make(const socket_options &options);
    connection_handshake(const socket_options &options, std::unique_ptr<zmtp::mechanism> mechanism);

    // Receives once. Throws std::bad_alloc.
    [[nodiscard]] handshake_step read(transport::stream &from);
    // Sends what there is. `again`: the stream is full.
    [[nodiscard]] transport::io_status write(transport::stream &to);

    // Who insists on a domain and has none asks nobody.
    [[nodiscard]] bool asks_nobody() const noexcept;
    // The verdict where there is nobody to ask.
    [[nodiscard]] zmtp::verdict unasked_verdict() const;
    // `asker` gets the verdict. Returns false if memory is short. Throws std::bad_alloc.
    [[nodiscard]] bool ask(pipe &to_handler, std::shared_ptr<mailbox> box, const transport::stream &about,
                           connection &asker);
    void stop_asking() noexcept { question_.reset(); }
    // Throws std::bad_alloc.
    [[nodiscard]] handshake_step take_verdict(zmtp::verdict found);

    // ---- when it is done
    [[nodiscard]] const zmtp::peer_info &peer() const noexcept { return handshake_.peer(); }
    [[nodiscard]] zmtp::byte_view early() const noexcept { return held_; }
    [[nodiscard]] zmtp::byte_view late() const noexcept { return handshake_.output(); }
    // Returns false if there is no cipher although the traffic has to be encrypted.
    [[nodiscard]] bool take_cipher(std::unique_ptr<zmtp::frame_cipher> &cipher);

    // ---- when it has failed
    [[nodiscard]] bool is_failed() const noexcept {
        return handshake_.state() == zmtp::handshake_state::failed;
    }
    // Another attempt is useless.
    [[nodiscard]] bool is_hopeless() const noexcept;
    // None: libzmq does not tell of it.
    [[nodiscard]] std::optional<event_detail> failure_event() const noexcept;

  private:
    [[nodiscard]] handshake_step take(zmtp::byte_view received);

    const socket_options &options_;
    zmtp::handshake handshake_;
    std::unique_ptr<zap_exchange> question_; // while the authenticator is asked
    zmtp::byte_buffer held_;                 // came behind what was taken
};

} // namespace zlink::connections
