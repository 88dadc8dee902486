// SPDX-License-Identifier: MPL-2.0
#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace zlink {

namespace {

struct error_row {
    int code;
    const char *text;
};

// Texts for errors that the system does not know, or that it names in words that programs do not expect.
constexpr std::array<error_row, 18> own_texts{{
    {EHOSTUNREACH, "Host unreachable"},
    {errc::wrong_state, "Operation cannot be accomplished in current state"},
    {errc::no_compatible, "The protocol is not compatible with the socket type"},
    {errc::terminated, "Context was terminated"},
    {errc::no_thread, "No thread available"},
    // Values of a monitor's event (ZLINK_TLS_FAILED_... and ZLINK_WS_FAILED_... of zlink/options.h).
    {10102, "The peer does not speak TLS, or breaks its rules"},
    {10103, "No version or cipher of TLS is common"},
    {10104, "No protocol name is common (ALPN)"},
    {10105, "The peer has refused our certificate, or wants one"},
    {10106, "The client has no certificate"},
    {10107, "A certificate of the peer has expired"},
    {10108, "A certificate of the peer is not valid yet"},
    {10109, "The certificate of the peer is for another host"},
    {10110, "Nobody who is trusted vouches for the certificate of the peer"},
    {10111, "A certificate of the peer has a fault"},
    {10112, "A certificate of the peer is revoked"},
    {10113, "An authority of the peer has no valid list of revoked certificates"},
    {10120, "A page of this site may not connect"},
}};

} // namespace

const char *error_text(int code) noexcept {
    const auto row = std::ranges::find(own_texts, code, &error_row::code);
    return row != own_texts.end() ? row->text : std::strerror(code);
}

} // namespace zlink
