// SPDX-License-Identifier: MPL-2.0
#include "common/fail.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {

void fail(const char *format, ...) {
    // One write: both ends may fail at once, and their lines must not mix.
    char line[512] = "FAIL: ";
    constexpr std::size_t start = sizeof "FAIL: " - 1;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line + start, sizeof line - start - 1, format, arguments);
    va_end(arguments);
    const std::size_t size = std::strlen(line);
    line[size] = '\n';
    std::fwrite(line, 1, size + 1, stderr); // stderr is not buffered
    std::_Exit(1);
}

} // namespace bench
