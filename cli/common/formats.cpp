// SPDX-License-Identifier: MPL-2.0
#include "common/formats.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "common/failure.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

using nlohmann::json;

std::string line_text(const message_text &how, const message &frames) {
    std::string text;
    for (std::size_t index = 0; index < frames.size(); ++index)
        text += (index == 0 ? "" : how.frame_delimiter) + frames[index];
    return text + how.delimiter;
}

std::string hex_text(const message &frames) {
    std::string text;
    for (const auto &frame : frames)
        text += (text.empty() ? "" : " ") + (frame.empty() ? "-" : to_hex(frame));
    return text + "\n";
}

std::string json_text(const message &frames) {
    json array = json::array();
    for (const auto &frame : frames)
        array.push_back(is_utf8(frame) ? json(frame) : json{{"base64", to_base64(frame)}});
    return array.dump() + "\n";
}

message split_frames(const std::string &text, const std::string &delimiter) {
    message frames;
    std::size_t begin = 0;
    for (;;) {
        const auto end = delimiter.empty() ? text.npos : text.find(delimiter, begin);
        frames.push_back(text.substr(begin, end == text.npos ? end : end - begin));
        if (end == text.npos)
            return frames;
        begin = end + delimiter.size();
    }
}

message hex_frames(const std::string &text) {
    message frames;
    std::istringstream words(text);
    for (std::string word; words >> word;)
        frames.push_back(word == "-" ? "" : from_hex(word));
    if (frames.empty())
        throw failure("an empty line is no message in hex: write - for an empty frame");
    return frames;
}

std::string json_frame(const json &element) {
    if (element.is_string())
        return element.get<std::string>();
    if (element.is_object() && element.size() == 1 && element.contains("base64") &&
        element["base64"].is_string())
        return from_base64(element["base64"].get<std::string>());
    throw failure("a frame in JSON is a string or {\"base64\": \"...\"}, not " +
                  element.dump().substr(0, 60));
}

message json_frames(const std::string &text) {
    const json parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded())
        throw failure(
            concat("\"", printable(text), "\" is not JSON: write [\"frame\", \"frame\"] in one line"));
    if (!parsed.is_array())
        return {json_frame(parsed)};
    if (parsed.empty())
        throw failure("a message has at least one frame: [] is none, [\"\"] is an empty message");
    message frames;
    for (const auto &element : parsed)
        frames.push_back(json_frame(element));
    return frames;
}

} // namespace

const std::vector<std::string> &format_names() {
    static const std::vector<std::string> names{"line", "hex", "json", "raw"};
    return names;
}

message_format find_format(const std::string &name) {
    for (std::size_t index = 0; index < format_names().size(); ++index)
        if (format_names()[index] == name)
            return static_cast<message_format>(index);
    throw failure(concat("\"", name, "\" is no format"), status_usage);
}

std::string to_text(const message_text &how, const message &frames) {
    switch (how.format) {
    case message_format::line:
        return line_text(how, frames);
    case message_format::hex:
        return hex_text(frames);
    case message_format::json:
        return json_text(frames);
    case message_format::raw:
        break;
    }
    std::string bytes;
    for (const auto &frame : frames)
        bytes += frame;
    return bytes;
}

message from_text(const message_text &how, const std::string &text) {
    switch (how.format) {
    case message_format::line:
        return how.splits_lines ? split_frames(text, how.frame_delimiter) : message{text};
    case message_format::hex:
        return hex_frames(text);
    case message_format::json:
        return json_frames(text);
    case message_format::raw:
        break;
    }
    return {text};
}

std::optional<message> message_reader::next() {
    const auto text = next_text();
    if (!text)
        return std::nullopt;
    ++number_;
    try {
        return from_text(how_, *text);
    } catch (const failure &error) {
        throw failure(concat("message ", number_, " of the input: ", error.what()));
    }
}

std::optional<std::string> message_reader::next_text() {
    const bool whole = how_.format == message_format::raw;
    const std::string delimiter = how_.format == message_format::line ? how_.delimiter : "\n";
    if (!whole && !delimiter.empty()) {
        const auto end = gathered_.find(delimiter, std::max(searched_, taken_));
        if (end != gathered_.npos) {
            auto text = gathered_.substr(taken_, end - taken_);
            taken_ = searched_ = end + delimiter.size();
            return text;
        }
    }
    gathered_.erase(0, taken_);
    taken_ = 0;
    searched_ = gathered_.size() < delimiter.size() ? 0 : gathered_.size() - delimiter.size() + 1;
    // The end of the input ends a last line too. A whole input may be empty, and is a message once.
    if (!at_end_ || (gathered_.empty() && !(whole && !found_any_)))
        return std::nullopt;
    found_any_ = true;
    return std::exchange(gathered_, "");
}

void message_reader::read_some() {
    std::array<char, 65536> bytes;
    const auto size = read(descriptor_, bytes.data(), bytes.size());
    if (size > 0)
        gathered_.append(bytes.data(), static_cast<std::size_t>(size));
    else if (size == 0)
        at_end_ = true;
    else if (errno != EINTR && errno != EAGAIN)
        throw failure(concat("cannot read the standard input: ", std::strerror(errno)));
}

} // namespace cli
