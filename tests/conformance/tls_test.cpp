// SPDX-License-Identifier: MPL-2.0
// The transport tls: who is let in, what a program is told, and which messages arrive.
#include "bare_peer.hpp"
#include "tls_rig.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace zlink::conformance {
namespace {

using test::certificate;
using test::certificates;
using test::make_certificate;

std::string fact_of_next(socket &of, const char *name) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    EXPECT_GE(zmq_msg_recv(&message, of.handle(), 0), 0);
    const char *const found = zmq_msg_gets(&message, name);
    std::string value = found != nullptr ? found : "none";
    zmq_msg_close(&message);
    return value;
}

std::string number(int value) {
    return std::to_string(value);
}

std::string hexadecimal(int value) {
    char text[16];
    std::snprintf(text, sizeof text, "%x", static_cast<unsigned int>(value));
    return text;
}

class tls : public ::testing::Test {
  protected:
    // Binds with the certificate.
    std::string serve(const certificate &with) {
        own(pull, with);
        EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), 0);
        return pull.last_endpoint();
    }
    void trust(socket &of, const certificate &whom) { EXPECT_EQ(set_text(of, ZLINK_TLS_CA, whom.pem), 0); }

    context owner;
    socket pull{owner, ZMQ_PULL};
    socket push{owner, ZMQ_PUSH};
};

TEST_F(tls, is_there) {
    EXPECT_EQ(zmq_has("tls"), 1);
}

TEST_F(tls, works_with_an_authority_of_our_own) {
    const std::string endpoint = serve(certificates().server);
    EXPECT_TRUE(endpoint.starts_with("tls://127.0.0.1:"));
    trust(push, certificates().authority);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(push.send("a|b|c"), 0);
    EXPECT_EQ(pull.receive(), "a|b|c");
}

TEST_F(tls, works_by_an_address_of_ipv6) {
    own(pull, certificates().server);
    pull.set(ZMQ_IPV6, 1);
    const int bound = bind_plainly(pull, "tls://[::1]:*");
    if (bound == EADDRNOTAVAIL || bound == EAFNOSUPPORT)
        GTEST_SKIP() << "there is no IPv6";
    ASSERT_EQ(bound, 0);
    trust(push, certificates().authority);
    push.set(ZMQ_IPV6, 1);
    ASSERT_EQ(connect_plainly(push, pull.last_endpoint()), 0);
    EXPECT_EQ(push.send("six"), 0);
    EXPECT_EQ(pull.receive(), "six");
}

TEST_F(tls, a_listener_needs_a_certificate_with_its_key) {
    EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), EINVAL);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_CERT, certificates().server.pem), 0);
    EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), EINVAL);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_KEY, certificates().client.key), 0);
    EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), EKEYREJECTED);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_KEY, certificates().server.key), 0);
    EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), 0);
}

TEST_F(tls, an_encrypted_key_needs_its_password) {
    EXPECT_EQ(set_text(pull, ZLINK_TLS_CERT, certificates().server.pem), 0);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_KEY, test::key_text(certificates().server.key_object.get(), "sesame")),
              0);
    EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), EPERM);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_KEY_PASSWORD, "wrong"), 0);
    EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), EPERM);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_KEY_PASSWORD, "sesame"), 0);
    EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), 0);
}

TEST_F(tls, a_certificate_that_cannot_be_read_is_refused_at_once) {
    EXPECT_EQ(set_text(pull, ZLINK_TLS_CERT, "/nowhere/at/all"), ENOENT);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_KEY, "/nowhere/at/all"), ENOENT);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_CA, "/nowhere/at/all"), ENOENT);
    const std::string damaged = "-----BEGIN CERTIFICATE-----\nnot base64\n-----END CERTIFICATE-----\n";
    EXPECT_EQ(set_text(pull, ZLINK_TLS_CERT, damaged), EINVAL);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_KEY, damaged), EINVAL);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_CA, damaged), EINVAL);
    EXPECT_EQ(set_text(pull, ZLINK_TLS_CERT, certificates().server.key), EINVAL);
}

