// SPDX-License-Identifier: MPL-2.0
// The standard output, buffered, with its errors told. For one thread.
#pragma once

#include <string>
#include <string_view>

namespace cli {

class output {
  public:
    output() = default;
    output(const output &) = delete;
    output &operator=(const output &) = delete;

    // Writes now and then what has gathered. Throws output_closed if the reader has gone, a failure for other
    // errors.
    void write(std::string_view bytes);
    void flush();

  private:
    std::string waiting_;
};

// One line on the standard error, with the name of the command before it.
void note(const std::string &line);
// The words before the lines of note(): "zlink cat".
void name_notes(const std::string &name);

} // namespace cli
