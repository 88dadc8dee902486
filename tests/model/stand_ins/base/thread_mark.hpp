// SPDX-License-Identifier: MPL-2.0
// this_thread() of the checked programs, whose threads share the thread-local data of the checker.
#pragma once

namespace zlink {

[[nodiscard]] const void *this_thread() noexcept;

} // namespace zlink