TEST_F(tls, options_are_read_back_except_for_secrets) {
    own(pull, certificates().server);
    char text[8192];
    std::size_t size = sizeof text;
    ASSERT_EQ(zmq_getsockopt(pull.handle(), ZLINK_TLS_CERT, text, &size), 0);
    EXPECT_EQ(std::string(text), certificates().server.pem);
    for (const int secret : {ZLINK_TLS_KEY, ZLINK_TLS_KEY_PASSWORD}) {
        size = sizeof text;
        EXPECT_EQ(zmq_getsockopt(pull.handle(), secret, text, &size), -1);
        EXPECT_EQ(errno, EINVAL);
    }
    EXPECT_EQ(pull.get(ZLINK_TLS_VERIFY), ZLINK_TLS_VERIFY_PEER);
    EXPECT_EQ(pull.get(ZLINK_TLS_MIN_VERSION), ZLINK_TLS_1_3);
    EXPECT_EQ(pull.get(ZLINK_TLS_TRUST_SYSTEM), -1);
    EXPECT_EQ(pull.get(ZLINK_TLS_REQUIRE_CLIENT_CERT), 0);
    const int old = 0x0302;
    EXPECT_EQ(zmq_setsockopt(pull.handle(), ZLINK_TLS_MIN_VERSION, &old, sizeof old), -1);
}

TEST_F(tls, somebody_has_to_be_trusted) {
    push.set(ZLINK_TLS_TRUST_SYSTEM, 0);
    EXPECT_EQ(connect_plainly(push, "tls://127.0.0.1:1"), EINVAL);
    trust(push, certificates().authority);
    EXPECT_EQ(connect_plainly(push, "tls://127.0.0.1:1"), 0);
    own(pull, certificates().server);
    pull.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    EXPECT_EQ(bind_plainly(pull, "tls://127.0.0.1:*"), EINVAL);
}

// ---- who is let in

struct refusal {
    const char *name;
    test::certificate_wish server;
    int value;
    bool own_authority = true;
};
void PrintTo(const refusal &one, std::ostream *to) {
    *to << one.name;
}
class refused_server : public tls, public ::testing::WithParamInterface<refusal> {};

TEST_P(refused_server, gets_no_message_and_the_monitor_hears_why) {
    const certificate other = test::make_authority("other");
    const refusal &one = GetParam();
    const certificate made =
        make_certificate(one.server, one.own_authority ? &certificates().authority : &other);
    const std::string endpoint = serve(made);
    trust(push, certificates().authority);
    push.set(ZMQ_RECONNECT_IVL, 1);
    handshake_monitor monitor(owner, push);
    handshake_monitor listening(owner, pull);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(push.send("secret"), 0);
    EXPECT_EQ(monitor.next(), "auth " + number(one.value));
    EXPECT_EQ(monitor.next(), "auth " + number(one.value)); // it is tried again
    EXPECT_EQ(listening.next(), "auth " + number(ZLINK_TLS_FAILED_REFUSED));
    EXPECT_TRUE(pull.quiet());
}

INSTANTIATE_TEST_SUITE_P(
    because, refused_server,
    ::testing::Values(
        refusal{"expired", {.first_day = -9, .last_day = -1}, ZLINK_TLS_FAILED_EXPIRED},
        refusal{"not_yet_valid", {.first_day = 2}, ZLINK_TLS_FAILED_NOT_YET_VALID},
        refusal{"other_host", {.alternative_names = "DNS:other.example"}, ZLINK_TLS_FAILED_HOSTNAME},
        refusal{"other_authority", {}, ZLINK_TLS_FAILED_UNTRUSTED, false}),
    [](const ::testing::TestParamInfo<refusal> &row) { return row.param.name; });

TEST_F(tls, a_self_signed_server_is_refused_and_let_in_by_itself) {
    const certificate made = make_certificate({.rsa = true});
    const std::string endpoint = serve(made);
    trust(push, certificates().authority);
    {
        handshake_monitor monitor(owner, push);
        ASSERT_EQ(connect_plainly(push, endpoint), 0);
        EXPECT_EQ(monitor.next(), "auth " + number(ZLINK_TLS_FAILED_UNTRUSTED));
    }
    socket other(owner, ZMQ_PUSH);
    trust(other, made);
    ASSERT_EQ(connect_plainly(other, endpoint), 0);
    EXPECT_EQ(other.send("known"), 0);
    EXPECT_EQ(pull.receive(), "known");
}

TEST_F(tls, without_a_trusted_authority_the_systems_are_asked) {
    const std::string endpoint = serve(certificates().server);
    handshake_monitor monitor(owner, push);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(monitor.next(), "auth " + number(ZLINK_TLS_FAILED_UNTRUSTED));
}

TEST_F(tls, verification_can_be_left_out) {
    const std::string endpoint = serve(make_certificate({.alternative_names = "DNS:other.example"}));
    push.set(ZLINK_TLS_VERIFY, ZLINK_TLS_VERIFY_NONE);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(push.send("careless"), 0);
    EXPECT_EQ(pull.receive(), "careless");
}

