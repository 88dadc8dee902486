// SPDX-License-Identifier: MPL-2.0
// A file of messages with their times. All numbers are little-endian.
//
// head:    "ZLINKREC", version u16 (1), reserved u16 (0), reserved u32 (0), wall clock of the beginning u64
// (ns since 1970) message: 'M', time u64 (ns since the beginning), number of frames u32, for each frame its
// size u32 and its bytes,
//          CRC-32 u32 of all bytes of the record before it
// end:     'E', number of messages u64, CRC-32 u32 of the nine bytes before it. A file without it was not
// closed.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "common/messaging.hpp"

namespace cli {

struct recorded_message {
    std::uint64_t time_ns{0};
    message frames;
};

class recording_writer {
  public:
    // Throws a failure if the file exists, unless `replace`. "-" is the standard output.
    recording_writer(const std::string &file, bool replace);
    void add(const recorded_message &one);
    void flush();
    // Writes the end.
    void finish();
    std::uint64_t messages() const { return messages_; }

  private:
    void write(std::string bytes);

    std::string path_;
    std::ofstream file_;
    std::uint64_t messages_{0};
};

class recording_reader {
  public:
    // "-" is the standard input.
    explicit recording_reader(const std::string &file);
    // The next message; none at the end. Throws a failure if the file is damaged or cut off there.
    std::optional<recorded_message> next();
    // Back to the first message. Throws a failure if that is no longer possible, as in a pipe.
    void rewind();
    std::uint64_t messages() const { return messages_; }

  private:
    std::string take(std::size_t size, std::string &record);
    std::uint64_t take_number(std::size_t size, std::string &record);
    void check_sum(std::string &record);
    [[noreturn]] void fail(const std::string &what) const;

    std::string path_;
    std::ifstream file_;
    std::uint64_t messages_{0}, place_{0}, record_at_{0}; // bytes from the beginning of the file
};

} // namespace cli
