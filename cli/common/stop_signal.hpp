// SPDX-License-Identifier: MPL-2.0
// SIGINT and SIGTERM ask a command to end. The first one makes `descriptor()` readable and interrupts a
// waiting call; the second one ends the process. SIGPIPE is ignored: a write to a closed pipe fails with
// EPIPE. install() is called once, before other threads are there. The rest may be called by any thread.
#pragma once

namespace cli::stop_signal {

void install();
// The ordinary handling again, for a program that takes the place of this one.
void restore();
// Readable from the first signal on, and never read.
int descriptor();
// The first signal's number; 0 if none came.
int number();
inline bool came() {
    return number() != 0;
}

} // namespace cli::stop_signal
