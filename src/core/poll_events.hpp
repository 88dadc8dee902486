// SPDX-License-Identifier: MPL-2.0
// The bits of readiness, and a flag of calls, as the C API numbers them.
#pragma once

namespace zlink::core {

inline constexpr int dont_wait = 1;

inline constexpr int poll_in = 1;
inline constexpr int poll_out = 2;
inline constexpr int poll_error = 4;
inline constexpr int poll_priority = 8;

} // namespace zlink::core
