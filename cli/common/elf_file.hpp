// SPDX-License-Identifier: MPL-2.0
// What the system's loader makes of a program, as far as `zlink run` needs it.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

struct elf_file {
    bool is_elf{false};
    bool is_native{false}; // for the same kind of processor as this program
    bool is_static{false}; // no loader runs

    static elf_file read(const std::string &path);
    // The loader of such a program ignores LD_PRELOAD.
    static bool is_privileged(const std::string &path);
    // Files that a process has mapped; empty if it ends, or belongs to somebody else.
    static std::vector<std::string> loaded_by(pid_t process);
};

} // namespace cli
