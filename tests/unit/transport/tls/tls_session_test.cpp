// SPDX-License-Identifier: MPL-2.0
// Both ends of a TLS connection as machines, joined by the test. No socket is used.
#include "tls_ends.hpp"

namespace zlink::transport {
namespace {

TEST(tls_session, carries_bytes_both_ways_after_the_handshake) {
    both ends(client_options(), server_options());
    EXPECT_EQ(ends.client->state(), tls_state::handshake);
    EXPECT_EQ(write_text(*ends.client, "early"), 0U);
    ends.shake();
    ASSERT_TRUE(ends.open());
    EXPECT_EQ(write_text(*ends.client, "question"), 8U);
    both::carry(*ends.client, *ends.server, 1000);
    EXPECT_EQ(read_all(*ends.server), "question");
    EXPECT_EQ(write_text(*ends.server, "answer"), 6U);
    both::carry(*ends.server, *ends.client, 1000);
    EXPECT_EQ(read_all(*ends.client), "answer");
    EXPECT_EQ(fact(*ends.client, "Tls-Version"), "TLSv1.3");
    EXPECT_EQ(fact(*ends.client, "Tls-Subject"), "CN=localhost");
    EXPECT_EQ(fact(*ends.client, "Tls-Alternative-Names"), "DNS:localhost,IP:127.0.0.1,IP:::1");
    EXPECT_EQ(fact(*ends.client, "Tls-Fingerprint").size(), 64U);
    EXPECT_EQ(fact(*ends.server, "Tls-Subject"), "none");
}

TEST(tls_session, shakes_hands_a_byte_at_a_time) {
    for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
        auto options = client_options();
        options.min_version = version;
        both ends(options, server_options());
        ends.shake(1);
        EXPECT_TRUE(ends.open());
    }
}

TEST(tls_session, reads_a_record_that_is_cut_at_any_byte) {
    both ends(client_options(), server_options());
    ends.shake();
    const std::string text = "a message of some length";
    write_text(*ends.client, text);
    const std::size_t size = ends.client->output().size();
    take_output(*ends.client);
    read_all(*ends.client);
    both pair(client_options(), server_options());
    pair.shake();
    for (std::size_t cut = 0; cut < size; ++cut) {
        write_text(*pair.client, text);
        const std::string bytes = take_output(*pair.client);
        ASSERT_EQ(bytes.size(), size);
        put_input(*pair.server, std::string_view(bytes).substr(0, cut));
        EXPECT_EQ(read_all(*pair.server), "") << cut;
        EXPECT_FALSE(pair.server->has_buffered()) << cut;
        EXPECT_TRUE(pair.server->wants_input()) << cut;
        put_input(*pair.server, std::string_view(bytes).substr(cut));
        EXPECT_TRUE(pair.server->has_buffered()) << cut;
        EXPECT_EQ(read_all(*pair.server), text) << cut;
    }
}

TEST(tls_session, tells_of_bytes_that_are_left_until_they_are_read) {
    both ends(client_options(), server_options());
    ends.shake();
    write_text(*ends.client, std::string(1000, 'a'));
    write_text(*ends.client, std::string(500, 'b'));
    both::carry(*ends.client, *ends.server, 100000);
    std::vector<std::uint8_t> room(700);
    EXPECT_EQ(ends.server->read(room), 700U);
    EXPECT_TRUE(ends.server->has_buffered());
    EXPECT_EQ(ends.server->read(std::span(room).first(300)), 300U); // the second record is whole, and unread
    EXPECT_TRUE(ends.server->has_buffered());
    EXPECT_EQ(ends.server->read(room), 500U);
    EXPECT_FALSE(ends.server->has_buffered());
    ends.server->rest();
    EXPECT_EQ(ends.server->read(room), 0U);
}

TEST(tls_session, takes_at_most_a_record_at_a_time) {
    both ends(client_options(), server_options());
    ends.shake();
    const std::string large(100000, 'x');
    std::string came;
    for (std::size_t at = 0; at < large.size();) {
        const std::size_t taken = write_text(*ends.client, std::string_view(large).substr(at));
        ASSERT_GT(taken, 0U);
        ASSERT_LE(taken, tls_session::largest_record);
        at += taken;
        both::carry(*ends.client, *ends.server, 1000000);
        came += read_all(*ends.server);
    }
    EXPECT_EQ(came, large);
}

TEST(tls_session, speaks_tls_1_2_where_both_allow_it) {
    auto server = server_options();
    auto client = client_options();
    server.min_version = client.min_version = TLS1_2_VERSION;
    both ends(client, server);
    ends.shake();
    ASSERT_TRUE(ends.open());
    EXPECT_EQ(fact(*ends.client, "Tls-Version"), "TLSv1.3"); // the newer one is preferred
}

TEST(tls_session, hears_of_the_end) {
    both ends(client_options(), server_options());
    ends.shake();
    write_text(*ends.client, "last");
    ends.client->close();
    both::carry(*ends.client, *ends.server, 1000);
    EXPECT_EQ(read_all(*ends.server), "last");
    EXPECT_EQ(ends.server->state(), tls_state::closed);
    EXPECT_TRUE(ends.server->has_buffered());
}

// ---- who the peer is

struct trust_case {
    const char *name;
    tls_failure of_client;
    tls_failure of_server;
    test::certificate_wish server;
    bool own_authority = true;
    std::string host = "localhost";
};

TEST(tls_session, refuses_a_server_whose_certificate_does_not_hold) {
    const trust_case cases[] = {
        {"good", tls_failure::none, tls_failure::none, {}},
        {"rsa", tls_failure::none, tls_failure::none, {.rsa = true}},
        {"by address", tls_failure::none, tls_failure::none, {}, true, "127.0.0.1"},
        {"by address of six", tls_failure::none, tls_failure::none, {}, true, "::1"},
        {"expired", tls_failure::expired, tls_failure::refused, {.first_day = -9, .last_day = -1}},
        {"not yet valid", tls_failure::not_yet_valid, tls_failure::refused, {.first_day = 2}},
        {"other name",
         tls_failure::other_host,
         tls_failure::refused,
         {.alternative_names = "DNS:other.example"}},
        {"name in the subject only",
         tls_failure::other_host,
         tls_failure::refused,
         {.name = "other", .alternative_names = ""}},
        {"other address", tls_failure::other_host, tls_failure::refused, {}, true, "127.0.0.2"},
        {"other authority", tls_failure::untrusted, tls_failure::refused, {}, false},
    };
    const auto other = test::make_authority("another authority");
    for (const trust_case &one : cases) {
        const auto made =
            test::make_certificate(one.server, one.own_authority ? &certificates().authority : &other);
        tls_options server;
        server.certificate = made.pem;
        server.key = made.key;
        both ends(client_options(), server, one.host);
        ends.shake();
        EXPECT_EQ(ends.client->failure(), one.of_client) << one.name << to_string(ends.client->failure());
        EXPECT_EQ(ends.server->failure(), one.of_server) << one.name << to_string(ends.server->failure());
        EXPECT_EQ(ends.open(), one.of_client == tls_failure::none) << one.name;
    }
}

TEST(tls_session, refuses_a_self_signed_server_unless_it_is_trusted_itself) {
    const auto own = test::make_certificate({});
    tls_options server;
    server.certificate = own.pem;
    server.key = own.key;
    both ends(client_options(), server);
    ends.shake();
    EXPECT_EQ(ends.client->failure(), tls_failure::untrusted);
    auto client = client_options();
    client.authorities = own.pem;
    both trusting(client, server);
    trusting.shake();
    EXPECT_TRUE(trusting.open());
    client.authorities.clear();
    client.verification = 0;
    both careless(client, server, "other.example");
    careless.shake();
    EXPECT_TRUE(careless.open());
}

TEST(tls_session, follows_a_chain) {
    const auto between = test::make_certificate(
        {.name = "between", .alternative_names = "", .authority = true}, &certificates().authority);
    const auto last = test::make_certificate({}, &between);
    tls_options server;
    server.certificate = last.pem + between.pem;
    server.key = last.key;
    both ends(client_options(), server);
    ends.shake();
    EXPECT_TRUE(ends.open());
    server.certificate = last.pem;
    both without(client_options(), server);
    without.shake();
    EXPECT_EQ(without.client->failure(), tls_failure::untrusted);
}

TEST(tls_session, asks_clients_for_a_certificate_if_it_is_to) {
    auto server = server_options();
    server.require_client_certificate = true;
    server.authorities = certificates().authority.pem;
    both nobody(client_options(), server);
    nobody.shake();
    EXPECT_EQ(nobody.server->failure(), tls_failure::no_certificate);
    read_all(*nobody.client); // which was done before
    EXPECT_EQ(nobody.client->failure(), tls_failure::refused);

    auto client = client_options();
    client.certificate = certificates().client.pem;
    client.key = certificates().client.key;
    both known(client, server);
    known.shake();
    ASSERT_TRUE(known.open());
    EXPECT_EQ(fact(*known.server, "Tls-Subject"), "CN=a client");
    EXPECT_EQ(fact(*known.server, "Tls-Alternative-Names"), "URI:test:client");

    const auto stranger = test::make_certificate({.name = "a client"});
    client.certificate = stranger.pem;
    client.key = stranger.key;
    both unknown(client, server);
    unknown.shake();
    EXPECT_EQ(unknown.server->failure(), tls_failure::untrusted);
}

TEST(tls_session, needs_a_common_protocol_name) {
    auto server = server_options();
    auto client = client_options();
    server.application_protocols = "zmtp/3.1,other";
    client.application_protocols = "first,zmtp/3.1";
    both ends(client, server);
    ends.shake();
    ASSERT_TRUE(ends.open());
    EXPECT_EQ(fact(*ends.client, "Tls-Alpn"), "zmtp/3.1");
    client.application_protocols = "first";
    both strangers(client, server);
    strangers.shake();
    EXPECT_EQ(strangers.server->failure(), tls_failure::protocol_name);
    EXPECT_EQ(strangers.client->failure(), tls_failure::protocol_name);
    both silent(client_options(), server);
    silent.shake();
    EXPECT_EQ(silent.server->failure(), tls_failure::protocol_name);
}

TEST(tls_session, says_what_a_context_lacks) {
    EXPECT_EQ(context_code(tls_role::server, {}), EINVAL);
    EXPECT_EQ(context_code(tls_role::client, {}), 0); // trusts the system's authorities
    auto nobody = client_options();
    nobody.authorities.clear();
    nobody.trust_system = 0;
    EXPECT_EQ(context_code(tls_role::client, nobody), EINVAL);
    auto asking = server_options();
    asking.require_client_certificate = true;
    EXPECT_EQ(context_code(tls_role::server, asking), EINVAL);
    auto names = client_options();
    names.application_protocols = "a,,b";
    EXPECT_EQ(context_code(tls_role::client, names), EINVAL);
}

// ---- sessions and renewal

TEST(tls_session, resumes_the_last_session) {
    const auto client = context_of(tls_role::client, client_options());
    const auto server = context_of(tls_role::server, server_options());
    {
        both first(client, server);
        first.shake();
        ASSERT_TRUE(first.open());
        EXPECT_FALSE(first.server->resumed());
        read_all(*first.client); // takes the ticket
    }
    both second(client, server);
    second.shake();
    ASSERT_TRUE(second.open());
    EXPECT_TRUE(second.client->resumed());
    EXPECT_TRUE(second.server->resumed());
    EXPECT_EQ(fact(*second.client, "Tls-Subject"), "CN=localhost");
    both third(client, server); // no ticket was taken again
    third.shake();
    EXPECT_TRUE(third.open());
    EXPECT_FALSE(third.server->resumed());
}

// A session that is resumed is not verified again, so the time of a list could pass unseen.
TEST(tls_session, is_not_resumed_where_lists_are_asked) {
    const std::string list = test::make_revocations(certificates().authority, {});
    auto asking_client = client_options();
    asking_client.revocations = list;
    auto client_with_certificate = client_options();
    client_with_certificate.certificate = certificates().client.pem;
    client_with_certificate.key = certificates().client.key;
    auto asking_server = server_options();
    asking_server.authorities = certificates().authority.pem;
    asking_server.require_client_certificate = true;
    asking_server.revocations = list;
    const std::pair<tls_options, tls_options> pairs[] = {{asking_client, server_options()},
                                                         {client_with_certificate, asking_server}};
    for (const auto &[of_client, of_server] : pairs) {
        const auto client = context_of(tls_role::client, of_client);
        const auto server = context_of(tls_role::server, of_server);
        for (int times = 0; times < 2; ++times) {
            both ends(client, server);
            ends.shake();
            ASSERT_TRUE(ends.open());
            EXPECT_FALSE(ends.client->resumed());
            read_all(*ends.client); // would take a ticket
        }
    }
}

TEST(tls_session, uses_a_renewed_certificate_in_the_next_handshake) {
    auto options = server_options();
    auto credentials = std::make_shared<tls_credentials>();
    ASSERT_TRUE(credentials->set(options));
    const auto server = *tls_context::make(tls_role::server, "", options, credentials);
    const auto client = context_of(tls_role::client, client_options());
    both before(client, server);
    before.shake();
    read_all(*before.client);
    const auto fresh = test::make_certificate({.name = "renewed"}, &certificates().authority);
    options.certificate = fresh.pem;
    EXPECT_EQ(credentials->set(options).code(), EKEYREJECTED); // the key is still the old one
    both meanwhile(client, server);
    meanwhile.shake();
    EXPECT_EQ(fact(*meanwhile.client, "Tls-Subject"), "CN=localhost");
    options.key = fresh.key;
    ASSERT_TRUE(credentials->set(options));
    both after(client, server);
    after.shake();
    EXPECT_TRUE(after.open());
    EXPECT_FALSE(after.server->resumed());
    EXPECT_EQ(fact(*after.client, "Tls-Subject"), "CN=renewed");
}

// ---- hostile bytes

TEST(tls_session, fails_on_what_is_no_tls) {
    for (const std::string &bytes : {std::string("GET / HTTP/1.0\r\n\r\n"), std::string(600, '\0'),
                                     std::string("\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL", 16),
                                     std::string(600, '\xff'), std::string("\x16\3\1\xff\xff\1\0\0\0", 9)}) {
        const auto server = tls_session::make(context_of(tls_role::server, server_options()));
        put_input(*server, bytes);
        server->advance();
        EXPECT_EQ(server->state(), tls_state::failed);
        EXPECT_EQ(server->failure(), bytes[0] == '\x16' ? server->failure() : tls_failure::protocol);
    }
}

// Each byte in turn is another one than was sent.
TEST(tls_session, does_not_open_on_a_damaged_handshake) {
    const auto client_side = context_of(tls_role::client, client_options());
    const auto server_side = context_of(tls_role::server, server_options());
    std::size_t size = 1;
    for (std::size_t at = 0; at < size; at += 3) {
        both ends(client_side, server_side);
        ends.client->advance();
        put_input(*ends.server, take_output(*ends.client));
        ends.server->advance();
        std::string flight = take_output(*ends.server);
        size = flight.size();
        flight[at % size] = static_cast<char>(flight[at % size] ^ 0x10);
        put_input(*ends.client, flight);
        ends.client->advance();
        EXPECT_NE(ends.client->state(), tls_state::open) << at;
        ends.shake();
        EXPECT_FALSE(ends.open()) << at;
    }
}

TEST(tls_session, gives_nothing_of_a_damaged_record) {
    for (std::size_t at = 0; at < 60; ++at) {
        both ends(client_options(), server_options());
        ends.shake();
        write_text(*ends.client, "a message that is not to be changed");
        std::string bytes = take_output(*ends.client);
        if (at >= bytes.size())
            break;
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        put_input(*ends.server, bytes);
        EXPECT_EQ(read_all(*ends.server), "") << at;
        put_input(*ends.server, std::string(20000, 'x'));
        EXPECT_EQ(read_all(*ends.server), "") << at;
        EXPECT_EQ(ends.server->state(), tls_state::failed) << at;
        EXPECT_EQ(write_text(*ends.server, "x"), 0U) << at;
    }
}

// ---- the error queue of the application's thread

TEST(tls_session, neither_reads_nor_changes_the_error_queue_in_traffic) {
    both ends(client_options(), server_options());
    ends.shake(); // OpenSSL empties the queue in a handshake
    ASSERT_TRUE(ends.open());
    EXPECT_EQ(read_all(*ends.client), "");
    ERR_clear_error();
    ERR_raise(ERR_LIB_USER, 77);
    write_text(*ends.client, "text");
    both::carry(*ends.client, *ends.server, 1);
    EXPECT_EQ(read_all(*ends.server), "text");
    put_input(*ends.server, std::string(500, 'x'));
    EXPECT_EQ(read_all(*ends.server), "");
    EXPECT_EQ(ends.server->state(), tls_state::failed);
    EXPECT_EQ(ERR_GET_REASON(ERR_get_error()), 77);
    EXPECT_EQ(ERR_get_error(), 0U);
}

} // namespace
} // namespace zlink::transport
