// SPDX-License-Identifier: MPL-2.0
// group_request: "messages of this group", "no more of them", as DISH says it to RADIO: a command (JOIN,
// LEAVE).
//
// Threads: values. Ownership: names are views of somebody's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::patterns {

struct group_request {
    static constexpr std::size_t longest_group = 255;
    static constexpr std::size_t longest_name = 6; // of the commands, with its length

    bool join; // or leave
    std::string_view group;

    static std::optional<group_request> from_command(const std::uint8_t *data, std::size_t size) noexcept {
        const std::string_view body(reinterpret_cast<const char *>(data), size);
        for (const bool joins : {true, false})
            if (const std::string_view name = command_name(joins);
                body.starts_with(name) && body.size() - name.size() <= longest_group)
                return group_request{joins, body.substr(name.size())};
        return std::nullopt;
    }
    void append_command(std::string &to) const { to.append(command_name(join)).append(group); }

  private:
    // With its length in front.
    static constexpr std::string_view command_name(bool joins) noexcept {
        return joins ? std::string_view("\x04JOIN") : std::string_view("\x05LEAVE");
    }
};

} // namespace zlink::patterns
