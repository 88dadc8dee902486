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
constexpr std::array<error_row, 5> own_texts{{
    {EHOSTUNREACH, "Host unreachable"},
    {errc::wrong_state, "Operation cannot be accomplished in current state"},
    {errc::no_compatible, "The protocol is not compatible with the socket type"},
    {errc::terminated, "Context was terminated"},
    {errc::no_thread, "No thread available"},
}};

} // namespace

const char *error_text(int code) noexcept {
    const auto row = std::ranges::find(own_texts, code, &error_row::code);
    return row != own_texts.end() ? row->text : std::strerror(code);
}

} // namespace zlink
