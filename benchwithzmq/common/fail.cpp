// SPDX-License-Identifier: MPL-2.0
#include "common/fail.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace bench {

void fail(const char *format, ...) {
    std::fflush(stdout);
    std::fputs("FAIL: ", stderr);
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
    std::fflush(stderr);
    std::_Exit(1);
}

} // namespace bench
