// SPDX-License-Identifier: MPL-2.0
// Two handshakes with mechanisms of src/security against each other, and what may be done to their bytes on
// the way.
#pragma once

#include "security/curve_client.hpp"
#include "security/curve_server.hpp"
#include "security/plain_client.hpp"
#include "security/plain_server.hpp"
#include "zmtp/handshake.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace zlink::security {

using zmtp::byte_buffer;
using zmtp::byte_view;
using zmtp::handshake;
using zmtp::handshake_failure;
using zmtp::handshake_state;

inline zmtp::handshake_config config_of(socket_type type, std::string routing_id = "") {
    return {.type = type, .routing_id = std::move(routing_id), .extra = {{"X-note", "of mine"}}};
}

// Changes the bytes of one side as they pass; `sent` counts those that have passed.
using tamper = std::function<void(byte_buffer &bytes, std::size_t sent)>;

inline zmtp::verdict accepted() {
    return {.failure = handshake_failure::none, .status = 200, .vouched = {{"User-Id", "joe"}}};
}
inline zmtp::verdict refused(int status) {
    return {.failure = handshake_failure::refused, .status = status, .vouched = {}};
}

struct dialogue {
    handshake client;
    handshake server;
    zmtp::verdict answer = accepted();
    std::size_t step = 1000;
    tamper of_client = nullptr;
    tamper of_server = nullptr;
    int asked = 0;
    std::vector<std::string> credentials{};
    std::string client_said{};
    std::string server_said{};

    // Until both sides have nothing to say.
    void run() {
        for (bool moved = true; moved;) {
            const bool there = move(client, server, of_client, client_said);
            moved = move(server, client, of_server, server_said) || there;
        }
    }

  private:
    bool move(handshake &from, handshake &to, const tamper &change, std::string &said) {
        if (from.state() == handshake_state::authenticating) {
            ++asked;
            credentials = from.awaits().credentials;
            from.authenticated(answer);
        }
        const byte_view bytes = from.output().first(std::min(step, from.output().size()));
        byte_buffer copy(bytes.begin(), bytes.end());
        from.consume_output(copy.size());
        if (change)
            change(copy, said.size());
        said.append(zmtp::as_text(copy));
        for (byte_view left = copy; !left.empty();) {
            const std::size_t used = to.feed(left);
            left = left.subspan(used);
            if (to.state() != handshake_state::authenticating)
                break; // it has taken all, or is over
            ++asked;
            credentials = to.awaits().credentials;
            to.authenticated(answer);
        }
        return !copy.empty();
    }
};

inline const curve::key_pair &client_keys() {
    static const curve::key_pair keys = (static_cast<void>(curve::ready()), curve::make_key_pair());
    return keys;
}
inline const curve::key_pair &server_keys() {
    static const curve::key_pair keys = (static_cast<void>(curve::ready()), curve::make_key_pair());
    return keys;
}

inline dialogue plain_dialogue(std::string username = "admin", std::string password = "secret") {
    return {handshake(config_of(socket_type::req, "c"),
                      std::make_unique<plain_client>(std::move(username), std::move(password))),
            handshake(config_of(socket_type::rep), std::make_unique<plain_server>())};
}

inline dialogue curve_dialogue(const curve::key &server_key = server_keys().public_key) {
    return {handshake(config_of(socket_type::req, "c"),
                      std::make_unique<curve_client>(client_keys(), server_key)),
            handshake(config_of(socket_type::rep),
                      std::make_unique<curve_server>(server_keys().secret_key, true))};
}

// Changes the byte at `place` of all that a side says.
inline tamper flip(std::size_t place, std::uint8_t bits) {
    return [place, bits](byte_buffer &bytes, std::size_t sent) {
        if (place >= sent && place < sent + bytes.size())
            bytes[place - sent] ^= bits;
    };
}

} // namespace zlink::security
