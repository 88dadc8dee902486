// SPDX-License-Identifier: MPL-2.0
// The command line as a whole. It declares all commands, and tells of them: for completion and manual pages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/command.hpp"

namespace cli {

struct option_text {
    std::vector<std::string> names; // "-n", "--count"; of a positional argument its name without dashes
    std::string value_name;         // empty for a flag
    std::string text;
    std::string group;
    std::vector<std::string> words; // the values that a choice takes
    std::string default_value;
};

class application {
  public:
    application();
    ~application();

    // Reads the arguments and runs the chosen command. The result is the exit status.
    int run(int argc, char **argv);
    // What the help of a command lists; "" stands for zlink itself.
    std::vector<option_text> options_of(const std::string &command_name) const;

  private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace cli
