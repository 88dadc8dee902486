// SPDX-License-Identifier: MPL-2.0
// this_thread(): an address that stands for the calling thread as long as it lives. One instruction gives it.
//
// Threads: any.
#pragma once

namespace zlink {

namespace thread_detail {
[[gnu::tls_model("initial-exec")]] inline constinit thread_local char mark = 0;
} // namespace thread_detail

[[nodiscard]] inline const void *this_thread() noexcept {
    return &thread_detail::mark;
}

} // namespace zlink
