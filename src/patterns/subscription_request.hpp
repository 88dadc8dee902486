// SPDX-License-Identifier: MPL-2.0
// subscription_request: the words of subscribers to publishers, "messages with this prefix" and "no more of
// them". It is a command of ZMTP 3.1 (SUBSCRIBE, CANCEL), or a message: the byte 01 or 00, and the topic.
// Between sockets of a process a message of XSUB's application is a command, too: a name of no bytes, and the
// message.
//
// Threads: values. Ownership: topics are views of somebody's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "queue/frame_view.hpp"

namespace zlink::patterns {

// Options that are actions; numbers of the C API.
inline constexpr int option_subscribe = 6;
inline constexpr int option_unsubscribe = 7;

struct subscription_request {
    static constexpr std::size_t longest_name = 10; // of the commands, with its length

    bool subscribe; // or cancel
    std::string_view topic;

    static std::optional<subscription_request> from_message(const std::uint8_t *data,
                                                            std::size_t size) noexcept {
        if (size == 0 || data[0] > 1)
            return std::nullopt;
        return subscription_request{data[0] == 1, {reinterpret_cast<const char *>(data) + 1, size - 1}};
    }
    static std::optional<subscription_request> from_command(const std::uint8_t *data,
                                                            std::size_t size) noexcept {
        const std::string_view body(reinterpret_cast<const char *>(data), size);
        for (const bool wanted : {true, false})
            if (const std::string_view name = command_name(wanted); body.starts_with(name))
                return subscription_request{wanted, body.substr(name.size())};
        return body.starts_with(no_name) ? from_message(data + no_name.size(), size - no_name.size())
                                         : std::nullopt;
    }

    // Makes a message of a request by command: of the topic, or of the message in it. Drops any other frame,
    // and returns false. This is how a subscription reaches a socket that does not publish, over inproc,
    // where types need not fit.
    [[gnu::noinline]] static bool become_message(incoming_frame &frame) noexcept {
        const auto request = from_command(frame.data, frame.size);
        if (!request) {
            frame.drop();
            return false;
        }
        const std::size_t left = frame.data[0] == 0 ? frame.size - no_name.size() : request->topic.size();
        frame.data += frame.size - left;
        frame.size = left;
        frame.flags &= static_cast<std::uint8_t>(~frame_flag::command);
        return true;
    }

    void append_command(std::string &to) const { to.append(command_name(subscribe)).append(topic); }
    void append_message(std::string &to) const { to.append(1, subscribe ? '\1' : '\0').append(topic); }

    void append_command_of_message(std::string &to) const { append_message(to.append(no_name)); }

  private:
    // With its length in front, as the others.
    static constexpr std::string_view no_name{"\0", 1};
    static constexpr std::string_view command_name(bool wanted) noexcept {
        return wanted ? std::string_view("\x09SUBSCRIBE", 10)
                      : std::string_view("\x06"
                                         "CANCEL",
                                         7);
    }
};

} // namespace zlink::patterns
