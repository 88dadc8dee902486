// SPDX-License-Identifier: MPL-2.0
#include "common/zmtp_probe.hpp"

#include <array>
#include <poll.h>

#include "common/clock.hpp"
#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

constexpr std::size_t signature_bytes = 10, greeting_bytes = 64, mechanism_bytes = 20;
constexpr unsigned char more_flag = 1, long_flag = 2, command_flag = 4;
// More than any handshake has. A message that a publisher sends may be larger: then the connection is given
// up.
constexpr std::uint64_t most_bytes = 16U << 20;

struct protocol {
    std::string_view begins;
    const char *name;
};

constexpr std::array<protocol, 10> protocols{
    {{"HTTP/", "HTTP"},
     {"SSH-", "SSH"},
     {std::string_view("\x15\x03", 2), "TLS: does the endpoint want encryption?"},
     {std::string_view("\x16\x03", 2), "TLS: does the endpoint want encryption?"},
     {"-ERR", "Redis"},
     {"220", "SMTP or FTP"},
     {"* OK", "IMAP"},
     {"AMQP", "AMQP"},
     {"INFO {", "NATS"},
     {std::string_view("\x01\x00", 2), "ZMTP 1.0, of a libzmq before version 3"}}};

std::string property(const std::string &name, const std::string &value) {
    std::string bytes(1, static_cast<char>(name.size()));
    bytes += name;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value.size() >> shift & 255);
    return bytes + value;
}

std::uint64_t big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (const char byte : bytes)
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

std::string properties_for(const std::string &socket_type) {
    auto bytes = property("Socket-Type", socket_type);
    if (socket_type == "DEALER" || socket_type == "REQ" || socket_type == "ROUTER")
        bytes += property("Identity", "");
    return bytes;
}

zmtp_metadata read_properties(std::string_view data) {
    zmtp_metadata found;
    while (!data.empty()) {
        const std::size_t name_size = static_cast<unsigned char>(data[0]);
        if (data.size() < 1 + name_size + 4)
            throw failure("the peer's metadata is malformed: a property is cut off");
        const std::string name(data.substr(1, name_size));
        const auto value_size = big_endian(data.substr(1 + name_size, 4));
        data.remove_prefix(1 + name_size + 4);
        if (data.size() < value_size)
            throw failure("the peer's metadata is malformed: a value is cut off");
        found[name] = std::string(data.substr(0, value_size));
        data.remove_prefix(value_size);
    }
    return found;
}

// ERROR has a reason with its length before it.
std::string reason(const std::string &data) {
    return data.empty() ? "no reason given" : printable(data.substr(1));
}

} // namespace

std::string guess_protocol(const std::string &first_bytes) {
    for (const auto &row : protocols)
        if (first_bytes.starts_with(row.begins))
            return concat("; that looks like ", row.name);
    return "";
}

bool zmtp_probe::fill(std::size_t size) {
    const auto deadline = now_ns() + seconds_to_ns(timeout_);
    while (gathered_.size() < size && !stream_.peer_closed()) {
        const auto now = now_ns();
        if (now >= deadline)
            return false;
        gathered_ += stream_.read_up_to(65536, static_cast<double>(deadline - now) / 1e9);
    }
    return gathered_.size() >= size;
}

std::string zmtp_probe::take(std::size_t size) {
    auto bytes = gathered_.substr(0, size);
    gathered_.erase(0, size);
    return bytes;
}

zmtp_greeting zmtp_probe::greet() {
    zmtp_greeting told;
    stream_.write(std::string("\xFF\0\0\0\0\0\0\0\1\x7F\3\1", signature_bytes + 2));
    const bool any = fill(1);
    told.first_byte_ns = now_ns();
    if (!any) {
        told.state = stream_.peer_closed() ? greeting_state::closed : greeting_state::silent;
        return told;
    }
    const bool is_zmtp = static_cast<unsigned char>(gathered_[0]) == 0xFF && fill(signature_bytes + 1) &&
                         (gathered_[signature_bytes - 1] & 1) != 0;
    if (!is_zmtp) {
        told.state = greeting_state::foreign;
        told.first_bytes = gathered_;
        return told;
    }
    told.state = greeting_state::complete;
    const int major = static_cast<unsigned char>(gathered_[signature_bytes]);
    if (major < 3) {
        told.version = "ZMTP 2.0";
        return told;
    }
    if (!fill(greeting_bytes))
        throw failure(
            "the peer's greeting is cut off: it is no ZMTP of version 3, or the line is slow (--timeout)");
    const auto greeting = take(greeting_bytes);
    told.minor = major > 3 ? 1 : static_cast<unsigned char>(greeting[signature_bytes + 1]);
    told.version = concat("ZMTP ", major, ".",
                          static_cast<int>(static_cast<unsigned char>(greeting[signature_bytes + 1])));
    const auto mechanism = greeting.substr(signature_bytes + 2, mechanism_bytes);
    told.mechanism = mechanism.substr(0, mechanism.find('\0'));
    told.as_server = greeting[signature_bytes + 2 + mechanism_bytes] == 1;
    stream_.write(mechanism + std::string(greeting_bytes - signature_bytes - 2 - mechanism_bytes, '\0'));
    return told;
}

