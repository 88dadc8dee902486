// SPDX-License-Identifier: MPL-2.0
// CURVE against any peer. The first byte chooses the form of the rest, one of three. It is all that follows
// the greeting, for a server or a client, in pieces. Or it is the properties of an INITIATE that is otherwise
// right, which no fuzzer could encrypt. Or it is changes to a dialogue of two right sides, which must end the
// dialogue.
#include "pieces.hpp"

#include "base/bytes.hpp"
#include "security/curve_client.hpp"
#include "security/curve_server.hpp"

using namespace zlink;
using namespace zlink::fuzz;
namespace curve = zlink::security::curve;

namespace {

struct known_keys {
    known_keys() { require(curve::ready()); }
    curve::key_pair client{curve::make_key_pair()};
    curve::key_pair server{curve::make_key_pair()};
};
const known_keys &keys() {
    static const known_keys made;
    return made;
}

zmtp::handshake make_side(bool server) {
    if (server)
        return zmtp::handshake({.type = socket_type::rep, .routing_id = {}, .extra = {}},
                               std::make_unique<security::curve_server>(keys().server.secret_key, true));
    return zmtp::handshake({.type = socket_type::req, .routing_id = "c", .extra = {}},
                           std::make_unique<security::curve_client>(keys().client, keys().server.public_key));
}

void append(zmtp::byte_buffer &out, zmtp::byte_view bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

// Does all that a client has to, but for the properties.
void send_properties(zmtp::byte_view properties) {
    zmtp::handshake server = make_side(true);
    server.feed(with_greeting("CURVE", {}));
    server.consume_output(server.output().size());
    const curve::key_pair own = curve::make_key_pair();
    zmtp::byte_buffer hello{1, 0};
    hello.resize(74);
    append(hello, own.public_key);
    hello.resize(hello.size() + 8);
    const std::array<std::uint8_t, 64> zeros{};
    require(curve::append_box(hello, zeros, curve::make_nonce("CurveZMQHELLO---", 0),
                              keys().server.public_key, own.secret_key));
    zmtp::byte_buffer frame;
    zmtp::append_command(frame, "HELLO", hello);
    server.feed(frame);
    const zmtp::byte_view welcome = server.output().subspan(2 + 8);
    const auto opened =
        curve::open_box(welcome.subspan(16), curve::make_nonce("WELCOME-", curve::first_of<16>(welcome)),
                        keys().server.public_key, own.secret_key);
    require(opened.has_value());
    const curve::key transient = curve::first_of<32>(*opened);
    zmtp::byte_buffer told(own.public_key.begin(), own.public_key.end());
    append(told, keys().server.public_key);
    const curve::long_nonce random = curve::random_long_nonce();
    zmtp::byte_buffer plain(keys().client.public_key.begin(), keys().client.public_key.end());
    append(plain, random);
    require(curve::append_box(plain, told, curve::make_nonce("VOUCH---", random), transient,
                              keys().client.secret_key));
    append(plain, properties);
    zmtp::byte_buffer initiate(opened->begin() + 32, opened->end());
    const std::array<std::uint8_t, 8> number{0, 0, 0, 0, 0, 0, 0, 1};
    append(initiate, number);
    require(curve::append_box(initiate, plain, curve::make_nonce("CurveZMQINITIATE", 1), transient,
                              own.secret_key));
    frame.clear();
    zmtp::append_command(frame, "INITIATE", initiate);
    server.feed(frame);
    const bool parsed = zmtp::parse_properties(properties).has_value();
    require((server.state() == zmtp::handshake_state::authenticating) == parsed);
    require(parsed || server.failure() == zmtp::handshake_failure::malformed_metadata);
    if (parsed) {
        server.authenticated(accepted());
        require(server.state() != zmtp::handshake_state::authenticating);
    }
}

// Three bytes say: whose byte, how far, what to change in it.
void disturb(zmtp::byte_view changes) {
    zmtp::handshake client = make_side(false);
    zmtp::handshake server = make_side(true);
    std::size_t passed[2] = {};
    const auto move = [&](zmtp::handshake &from, zmtp::handshake &to, std::size_t who) {
        if (from.state() == zmtp::handshake_state::authenticating)
            from.authenticated(accepted());
        zmtp::byte_buffer bytes(from.output().begin(), from.output().end());
        from.consume_output(bytes.size());
        for (std::size_t at = 0; at + 2 < changes.size(); at += 3) {
            const std::size_t place = (changes[at] >> 1) + changes[at + 1] * std::size_t{2};
            if ((changes[at] & 1) == who && place >= passed[who] && place < passed[who] + bytes.size())
                bytes[place - passed[who]] ^= changes[at + 2];
        }
        passed[who] += bytes.size();
        to.feed(bytes);
        return !bytes.empty();
    };
    for (bool moved = true; moved;) {
        const bool there = move(client, server, 0);
        moved = move(server, client, 1) || there;
    }
    for (zmtp::handshake *side : {&client, &server}) {
        require((side->state() == zmtp::handshake_state::failed) ==
                (side->failure() != zmtp::handshake_failure::none));
        require((side->state() == zmtp::handshake_state::done) == (side->take_cipher() != nullptr));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const zmtp::byte_view rest(data + 1, size - 1);
    switch (data[0] & 3) {
    case 0:
    case 1: {
        const bool server = (data[0] & 1) != 0;
        require_same_end(make_side(server), make_side(server), with_greeting("CURVE", rest),
                         1U + data[0] / 4U);
        break;
    }
    case 2:
        send_properties(rest);
        break;
    default:
        disturb(rest);
    }
    return 0;
}
