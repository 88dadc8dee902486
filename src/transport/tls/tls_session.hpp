// SPDX-License-Identifier: MPL-2.0
// tls_session: one end of a TLS connection as a state machine. Bytes of the network come in and go out by its
// buffers; it does no I/O. TLS 1.3 (RFC 8446) and, if the option allows it, TLS 1.2.
//
// Threads: one at a time. Ownership: it holds the context of its endpoint. Invariant: nothing is read or
// written before the handshake is done, and a certificate that has to be verified was. A call takes a bounded
// number of bytes. Errors: state::failed, with a reason; no memory is one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transport/tls/tls_context.hpp"

namespace zlink::transport {

enum class tls_state : std::uint8_t {
    handshake,
    open,
    closed, // by the peer, in order
    failed,
};
[[nodiscard]] const char *to_string(tls_state state) noexcept;

enum class tls_failure : std::uint8_t {
    none,
    no_memory,
    protocol,        // the bytes of the peer are no TLS, or break its rules
    version,         // no version or cipher is common
    protocol_name,   // no protocol name is common (ALPN)
    refused,         // the peer refused our certificate, or wants one
    no_certificate,  // the peer has none
    expired,         // its certificate, or one of its chain
    not_yet_valid,   // likewise
    other_host,      // its certificate is for another host
    untrusted,       // nobody who is trusted vouches for it
    bad_certificate, // another fault of a certificate
    revoked,         // its certificate, or one of its chain
    no_revocations,  // there is no list that holds today of what an authority has revoked
};
[[nodiscard]] const char *to_string(tls_failure failure) noexcept;

// The value of a monitor's event is this number and that of the failure (ZLINK_TLS_FAILED_... of
// zlink/options.h). error_text() of base/error.hpp has a text for it.
inline constexpr std::uint32_t tls_event_value_first = 10100;

class tls_session {
  public:
    using properties = std::vector<std::pair<std::string, std::string>>;

    // Null: no memory.
    [[nodiscard]] static std::unique_ptr<tls_session> make(std::shared_ptr<tls_context> context);
    tls_session(const tls_session &) = delete;
    tls_session &operator=(const tls_session &) = delete;
    ~tls_session();

    [[nodiscard]] tls_state state() const noexcept { return state_; }
    [[nodiscard]] tls_failure failure() const noexcept { return failure_; }

    // ---- bytes of the network

    // Returns free memory for received bytes; received() says how many came. Empty: no memory.
    [[nodiscard]] std::span<std::uint8_t> room() noexcept;
    void received(std::size_t size) noexcept;
    // Returns bytes that are to be sent; sent() says how many have left.
    [[nodiscard]] std::span<const std::uint8_t> output() const noexcept;
    void sent(std::size_t size) noexcept;
    // Returns true if the last call has used all that was received and needs more.
    [[nodiscard]] bool wants_input() const noexcept { return starved_; }

    // ---- the other side

    // Goes on with the handshake. It needs more input while the state stays as it is.
    void advance() noexcept;
    // Returns how many bytes it has put into `room`. Fewer than fit: it needs more input, or the state has
    // changed.
    [[nodiscard]] std::size_t read(std::span<std::uint8_t> room) noexcept;
    // Returns how many bytes it has taken, at most a record; 0: the session has failed.
    [[nodiscard]] std::size_t write(std::span<const std::uint8_t> bytes) noexcept;
    // Returns true if read() would find bytes or an end in what was received.
    [[nodiscard]] bool has_buffered() const noexcept;
    // Tells the peer that nothing follows.
    void close() noexcept;
    // Give up memory that is not in use.
    void rest() noexcept;
    void rest_output() noexcept;

    static constexpr std::size_t largest_record = 16384;

    [[nodiscard]] bool resumed() const noexcept;
    // Returns the names and values of a message's metadata (docs/api/tls.md).
    [[nodiscard]] properties facts() const;

  private:
    explicit tls_session(std::shared_ptr<tls_context> context) noexcept : context_(std::move(context)) {}

    [[nodiscard]] bool begin() noexcept;
    void on_done() noexcept;
    void fail(tls_failure failure) noexcept;
    void settle() noexcept;
    [[nodiscard]] tls_failure reason() const noexcept;

    static BIO_METHOD *carrier() noexcept;
    static int take_input(BIO *from, char *to, int size) noexcept;
    static int put_output(BIO *to, const char *from, int size) noexcept;
    static long control(BIO *of, int command, long number, void *pointer) noexcept;
    static void note_alert(const SSL *of, int where, int value) noexcept;

    std::shared_ptr<tls_context> context_;
    ssl_handle ssl_;
    tls_state state_ = tls_state::handshake;
    tls_failure failure_ = tls_failure::none;
    int alert_sent_ = -1;
    int alert_received_ = -1;
    int first_byte_ = -1; // of the peer
    bool starved_ = false;
    bool no_memory_ = false;
    std::unique_ptr<std::uint8_t[]> input_;
    std::size_t input_begin_ = 0; // of bytes that were not used yet
    std::size_t input_end_ = 0;
    std::vector<std::uint8_t> output_;
    std::size_t output_sent_ = 0;
};

} // namespace zlink::transport
