// SPDX-License-Identifier: MPL-2.0
#include "common/zmtp_probe.hpp"

#include <array>
#include <poll.h>

#include "common/clock.hpp"
#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"
#include "message/frame_header.hpp"
#include "zmtp/command.hpp"
#include "zmtp/socket_rules.hpp"

namespace cli {

namespace zmtp = zlink::zmtp;
namespace frame_flag = zlink::frame_flag;

namespace {

constexpr std::size_t signature_bytes = 10, greeting_bytes = 64, mechanism_bytes = 20;
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

// Our type, and an empty identity where the type has one.
std::vector<zmtp::property> properties_for(const std::string &socket_type) {
    std::vector<zmtp::property> all{{"Socket-Type", socket_type}};
    if (socket_type == "DEALER" || socket_type == "REQ" || socket_type == "ROUTER")
        all.push_back({"Identity", ""});
    return all;
}

std::string reason_of(std::optional<std::string_view> error) {
    return !error || error->empty() ? "no reason given" : printable(*error);
}

std::string text_of(zmtp::byte_view bytes) {
    return std::string(zmtp::as_text(bytes));
}

// It has to be one.
zmtp::command parsed(const std::string &body) {
    const auto found = zmtp::parse_command(zmtp::as_bytes(body));
    if (!found)
        throw failure("the peer sent a malformed command: it breaks ZMTP");
    return *found;
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
        take(signature_bytes + 1);
        read_old_metadata(told);
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

// The type is a byte, the identity a frame. What does not come is not told.
void zmtp_probe::read_old_metadata(zmtp_greeting &told) {
    if (!fill(1))
        return;
    const auto type = zmtp::socket_type_name_v2(static_cast<std::uint8_t>(take(1)[0]));
    told.metadata.push_back({"Socket-Type", std::string(type)});
    if (const auto identity = read_frame())
        told.metadata.push_back({"Identity", identity->body});
}

std::optional<zmtp_probe::frame> zmtp_probe::read_frame() {
    zlink::frame_header header{zlink::header_status::incomplete, 0, 0, 0};
    for (std::size_t size = zlink::small_header_size; header.status == zlink::header_status::incomplete;
         size = zlink::large_header_size) {
        if (!fill(size))
            return std::nullopt;
        header = zlink::parse_frame_header(reinterpret_cast<const std::uint8_t *>(gathered_.data()), size);
    }
    if (header.status == zlink::header_status::error)
        throw failure("the peer sent a frame with unknown flags: it breaks ZMTP");
    if (header.body_size > most_bytes)
        throw failure("the peer sends a message that is too large for this command");
    if (!fill(header.header_size + header.body_size))
        return std::nullopt;
    take(header.header_size);
    frame found{header.flags, take(header.body_size)};
    if (cipher_) {
        auto *const body = reinterpret_cast<std::uint8_t *>(found.body.data());
        const auto opened = cipher_->open({body, found.body.size()}, body);
        if (!opened)
            throw failure("the peer sent a frame that its key does not open");
        found = {opened->flags, text_of(opened->body)};
    }
    return found;
}

std::string zmtp_probe::read_command(const char *awaited) {
    for (;;) {
        auto found = read_frame();
        if (!found && stream_.peer_closed())
            throw failure(concat("the peer closed the connection instead of ", awaited,
                                 ": its authenticator may refuse this peer, or the mechanisms differ"));
        if (!found)
            throw failure(concat("no ", awaited, " within ", timeout_,
                                 " s: is the peer overloaded, or its authenticator missing?"));
        if ((found->flags & frame_flag::command) != 0)
            return std::move(found->body);
    }
}

void zmtp_probe::write(zmtp::byte_view bytes) {
    stream_.write(zmtp::as_text(bytes));
}

zmtp_metadata zmtp_probe::read_ready() {
    const auto body = read_command("READY");
    const auto found = parsed(body);
    if (found.kind == zmtp::command_kind::error)
        throw failure(concat("the peer refuses the connection: ", reason_of(zmtp::parse_error(found.data))));
    if (found.kind != zmtp::command_kind::ready)
        throw failure(concat("the peer sent ", printable(found.name), " instead of READY: it breaks ZMTP"));
    auto properties = zmtp::parse_properties(found.data);
    if (!properties)
        throw failure("the peer's metadata is malformed: a property is cut off, or has no name");
    return *std::move(properties);
}

void zmtp_probe::send_ready(const std::string &socket_type) {
    zmtp::byte_buffer out;
    zmtp::append_ready(out, properties_for(socket_type));
    write(out);
}

std::string zmtp_probe::take_command(zmtp::mechanism &security, const std::string &body) {
    const auto found = zmtp::parse_command(zmtp::as_bytes(body));
    if (!found) {
        const auto misspelt = security.misspelt_error(zmtp::as_bytes(body));
        return misspelt ? reason_of(misspelt) : "the peer sent a malformed command";
    }
    if (found->kind == zmtp::command_kind::error)
        return reason_of(zmtp::parse_error(found->data));
    const auto failed = security.accept(*found);
    return failed == zmtp::handshake_failure::none ? "" : std::string(zmtp::to_string(failed));
}

zmtp_ready zmtp_probe::shake_hands(zmtp::mechanism &security, const std::string &socket_type) {
    zmtp_ready told;
    security.begin(properties_for(socket_type));
    try {
        for (; !security.done(); ++told.steps) {
            zmtp::byte_buffer out;
            while (security.append_next(out)) {
            }
            write(out);
            told.error = take_command(security, read_command("the next step of the handshake"));
            if (!told.error.empty())
                return told;
        }
    } catch (const failure &) {
        if (!stream_.peer_closed())
            throw;
        told.error = "it closes the connection";
        return told;
    }
    cipher_ = security.take_cipher();
    told.metadata.emplace(security.peer_properties().begin(), security.peer_properties().end());
    return told;
}

std::uint64_t zmtp_probe::ping() {
    const std::string mark = concat("zlink", ++pings_);
    zmtp::byte_buffer out;
    zmtp::append_ping(out, 0, zmtp::as_bytes(mark));
    if (cipher_) {
        const auto body = zmtp::byte_view(out).subspan(zlink::small_header_size);
        zmtp::byte_buffer sealed(cipher_->sealed_size(body.size()));
        cipher_->seal(frame_flag::command, body, sealed.data());
        out = std::move(sealed);
    }
    const auto begin = now_ns();
    write(out);
    for (;;) {
        const auto body = read_command("PONG");
        const auto found = parsed(body);
        if (found.kind == zmtp::command_kind::error)
            throw failure(
                concat("the peer refuses the connection: ", reason_of(zmtp::parse_error(found.data))));
        const auto context = zmtp::parse_pong(found.data);
        // A Pong of WebSocket comes without what the PING had.
        if (found.kind == zmtp::command_kind::pong && context &&
            (zmtp::as_text(*context) == mark || context->empty()))
            return now_ns() - begin;
    }
}

bool zmtp_probe::idle(double seconds) {
    pollfd stop{stop_signal::descriptor(), POLLIN, 0};
    poll(&stop, 1, static_cast<int>(seconds * 1000));
    return stop_signal::came();
}

} // namespace cli
