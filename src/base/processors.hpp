// SPDX-License-Identifier: MPL-2.0
// processors: what the process may run on.
//
// Threads: any. Asked of the system once.
#pragma once

namespace zlink {

// More than one, when first asked.
[[nodiscard]] bool several_processors() noexcept;

} // namespace zlink