TEST_F(tls, the_name_of_the_server_can_be_another_one_than_that_of_the_endpoint) {
    const certificate made =
        make_certificate({.alternative_names = "DNS:service.example"}, &certificates().authority);
    const std::string endpoint = serve(made);
    trust(push, certificates().authority);
    push.set(ZLINK_TLS_HOSTNAME, "service.example");
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(push.send("by name"), 0);
    EXPECT_EQ(pull.receive(), "by name");
}

TEST_F(tls, a_client_is_known_by_its_certificate) {
    pull.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    trust(pull, certificates().authority);
    const std::string endpoint = serve(certificates().server);
    trust(push, certificates().authority);
    own(push, certificates().client);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    for (int count = 0; count < 4; ++count)
        EXPECT_EQ(push.send("known"), 0);
    EXPECT_EQ(fact_of_next(pull, "Tls-Subject"), "CN=a client");
    EXPECT_EQ(fact_of_next(pull, "Tls-Alternative-Names"), "URI:test:client");
    EXPECT_EQ(fact_of_next(pull, "Tls-Fingerprint").size(), 64U);
    EXPECT_EQ(fact_of_next(pull, "Tls-Version"), "TLSv1.3");
}

// In TLS 1.3 the client is done before the listener has seen its certificate.
TEST_F(tls, a_client_without_a_certificate_is_refused) {
    pull.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    trust(pull, certificates().authority);
    const std::string endpoint = serve(certificates().server);
    trust(push, certificates().authority);
    push.set(ZMQ_RECONNECT_IVL, 1);
    handshake_monitor monitor(owner, pull);
    handshake_monitor calling(owner, push);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(push.send("anonymous"), 0);
    EXPECT_EQ(monitor.next(), "auth " + number(ZLINK_TLS_FAILED_NO_CERT));
    EXPECT_EQ(monitor.next(), "auth " + number(ZLINK_TLS_FAILED_NO_CERT));
    EXPECT_TRUE(calling.next().starts_with("other "));
    EXPECT_TRUE(pull.quiet());
}

TEST_F(tls, a_client_of_another_authority_is_refused) {
    pull.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    trust(pull, certificates().authority);
    const std::string endpoint = serve(certificates().server);
    trust(push, certificates().authority);
    own(push, make_certificate({.name = "a client"}));
    handshake_monitor monitor(owner, pull);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(monitor.next(), "auth " + number(ZLINK_TLS_FAILED_UNTRUSTED));
}

TEST_F(tls, reconnect_stop_holds_for_a_failed_handshake) {
    const std::string endpoint = serve(make_certificate({}));
    trust(push, certificates().authority);
    push.set(ZMQ_RECONNECT_IVL, 1);
    push.set(ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED);
    handshake_monitor monitor(owner, pull);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(monitor.next(), "auth " + number(ZLINK_TLS_FAILED_REFUSED));
    EXPECT_TRUE(pull.quiet());
    std::uint64_t failed = 0;
    std::size_t size = sizeof failed;
    EXPECT_TRUE(eventually([&] {
        return zmq_getsockopt(push.handle(), ZLINK_CLOSED_HANDSHAKE_FAILED, &failed, &size) == 0 &&
               failed == 1;
    }));
}

TEST_F(tls, protocol_names_have_to_agree) {
    pull.set(ZLINK_TLS_ALPN, "zmtp/3.1");
    const std::string endpoint = serve(certificates().server);
    trust(push, certificates().authority);
    push.set(ZLINK_TLS_ALPN, "other,zmtp/3.1");
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(push.send("agreed"), 0);
    EXPECT_EQ(fact_of_next(pull, "Tls-Alpn"), "zmtp/3.1");
    socket other(owner, ZMQ_PUSH);
    trust(other, certificates().authority);
    other.set(ZLINK_TLS_ALPN, "other");
    handshake_monitor monitor(owner, other);
    ASSERT_EQ(connect_plainly(other, endpoint), 0);
    EXPECT_EQ(monitor.next(), "protocol " + hexadecimal(ZLINK_TLS_FAILED_ALPN));
}

// ---- peers that do not speak TLS

TEST_F(tls, a_plain_peer_is_refused_and_told_nothing) {
    std::string endpoint = serve(certificates().server);
    handshake_monitor monitor(owner, pull);
    bare_peer plain("tcp" + endpoint.substr(3));
    plain.write("\xff"s + std::string(8, '\0') + "\x7f\x03\x01NULL"s + std::string(48, '\0'));
    EXPECT_EQ(monitor.next(), "protocol " + hexadecimal(ZLINK_TLS_FAILED_PROTOCOL));
    EXPECT_LE(plain.read_to_end().size(), 7U); // an alert
}

