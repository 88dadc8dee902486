// SPDX-License-Identifier: MPL-2.0
#include "common/recording.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "common/failure.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

constexpr std::string_view magic = "ZLINKREC";
constexpr std::uint16_t format_version = 1;
constexpr std::size_t head_bytes = 24;
constexpr char message_mark = 'M', end_mark = 'E';

std::string little_endian(std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t index = 0; index < size; ++index)
        bytes += static_cast<char>(value >> (8 * index) & 255);
    return bytes;
}

constexpr std::array<std::uint32_t, 256> crc_table = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t index = 0; index < 256; ++index) {
        std::uint32_t value = index;
        for (int bit = 0; bit < 8; ++bit)
            value = value & 1 ? 0xEDB88320U ^ value >> 1 : value >> 1;
        table[index] = value;
    }
    return table;
}();

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t value = 0xFFFFFFFFU;
    for (const char byte : bytes)
        value = crc_table[(value ^ static_cast<unsigned char>(byte)) & 255] ^ value >> 8;
    return ~value;
}

std::uint64_t wall_clock_ns() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
}

} // namespace

recording_writer::recording_writer(const std::string &file, bool replace)
    : path_(file == "-" ? "/dev/stdout" : file) {
    const auto &path = path_;
    std::error_code error;
    if (!replace && std::filesystem::exists(path, error) && std::filesystem::is_regular_file(path, error))
        throw failure(concat(path, " exists: take another name, or --force to replace it"));
    file_.open(path, std::ios::binary | std::ios::trunc);
    if (!file_)
        throw file_failure("make", path, errno);
    write(concat(magic, little_endian(format_version, 2), little_endian(0, 6),
                 little_endian(wall_clock_ns(), 8)));
}

void recording_writer::write(std::string bytes) {
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file_)
        throw failure(concat("cannot write ", path_, ": ", std::strerror(errno),
                             "; what was written before can be replayed"));
}

void recording_writer::add(const recorded_message &one) {
    std::string record(1, message_mark);
    record += little_endian(one.time_ns, 8) + little_endian(one.frames.size(), 4);
    for (const auto &frame : one.frames) {
        if (frame.size() > UINT32_MAX)
            throw failure("a frame of 4 GiB or more cannot be recorded");
        record += little_endian(frame.size(), 4);
        record += frame;
    }
    record += little_endian(crc32(record), 4);
    write(std::move(record));
    ++messages_;
}

void recording_writer::flush() {
    file_.flush();
    write("");
}

void recording_writer::finish() {
    std::string record(1, end_mark);
    record += little_endian(messages_, 8);
    record += little_endian(crc32(record), 4);
    write(std::move(record));
    file_.close();
    if (!file_)
        throw file_failure("write", path_, errno);
}

recording_reader::recording_reader(const std::string &file)
    : path_(file == "-" ? "/dev/stdin" : file), file_(path_, std::ios::binary) {
    const auto &path = path_;
    if (!file_ || std::filesystem::is_directory(path))
        throw file_failure("read", path, file_ ? EISDIR : errno);
    std::string head(head_bytes, '\0');
    file_.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file_.gcount()));
    if (!head.starts_with(magic))
        throw failure(concat(path, " is no recording: it does not begin with ", magic,
                             " (zlink record writes such files)"));
    place_ = head_bytes;
    if (head.size() < head_bytes)
        throw failure(concat(path, " is cut off in its head"));
    if (const int found = static_cast<unsigned char>(head[8]) | static_cast<unsigned char>(head[9]) << 8;
        found != format_version)
        throw failure(concat(path, " has version ", found, " of the format, and this zlink knows version ",
                             format_version, ": use a newer zlink"));
}

void recording_reader::rewind() {
    if (place_ == head_bytes) // a pipe is read once
        return;
    file_.clear();
    file_.seekg(head_bytes);
    if (!file_)
        throw failure(concat(path_, " cannot be read again: --loop needs a file"));
    messages_ = 0;
    place_ = head_bytes;
}

void recording_reader::fail(const std::string &what) const {
    throw failure(
        concat(path_, " ", what, " after ", counted(messages_, "message"), " (byte ", record_at_, ")"));
}

// Read in parts, so that a damaged size asks for no more memory than the file has bytes.
std::string recording_reader::take(std::size_t size, std::string &record) {
    constexpr std::size_t part_bytes = 1 << 20;
    std::string bytes;
    while (bytes.size() < size) {
        const auto part = std::min(part_bytes, size - bytes.size());
        const auto before = bytes.size();
        bytes.resize(before + part);
        file_.read(bytes.data() + before, static_cast<std::streamsize>(part));
        if (static_cast<std::size_t>(file_.gcount()) != part)
            fail("is cut off");
        place_ += part;
    }
    record += bytes;
    return bytes;
}

std::uint64_t recording_reader::take_number(std::size_t size, std::string &record) {
    const auto bytes = take(size, record);
    std::uint64_t value = 0;
    for (std::size_t index = size; index-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[index]);
    return value;
}

void recording_reader::check_sum(std::string &record) {
    const auto expected = crc32(record);
    if (take_number(4, record) != expected)
        fail("is damaged: a checksum is wrong");
}

std::optional<recorded_message> recording_reader::next() {
    record_at_ = place_;
    if (file_.peek() == std::ifstream::traits_type::eof())
        fail("was not closed: it ends without its end mark");
    std::string record;
    const char mark = take(1, record)[0];
    if (mark == end_mark) {
        const auto count = take_number(8, record);
        check_sum(record);
        if (count != messages_)
            fail(concat("is damaged: its end counts ", counted(count, "message")));
        return std::nullopt;
    }
    if (mark != message_mark)
        fail("is damaged: there is no record");
    recorded_message one;
    one.time_ns = take_number(8, record);
    const auto frames = take_number(4, record);
    for (std::uint64_t index = 0; index < frames; ++index) {
        const auto size = take_number(4, record);
        one.frames.push_back(take(size, record));
    }
    check_sum(record);
    if (one.frames.empty())
        fail("is damaged: a message has no frame");
    ++messages_;
    return one;
}

} // namespace cli