std::optional<zmtp_probe::frame> zmtp_probe::read_frame() {
    if (!fill(2))
        return std::nullopt;
    const auto flags = static_cast<unsigned char>(gathered_[0]);
    if ((flags & ~(more_flag | long_flag | command_flag)) != 0)
        throw failure("the peer sent a frame with unknown flags: it breaks ZMTP");
    const std::size_t length_bytes = flags & long_flag ? 8 : 1;
    if (!fill(1 + length_bytes))
        return std::nullopt;
    const auto size = big_endian(std::string_view(gathered_).substr(1, length_bytes));
    if (size > most_bytes)
        throw failure("the peer sends a message that is too large for this command");
    if (!fill(1 + length_bytes + size))
        return std::nullopt;
    take(1 + length_bytes);
    return frame{flags, take(size)};
}

std::pair<std::string, std::string> zmtp_probe::read_command(const char *awaited) {
    for (;;) {
        const auto found = read_frame();
        if (!found && stream_.peer_closed())
            throw failure(concat("the peer closed the connection instead of ", awaited,
                                 ": its authenticator may refuse this peer, or the mechanisms differ"));
        if (!found)
            throw failure(concat("no ", awaited, " within ", timeout_,
                                 " s: is the peer overloaded, or its authenticator missing?"));
        if ((found->flags & command_flag) == 0)
            continue;
        // libzmq's PLAIN spells ERROR like this.
        if (found->body.starts_with("\x5E"
                                    "RROR"))
            return {"ERROR", found->body.substr(5)};
        const std::size_t size = found->body.empty() ? 0 : static_cast<unsigned char>(found->body[0]);
        if (found->body.size() < 1 + size || size == 0)
            throw failure("the peer sent a malformed command: it breaks ZMTP");
        return {found->body.substr(1, size), found->body.substr(1 + size)};
    }
}

void zmtp_probe::send_command(const std::string &name, const std::string &data) {
    std::string body(1, static_cast<char>(name.size()));
    body += name + data;
    std::string bytes;
    if (body.size() < 256) {
        bytes = {static_cast<char>(command_flag), static_cast<char>(body.size())};
    } else {
        bytes.assign(1, static_cast<char>(command_flag | long_flag));
        for (int shift = 56; shift >= 0; shift -= 8)
            bytes += static_cast<char>(static_cast<std::uint64_t>(body.size()) >> shift & 255);
    }
    stream_.write(bytes + body);
}

zmtp_metadata zmtp_probe::read_ready() {
    const auto [name, data] = read_command("READY");
    if (name == "ERROR")
        throw failure(concat("the peer refuses the connection: ", reason(data)));
    if (name != "READY")
        throw failure(concat("the peer sent ", printable(name), " instead of READY: it breaks ZMTP"));
    return read_properties(data);
}

void zmtp_probe::send_ready(const std::string &socket_type) {
    send_command("READY", properties_for(socket_type));
}

std::optional<std::string> zmtp_probe::plain_hello(const std::string &user, const std::string &password) {
    if (user.size() > 255 || password.size() > 255)
        throw failure("a user's name and a password have at most 255 bytes each");
    send_command("HELLO", std::string(1, static_cast<char>(user.size())) + user +
                              static_cast<char>(password.size()) + password);
    const auto [name, data] = read_command("WELCOME");
    if (name == "WELCOME")
        return std::nullopt;
    return reason(data);
}

zmtp_ready zmtp_probe::plain_initiate(const std::string &socket_type) {
    send_command("INITIATE", properties_for(socket_type));
    try {
        const auto [name, data] = read_command("READY");
        if (name == "READY")
            return {read_properties(data), ""};
        return {std::nullopt, reason(data)};
    } catch (const failure &error) {
        if (stop_signal::came())
            throw;
        return {std::nullopt, error.what()};
    }
}

std::uint64_t zmtp_probe::ping() {
    const std::string mark = concat("zlink", ++pings_);
    const auto begin = now_ns();
    send_command("PING", std::string(2, '\0') + mark);
    for (;;) {
        const auto [name, data] = read_command("PONG");
        if (name == "PONG" && data == mark)
            return now_ns() - begin;
        if (name == "ERROR")
            throw failure(concat("the peer refuses the connection: ", reason(data)));
    }
}

bool zmtp_probe::idle(double seconds) {
    pollfd stop{stop_signal::descriptor(), POLLIN, 0};
    poll(&stop, 1, static_cast<int>(seconds * 1000));
    return stop_signal::came();
}

} // namespace cli
