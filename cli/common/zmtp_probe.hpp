// SPDX-License-Identifier: MPL-2.0
// The client's side of a ZMTP handshake, as `zlink ping` needs it: with the library's own commands and
// mechanisms, but the caller decides each step. A step that takes longer than the timeout, or gets what does
// not belong there, throws a failure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/raw_stream.hpp"
#include "zmtp/mechanism.hpp"

namespace cli {

enum class greeting_state { complete, silent, closed, foreign };

using zmtp_metadata = std::vector<zlink::zmtp::property>;

struct zmtp_greeting {
    greeting_state state{greeting_state::silent};
    std::string version;   // "ZMTP 3.1"
    int minor{0};          // of version 3
    std::string mechanism; // empty before version 3
    bool as_server{false};
    zmtp_metadata metadata; // before version 3
    std::string first_bytes;
    std::uint64_t first_byte_ns{0}; // when it came
};

struct zmtp_ready {
    std::optional<zmtp_metadata> metadata;
    std::string error; // if there is none: why the peer has ended the handshake
    int steps{0};      // commands of the peer that were taken
};

// ": it looks like HTTP", or nothing.
std::string guess_protocol(const std::string &first_bytes);

class zmtp_probe {
  public:
    zmtp_probe(const std::string &endpoint, double timeout_seconds, const zlink::socket_options &options)
        : stream_(endpoint, timeout_seconds, options), timeout_(timeout_seconds) {}

    const raw_stream &stream() const { return stream_; }

    // Sends the greeting, with the mechanism that the peer has.
    zmtp_greeting greet();

    // NULL, in which the peer speaks first.
    zmtp_metadata read_ready();
    void send_ready(const std::string &socket_type);

    // The handshake of another mechanism, as a socket of this type. An error is why it has failed.
    zmtp_ready shake_hands(zlink::zmtp::mechanism &security, const std::string &socket_type);

    // Sends PING and waits for its PONG, past other frames. Nanoseconds.
    std::uint64_t ping();
    // Waits. True if a signal came.
    bool idle(double seconds);

  private:
    struct frame {
        std::uint8_t flags;
        std::string body;
    };

    bool fill(std::size_t size);
    std::string take(std::size_t size);
    void read_old_metadata(zmtp_greeting &told);
    std::optional<frame> read_frame();
    // The body of the next command. The failure says what was waited for.
    std::string read_command(const char *awaited);
    void write(zlink::zmtp::byte_view bytes);
    // What is wrong with a command of the mechanism; nothing if it was taken.
    std::string take_command(zlink::zmtp::mechanism &security, const std::string &body);

    raw_stream stream_;
    double timeout_;
    std::string gathered_;
    std::unique_ptr<zlink::zmtp::frame_cipher> cipher_; // after a handshake that has one
    std::uint64_t pings_{0};
};

} // namespace cli
