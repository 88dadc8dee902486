// SPDX-License-Identifier: MPL-2.0
// The client's side of a ZMTP handshake on a bare stream (RFC 37, RFC 24), as far as `zlink ping` needs it.
// The caller decides each step. A step that takes longer than the timeout, or gets what does not belong
// there, throws a failure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/raw_stream.hpp"

namespace cli {

enum class greeting_state { complete, silent, closed, foreign };

struct zmtp_greeting {
    greeting_state state{greeting_state::silent};
    std::string version;   // "ZMTP 3.1"
    int minor{0};          // of version 3
    std::string mechanism; // empty before version 3
    bool as_server{false};
    std::string first_bytes;
    std::uint64_t first_byte_ns{0}; // when it came
};

using zmtp_metadata = std::map<std::string, std::string>;

struct zmtp_ready {
    std::optional<zmtp_metadata> metadata;
    std::string error; // if there is none
};

// ": it looks like HTTP", or nothing.
std::string guess_protocol(const std::string &first_bytes);

class zmtp_probe {
  public:
    zmtp_probe(const std::string &endpoint, double timeout_seconds)
        : stream_(endpoint, timeout_seconds), timeout_(timeout_seconds) {}

    // Sends the greeting, with the mechanism that the peer has.
    zmtp_greeting greet();

    // NULL.
    zmtp_metadata read_ready();
    void send_ready(const std::string &socket_type);

    // PLAIN. An error is what the peer sent.
    std::optional<std::string> plain_hello(const std::string &user, const std::string &password);
    zmtp_ready plain_initiate(const std::string &socket_type);

    // Sends PING and waits for its PONG, past other frames. Nanoseconds.
    std::uint64_t ping();
    // Waits. True if a signal came.
    bool idle(double seconds);

  private:
    struct frame {
        unsigned char flags;
        std::string body;
    };

    bool fill(std::size_t size);
    std::string take(std::size_t size);
    std::optional<frame> read_frame();
    // The next command; its name and data. The failure says what was waited for.
    std::pair<std::string, std::string> read_command(const char *awaited);
    void send_command(const std::string &name, const std::string &data);

    raw_stream stream_;
    double timeout_;
    std::string gathered_;
    std::uint64_t pings_{0};
};

} // namespace cli
