// SPDX-License-Identifier: MPL-2.0
#include "common/output.hpp"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

constexpr std::size_t enough_bytes = 65536;
std::string notes_name = "zlink";

} // namespace

void output::write(std::string_view bytes) {
    waiting_ += bytes;
    if (waiting_.size() >= enough_bytes)
        flush();
}

void output::flush() {
    std::size_t done = 0;
    while (done < waiting_.size()) {
        const auto written = ::write(STDOUT_FILENO, waiting_.data() + done, waiting_.size() - done);
        if (written >= 0) {
            done += static_cast<std::size_t>(written);
        } else if (errno == EAGAIN) {
            pollfd ready{STDOUT_FILENO, POLLOUT, 0};
            poll(&ready, 1, -1);
        } else if (errno == EPIPE) {
            waiting_.clear();
            throw output_closed();
        } else if (errno != EINTR) {
            const int error = errno;
            waiting_.clear();
            throw failure(concat("cannot write to the standard output: ", std::strerror(error)));
        }
    }
    waiting_.clear();
}

void note(const std::string &line) {
    const std::string whole = concat(notes_name, ": ", line, "\n");
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

void name_notes(const std::string &name) {
    notes_name = name;
}

} // namespace cli
