// SPDX-License-Identifier: MPL-2.0
#include "commands.hpp"

#include <algorithm>
#include <cerrno>
#include <map>

namespace {

using command_table = std::map<std::string_view, std::string (*)(world &, const words &)>;

const command_table &all_commands() {
    static const command_table table = [] {
        command_table made;
        for (const auto part : {context_commands(), socket_commands(), traffic_commands(), message_commands(),
                                poll_commands(), timer_commands(), monitor_commands(), helper_commands()}) {
            for (const command &each : part) {
                made.emplace(each.name, each.run);
            }
        }
        return made;
    }();
    return table;
}

} // namespace

std::string run_line(world &objects, std::string_view line) {
    words parts = split(line, ' ');
    // The word "#" begins a remark.
    parts.erase(std::find(parts.begin(), parts.end(), "#"), parts.end());
    if (parts.empty()) {
        return "";
    }
    const auto found = all_commands().find(parts[0]);
    if (found == all_commands().end()) {
        return "no such command";
    }
    try {
        errno = 0;
        return found->second(objects, parts);
    } catch (const no_object &) {
        return "no object";
    } catch (const bad_line &) {
        return "bad line";
    } catch (const absent_function &) {
        return "absent";
    }
}
