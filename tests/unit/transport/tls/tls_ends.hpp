// SPDX-License-Identifier: MPL-2.0
// Both ends of a TLS connection as machines, joined by a test. No socket is used.
#pragma once

#include "transport/tls/tls_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tls_certificates.hpp"

namespace zlink::transport {

using test::certificates;

inline tls_options server_options() {
    tls_options options;
    options.certificate = certificates().server.pem;
    options.key = certificates().server.key;
    return options;
}

inline tls_options client_options() {
    tls_options options;
    options.authorities = certificates().authority.pem;
    return options;
}

inline std::shared_ptr<tls_context> context_of(tls_role role, const tls_options &options,
                                               const std::string &host = "localhost") {
    auto credentials = std::make_shared<tls_credentials>();
    EXPECT_TRUE(credentials->set(options));
    auto made = tls_context::make(role, host, options, credentials);
    EXPECT_TRUE(made) << made.code();
    return made ? *made : nullptr;
}

inline int context_code(tls_role role, const tls_options &options) {
    auto credentials = std::make_shared<tls_credentials>();
    if (const auto set = credentials->set(options); !set)
        return set.code();
    return tls_context::make(role, "localhost", options, credentials).code();
}

inline std::string take_output(tls_session &from) {
    const auto out = from.output();
    std::string bytes(reinterpret_cast<const char *>(out.data()), out.size());
    from.sent(out.size());
    return bytes;
}

inline void put_input(tls_session &to, std::string_view bytes) {
    while (!bytes.empty() && to.state() != tls_state::failed) {
        const auto room = to.room();
        const std::size_t size = std::min(bytes.size(), room.size());
        ASSERT_NE(size, 0U);
        std::memcpy(room.data(), bytes.data(), size);
        to.received(size);
        bytes.remove_prefix(size);
    }
}

inline std::string read_all(tls_session &from, std::size_t piece = 4096) {
    std::string all;
    std::vector<std::uint8_t> room(piece);
    while (const std::size_t got = from.read(room))
        all.append(reinterpret_cast<const char *>(room.data()), got);
    return all;
}

inline std::size_t write_text(tls_session &to, std::string_view text) {
    return to.write({reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
}

struct both {
    std::unique_ptr<tls_session> client;
    std::unique_ptr<tls_session> server;

    both(std::shared_ptr<tls_context> client_side, std::shared_ptr<tls_context> server_side)
        : client(tls_session::make(std::move(client_side))),
          server(tls_session::make(std::move(server_side))) {}
    both(const tls_options &of_client, const tls_options &of_server, const std::string &host = "localhost")
        : both(context_of(tls_role::client, of_client, host), context_of(tls_role::server, of_server)) {}

    // Both go on until neither has anything to say. Bytes travel in pieces.
    void shake(std::size_t piece = 100000) {
        for (bool busy = true; busy;) {
            client->advance();
            server->advance();
            busy = carry(*client, *server, piece);
            busy |= carry(*server, *client, piece);
        }
    }
    static bool carry(tls_session &from, tls_session &to, std::size_t piece) {
        const std::string bytes = take_output(from);
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            put_input(to, std::string_view(bytes).substr(at, piece));
            to.advance();
        }
        return !bytes.empty();
    }
    [[nodiscard]] bool open() const {
        return client->state() == tls_state::open && server->state() == tls_state::open;
    }
};

inline std::string fact(const tls_session &of, const std::string &name) {
    for (const auto &[known, value] : of.facts())
        if (known == name)
            return value;
    return "none";
}

} // namespace zlink::transport