TEST_F(tls, a_plain_listener_gets_no_message) {
    socket plain(owner, ZMQ_PULL);
    ASSERT_EQ(plain.bind("tcp://127.0.0.1:*"), 0);
    trust(push, certificates().authority);
    handshake_monitor monitor(owner, push);
    ASSERT_EQ(connect_plainly(push, "tls" + plain.last_endpoint().substr(3)), 0);
    EXPECT_EQ(push.send("secret"), 0);
    EXPECT_EQ(monitor.next(), "protocol " + hexadecimal(ZLINK_TLS_FAILED_PROTOCOL));
    // The handshake can look like a greeting of ZMTP 1.0. No message of ours is in it.
    while (plain.ready(ZMQ_POLLIN, quiet_ms))
        EXPECT_THAT(plain.receive(), ::testing::Not(::testing::HasSubstr("secret")));
}

TEST_F(tls, a_slow_handshake_ends_in_its_time) {
    pull.set(ZMQ_HANDSHAKE_IVL, 20);
    const std::string endpoint = serve(certificates().server);
    handshake_monitor monitor(owner, pull);
    bare_peer silent("tcp" + endpoint.substr(3));
    EXPECT_EQ(monitor.next(), "other " + number(EAGAIN));
    EXPECT_EQ(silent.read_to_end(), "");
}

