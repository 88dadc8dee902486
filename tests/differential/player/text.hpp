// SPDX-License-Identifier: MPL-2.0
//
// Texts of scripts and of results: escapes, endpoints by symbolic names, bodies in short.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using words = std::vector<std::string>;

// The words of a line, separated by spaces.
words split(std::string_view line, char separator);

// "%41" stands for the byte 0x41.
std::string unescape(std::string_view text);

// Printable bytes stay as they are, but for space, percent, comma and brackets.
std::string escape(std::string_view bytes);

// Bytes in short: all of them up to 40, else the first ones, the size and a hash.
std::string describe_bytes(std::string_view bytes);

// The content of a frame: it begins with "<message>.<frame>:", so that a reader sees order and loss.
std::string make_content(unsigned message, std::size_t frame, std::size_t size);

// Where the sockets of one script meet: an address and a folder that no other script has at the same time.
class places {
  public:
    places(std::string host, std::string folder);
    // "tcp:1", "ipc:1" and "inproc:a" are full endpoints in short; in another text {host}, {dir} and escapes
    // are replaced.
    std::string endpoint(std::string_view token) const;
    // Replaces what changes from run to run: the address, the folder, ports of the system's choice, made-up
    // paths.
    std::string mask(std::string text) const;
    const std::string &host() const { return host_; }

  private:
    std::string host_;
    std::string folder_;
};
