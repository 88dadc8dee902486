// SPDX-License-Identifier: MPL-2.0
// A terminal whose keys are read one by one and whose screen is written page by page. It is as it was when
// the object ends, also after a signal that stop_signal knows. Without a terminal it only waits.
#pragma once

#include <string>
#include <termios.h>

namespace cli {

class terminal {
  public:
    // `live`: pages will be written.
    explicit terminal(bool live);
    ~terminal();
    terminal(const terminal &) = delete;
    terminal &operator=(const terminal &) = delete;

    // Returns 0 if none came in that time, or a signal did.
    char wait_for_key(double seconds);
    // The bytes that show a text in place of what was there. Lines are cut at the width of the screen.
    std::string page(const std::string &text) const;

  private:
    bool live_;
    bool has_keys_{false};
    termios before_{};
};

} // namespace cli