TEST_F(tls, a_slow_listener_is_given_up_in_its_time) {
    const bare_listener silent;
    trust(push, certificates().authority);
    push.set(ZMQ_HANDSHAKE_IVL, 20);
    push.set(ZMQ_CONNECT_TIMEOUT, 20'000);
    push.set(ZMQ_RECONNECT_IVL, 1);
    handshake_monitor monitor(owner, push);
    ASSERT_EQ(connect_plainly(push, "tls" + silent.endpoint().substr(3)), 0);
    EXPECT_EQ(monitor.next(), "other " + number(EAGAIN));
    EXPECT_EQ(monitor.next(), "other " + number(EAGAIN));
}

// A peer may not say by ZMTP who it is, over no transport.
TEST_F(tls, a_peer_cannot_claim_a_certificate) {
    ASSERT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    bare_peer liar(pull.last_endpoint());
    liar.write("\xff"s + std::string(8, '\0') + "\x7f\x03\x01NULL"s + std::string(48, '\0'));
    liar.read(64);
    const std::string properties = "\x0bSocket-Type\0\0\0\4PUSH"s + "\x0bTls-Subject\0\0\0\4CN=x"s +
                                   "\x0btLS-sUBJECT\0\0\0\4CN=x"s + "\5Other\0\0\0\2no"s;
    liar.write("\4"s + static_cast<char>(6 + properties.size()) + "\5READY"s + properties);
    liar.write("\0\1a\0\1b\0\1c"s);
    EXPECT_EQ(fact_of_next(pull, "Tls-Subject"), "none");
    EXPECT_EQ(fact_of_next(pull, "tLS-sUBJECT"), "none");
    EXPECT_EQ(fact_of_next(pull, "Other"), "no");
}

// ---- messages

TEST_F(tls, large_and_small_messages_alternate) {
    const std::string endpoint = serve(certificates().server);
    trust(push, certificates().authority);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    std::thread sender([&] {
        for (std::size_t turn = 0; turn < 60; ++turn)
            EXPECT_EQ(push.send(frames{
                          std::string(turn % 3 == 0 ? 1 << 20 : turn * 700, static_cast<char>(turn)), "end"}),
                      0);
    });
    for (std::size_t turn = 0; turn < 60; ++turn) {
        const frames came = pull.receive_frames();
        ASSERT_EQ(came.size(), 2U);
        EXPECT_TRUE(came[0] == std::string(turn % 3 == 0 ? 1 << 20 : turn * 700, static_cast<char>(turn)))
            << turn;
    }
    sender.join();
}

TEST_F(tls, the_high_water_mark_holds) {
    pull.set(ZMQ_RCVHWM, 1);
    pull.set(ZMQ_RCVBUF, 4096);
    const std::string endpoint = serve(certificates().server);
    trust(push, certificates().authority);
    push.set(ZMQ_SNDHWM, 1);
    push.set(ZMQ_SNDBUF, 4096);
    push.set(ZMQ_SNDTIMEO, 100);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    const std::string body(100'000, 'b');
    int sent = 0;
    while (push.send(frames{body}) == 0 && sent < 1000)
        ++sent;
    EXPECT_LT(sent, 100);
    for (int count = 0; count < sent; ++count)
        EXPECT_EQ(pull.receive_frames()[0].size(), body.size());
}

TEST_F(tls, a_listener_that_comes_back_is_found_again) {
    const std::string endpoint = serve(certificates().server);
    trust(push, certificates().authority);
    push.set(ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    EXPECT_EQ(push.send("before"), 0);
    EXPECT_EQ(pull.receive(), "before");
    handshake_monitor monitor(owner, push);
    for (int turn = 0; turn < 3; ++turn) {
        pull.close();
        socket fresh(owner, ZMQ_PULL);
        own(fresh, certificates().server);
        ASSERT_TRUE(eventually([&] { return bind_plainly(fresh, endpoint) == 0; }));
        EXPECT_TRUE(eventually([&] { return monitor.next() == "succeeded"; }));
        EXPECT_EQ(push.send("after"), 0);
        EXPECT_EQ(fresh.receive(), "after");
        fresh.close();
    }
}

TEST_F(tls, a_certificate_is_renewed_for_the_next_handshake) {
    const std::string endpoint = serve(certificates().server);
    socket rep(owner, ZMQ_REP);
    socket req(owner, ZMQ_REQ);
    own(rep, certificates().server);
    ASSERT_EQ(bind_plainly(rep, "tls://127.0.0.1:*"), 0);
    trust(req, certificates().authority);
    ASSERT_EQ(connect_plainly(req, rep.last_endpoint()), 0);
    const auto subject_of_server = [&](socket &asker) {
        EXPECT_EQ(asker.send("who"), 0);
        EXPECT_EQ(rep.receive(), "who");
        EXPECT_EQ(rep.send("me"), 0);
        return fact_of_next(asker, "Tls-Subject");
    };
    EXPECT_EQ(subject_of_server(req), "CN=localhost");
    own(rep, make_certificate({.name = "renewed"}, &certificates().authority));
    EXPECT_EQ(subject_of_server(req), "CN=localhost"); // this connection stays
    socket later(owner, ZMQ_REQ);
    trust(later, certificates().authority);
    ASSERT_EQ(connect_plainly(later, rep.last_endpoint()), 0);
    EXPECT_EQ(subject_of_server(later), "CN=renewed");
}

TEST_F(tls, curve_works_inside_of_it) {
    serve_with(pull, mechanism::curve, "");
    const std::string endpoint = serve(certificates().server);
    call_with(push, mechanism::curve);
    trust(push, certificates().authority);
    ASSERT_EQ(connect_plainly(push, endpoint), 0);
    for (const std::size_t size : {std::size_t{1}, std::size_t{9000}, std::size_t{300'000}}) {
        EXPECT_EQ(push.send(frames{std::string(size, 'c')}), 0);
        EXPECT_EQ(pull.receive_frames()[0].size(), size);
    }
}

TEST_F(tls, bare_bytes_arrive) {
    socket stream(owner, ZMQ_STREAM);
    socket other(owner, ZMQ_STREAM);
    ASSERT_EQ(stream.bind("tls://127.0.0.1:*"), 0);
    ASSERT_EQ(other.connect(stream.last_endpoint()), 0);
    const std::string id = other.receive_frames()[0];
    EXPECT_EQ(stream.receive_frames().size(), 2U);
    EXPECT_EQ(other.send(frames{id, "bytes"}), 0);
    EXPECT_EQ(stream.receive_frames()[1], "bytes");
    EXPECT_EQ(other.send(frames{id, ""}), 0); // closes
    EXPECT_EQ(stream.receive_frames()[1], "");
}

TEST_F(tls, many_connections_are_served) {
    const std::string endpoint = serve(certificates().server);
    std::vector<socket> all;
    for (int count = 0; count < 30; ++count) {
        all.emplace_back(owner, ZMQ_PUSH);
        trust(all.back(), certificates().authority);
        ASSERT_EQ(connect_plainly(all.back(), endpoint), 0);
    }
    for (int turn = 0; turn < 20; ++turn)
        for (socket &one : all)
            EXPECT_EQ(one.send(frames{std::string(static_cast<std::size_t>(turn) * 1000, 'm')}), 0);
    std::size_t bytes = 0;
    for (std::size_t count = 0; count < 20 * all.size(); ++count)
        bytes += pull.receive_frames()[0].size();
    EXPECT_EQ(bytes, 190'000U * all.size());
}

} // namespace
} // namespace zlink::conformance
