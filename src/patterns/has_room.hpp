// SPDX-License-Identifier: MPL-2.0
// has_room: asks a pipe for room for a message, and for an event if there is none.
//
// Threads: the owner's of the end.
#pragma once

#include "pipe/pipe.hpp"

namespace zlink::patterns {

// Is there room for a message? Returns false if there is none yet; the end then gets a writable event later.
[[nodiscard, gnu::noinline]] inline bool await_room(pipe_end &end) noexcept {
    do
        if (end.out().prepare_wait_room())
            return false;
    while (end.out().full());
    return true;
}
[[nodiscard, gnu::always_inline]] inline bool has_room(pipe_end &end) noexcept {
    return !end.out().full() || await_room(end);
}

} // namespace zlink::patterns
