// SPDX-License-Identifier: MPL-2.0
// Messages as text, in both directions. Pure but for the descriptor of message_reader.
//
// line: a message ends with the delimiter; its frames are parted by the frame delimiter.
// hex:  a message is a line, its frames are parted by spaces; an empty frame is "-".
// json: a message is a line: an array with one element for each frame, a string or {"base64": "..."}.
// raw:  the whole input is one message; messages are written as they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/messaging.hpp"

namespace cli {

enum class message_format { line, hex, json, raw };

const std::vector<std::string> &format_names();
message_format find_format(const std::string &name);

struct message_text {
    message_format format{message_format::line};
    std::string delimiter{"\n"};
    std::string frame_delimiter{"\t"};
    bool splits_lines{false}; // an incoming line has frames
};

std::string to_text(const message_text &how, const message &frames);
// Without the delimiter at its end. Throws a failure if the text is not in the format.
message from_text(const message_text &how, const std::string &text);

// Cuts the bytes of a descriptor into messages.
class message_reader {
  public:
    message_reader(int descriptor, message_text how) : descriptor_(descriptor), how_(std::move(how)) {}

    // The next message that has been read already.
    std::optional<message> next();
    // Reads once. The descriptor should be readable.
    void read_some();
    // No message is left.
    bool at_end() const {
        return at_end_ && gathered_.empty() && (found_any_ || how_.format != message_format::raw);
    }
    bool wants_bytes() const { return !at_end_; }

  private:
    std::optional<std::string> next_text();

    int descriptor_;
    message_text how_;
    std::string gathered_;
    std::size_t searched_{0}; // so far without a delimiter
    std::size_t taken_{0};    // so far given out
    bool at_end_{false};
    bool found_any_{false};
    std::size_t number_{0};
};

} // namespace cli
