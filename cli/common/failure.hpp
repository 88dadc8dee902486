// SPDX-License-Identifier: MPL-2.0
// The way a command ends before its time. The message is one line: it says what is wrong and what to do next.
// main() prints it.
#pragma once

#include <stdexcept>
#include <string>

namespace cli {

enum exit_status { status_done = 0, status_failed = 1, status_usage = 2 };

class failure : public std::runtime_error {
  public:
    explicit failure(const std::string &line, int status = status_failed)
        : std::runtime_error(line), status_(status) {}
    int status() const { return status_; }

  private:
    int status_;
};

// "cannot ACT PATH: REASON", for an error of the system with a file. Known ones say what to do.
[[nodiscard]] failure file_failure(const std::string &act, const std::string &path, int error);

// The reader of the standard output has gone. The command ends without a word.
class output_closed : public std::exception {};

} // namespace cli
