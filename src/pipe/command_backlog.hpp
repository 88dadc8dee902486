// SPDX-License-Identifier: MPL-2.0
// Commands that wait in a pipe until a connection reads them: subscriptions, and joined groups.
//
// Threads: that of the end's owner, who tells the other side something by commands.
#pragma once

#include "pipe/pipe.hpp"

namespace zlink {

// Takes the commands that wait in out() back, while no connection is in traffic. Messages of the application
// stay. Returns false if a connection is.
[[nodiscard]] bool withdraw_commands(pipe_end &end) noexcept;

// Returns true if much more waits for the other side than commands that tell it everything, `all_bytes`. The
// caller then tells everything anew, or later: this bounds the waiting bytes.
[[nodiscard]] bool is_behind(pipe_end &end, std::uint64_t all_bytes) noexcept;

} // namespace zlink
