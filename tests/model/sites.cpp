// SPDX-License-Identifier: MPL-2.0
// The names of instructions, which addr2line(1) tells.
#include <cstdint>
#include <cstdio>
#include <link.h>
#include <unistd.h>

#include "model/explorer.hpp"

namespace zlink::model {

namespace {

std::uintptr_t load_address() {
    std::uintptr_t found = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *program, std::size_t, void *to) {
            *static_cast<std::uintptr_t *>(to) = program->dlpi_addr;
            return 1; // the program itself is the first
        },
        &found);
    return found;
}

std::string after_last(const std::string &text, char mark) {
    return text.substr(text.rfind(mark) + 1);
}

} // namespace

// The innermost function of the library, where several were put into each other.
std::string name_of(const void *site) {
    char own[4096];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        return {};
    own[length] = 0;
    char command[4200];
    std::snprintf(command, sizeof command, "addr2line -Cfi -e '%s' %#lx 2>/dev/null", own,
                  static_cast<unsigned long>(reinterpret_cast<std::uintptr_t>(site) - load_address()));
    std::FILE *const lines = popen(command, "r");
    if (lines == nullptr)
        return {};
    std::string found;
    char function[1024];
    char place[1024];
    while (std::fgets(function, sizeof function, lines) != nullptr &&
           std::fgets(place, sizeof place, lines) != nullptr) {
        std::string file = place;
        file = file.substr(0, file.find_first_of(" \n"));
        if (file.find("/src/") == std::string::npos && file.find("/tests/model/") == std::string::npos)
            continue;
        std::string name = function;
        name = after_last(name.substr(0, name.find_first_of("(\n")), ' ');
        found += (found.empty() ? "" : " < ") + after_last(file, '/') + " " + name;
        if (file.find("layout.hpp") == std::string::npos)
            break;
    }
    pclose(lines);
    return found;
}

} // namespace zlink::model
