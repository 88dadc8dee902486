// SPDX-License-Identifier: MPL-2.0
// The one way a benchmark program gives up: a line on stderr that starts with FAIL, and exit status 1.
//
// Threads: any. Ends the whole process at once, without destructors: a measurement that went wrong has no
// number to save, and the other end may be blocked in a call.
#pragma once

namespace bench {

[[noreturn]] __attribute__((format(printf, 1, 2))) void fail(const char *format, ...);

} // namespace bench
