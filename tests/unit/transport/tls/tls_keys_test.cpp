// SPDX-License-Identifier: MPL-2.0
// A peer of a TLS session that asks for new keys.
#include "transport/tls/tls_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tls_certificates.hpp"

namespace zlink::transport {
namespace {

using test::certificates;

std::unique_ptr<tls_session> open_server() {
    tls_options options;
    options.certificate = certificates().server.pem;
    options.key = certificates().server.key;
    auto credentials = std::make_shared<tls_credentials>();
    EXPECT_TRUE(credentials->set(options));
    return tls_session::make(*tls_context::make(tls_role::server, "", options, credentials));
}

void give(tls_session &to, const std::string &bytes) {
    const auto room = to.room();
    ASSERT_GE(room.size(), bytes.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
    to.received(bytes.size());
}

// A client of OpenSSL itself, which can ask for new keys.
class bare_client {
  public:
    bare_client() : context_(SSL_CTX_new(TLS_client_method())), ssl_(SSL_new(context_.get())) {
        SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_connect_state(ssl_.get());
    }
    void shake(tls_session &server) {
        for (int turn = 0; turn < 4; ++turn) {
            (void)SSL_do_handshake(ssl_.get());
            give(server, taken());
            server.advance();
            const auto answer = server.output();
            BIO_write(SSL_get_rbio(ssl_.get()), answer.data(), static_cast<int>(answer.size()));
            server.sent(answer.size());
        }
    }
    std::string ask_for_keys() {
        EXPECT_EQ(SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED), 1);
        EXPECT_EQ(SSL_do_handshake(ssl_.get()), 1);
        return taken();
    }

  private:
    std::string taken() {
        std::string bytes(BIO_ctrl_pending(SSL_get_wbio(ssl_.get())), '\0');
        BIO_read(SSL_get_wbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
        return bytes;
    }
    ssl_context_handle context_;
    ssl_handle ssl_;
};

TEST(tls_session, gives_up_a_peer_that_asks_for_new_keys_without_end_and_reads_no_answer) {
    const auto server = open_server();
    bare_client client;
    client.shake(*server);
    std::size_t most = 0;
    std::array<std::uint8_t, 64> room;
    for (int count = 0; count < 10'000 && server->state() == tls_state::open; ++count) {
        give(*server, client.ask_for_keys());
        EXPECT_EQ(server->read(room), 0U);
        most = std::max(most, server->output().size());
        if (!server->output().empty())
            server->sent(1); // a little at a time
    }
    EXPECT_EQ(server->state(), tls_state::failed);
    EXPECT_LT(most, 200'000U);
}

} // namespace
} // namespace zlink::transport
