// SPDX-License-Identifier: MPL-2.0
// Reads the facts of the peer of a TLS connection, and the reason of a failure.
//
// Threads: pure functions. Errors: std::bad_alloc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "transport/tls/openssl_handle.hpp"
#include "transport/tls/tls_session.hpp"

namespace zlink::transport {

// Reads a result of OpenSSL's verification (X509_V_ERR_...).
[[nodiscard]] tls_failure failure_of_verification(long found) noexcept;
// Read an alert of the peer, and one of our own; -1: there was none.
[[nodiscard]] tls_failure failure_of_received_alert(int alert) noexcept;
[[nodiscard]] tls_failure failure_of_sent_alert(int alert) noexcept;

// Returns the version, the cipher and the protocol name, and the facts of the peer's certificate if it has
// one.
[[nodiscard]] tls_session::properties facts_of_peer(const SSL *of);

// Returns the subject of a certificate as RFC 4514 writes it.
[[nodiscard]] std::string subject_of(const X509 *certificate);
// Returns the alternative names, as "DNS:a.example,IP:127.0.0.1". Every byte that could be taken for another
// name is written as "\xHH".
[[nodiscard]] std::string alternative_names_of(const X509 *certificate);
// Returns the SHA-256 of the certificate, as hexadecimal digits in lower case.
[[nodiscard]] std::string fingerprint_of(const X509 *certificate);

} // namespace zlink::transport
