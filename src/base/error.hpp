// SPDX-License-Identifier: MPL-2.0
// Error codes: errno numbers of the system, and the native ones of the C API.
//
// Threads: constants; error_text() may be called from every thread.
#pragma once

namespace zlink {

namespace errc {
// Keeps clear of the errno ranges of every system.
inline constexpr int native_base = 156384712;
inline constexpr int wrong_state = native_base + 51;   // EFSM
inline constexpr int no_compatible = native_base + 52; // ENOCOMPATPROTO
inline constexpr int terminated = native_base + 53;    // ETERM
inline constexpr int no_thread = native_base + 54;     // EMTHREAD
} // namespace errc

// Text of a code, as zmq_strerror gives it. Never null; valid as strerror's is.
[[nodiscard]] const char *error_text(int code) noexcept;

} // namespace zlink
