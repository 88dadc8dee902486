// SPDX-License-Identifier: MPL-2.0
// wipe: overwrites memory that held a secret, which the compiler does not leave out.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace zlink {

inline void wipe(std::span<std::uint8_t> secret) noexcept {
    if (secret.empty())
        return; // its pointer may be null, which explicit_bzero forbids
    ::explicit_bzero(secret.data(), secret.size());
}
inline void wipe(std::string &secret) noexcept {
    ::explicit_bzero(secret.data(), secret.size());
}

} // namespace zlink
