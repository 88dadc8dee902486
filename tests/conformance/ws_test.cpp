// SPDX-License-Identifier: MPL-2.0
// The transports ws and wss: endpoints, who is let in, what a peer without ZMTP sees, and the end of a
// connection. The tests of all transports run over them, too.
#include "bare_ws_client.hpp"
#include "security_rig.hpp"

#include <cstring>

namespace zlink::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ws : public ::testing::Test {
  protected:
    std::string serve(socket &with, const std::string &path = "/") {
        EXPECT_EQ(with.bind("ws://127.0.0.1:*" + path), 0);
        return with.last_endpoint();
    }
    context owner;
};

TEST_F(ws, is_among_the_capabilities) {
    EXPECT_EQ(zmq_has("ws"), 1);
    EXPECT_EQ(zmq_has("wss"), 1);
}

TEST_F(ws, the_last_endpoint_has_the_port_and_the_path) {
    socket pull(owner, ZMQ_PULL);
    EXPECT_THAT(serve(pull, "/a/b?c"), ::testing::MatchesRegex("ws://127.0.0.1:[0-9]+/a/b\\?c"));
    EXPECT_THAT(serve(pull, ""), ::testing::MatchesRegex("ws://127.0.0.1:[0-9]+/"));
    EXPECT_EQ(pull.unbind(pull.last_endpoint()), 0);
    socket push(owner, ZMQ_PUSH);
    EXPECT_EQ(push.connect("ws://127.0.0.1:5555/x"), 0);
    EXPECT_EQ(push.last_endpoint(), "ws://127.0.0.1:5555/x");
    EXPECT_EQ(push.disconnect("ws://127.0.0.1:5555/x"), 0);
}

TEST_F(ws, endpoints_that_make_no_sense_are_refused) {
    socket pull(owner, ZMQ_PULL);
    for (const char *bad :
         {"ws://", "ws:///path", "ws://127.0.0.1", "ws://127.0.0.1/path", "ws://127.0.0.1:x/path",
          "ws://127.0.0.1:5555/a b", "ws://127.0.0.1:5555/a\r\nX: y", "ws://127.0.0.1:5555/#x"}) {
        EXPECT_EQ(pull.bind(bad), EINVAL) << bad;
        EXPECT_EQ(pull.connect(bad), EINVAL) << bad;
    }
    socket stream(owner, ZMQ_STREAM);
    EXPECT_EQ(stream.bind("ws://127.0.0.1:*"), ENOCOMPATPROTO);
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_RAW, 1);
    EXPECT_EQ(router.bind("ws://127.0.0.1:*"), ENOCOMPATPROTO);
    EXPECT_EQ(zmq_bind(pull.handle(), "wss://127.0.0.1:*"), -1); // without a certificate
}

TEST_F(ws, wss_takes_the_options_of_libzmq) {
    socket pull(owner, ZMQ_PULL);
    socket push(owner, ZMQ_PUSH);
    const auto &with = test::certificates();
    pull.set(ZMQ_WSS_CERT_PEM, with.server.pem);
    pull.set(ZMQ_WSS_KEY_PEM, with.server.key);
    EXPECT_EQ(zmq_bind(pull.handle(), "wss://127.0.0.1:*/x"), 0);
    push.set(ZMQ_WSS_TRUST_PEM, with.authority.pem);
    push.set(ZMQ_WSS_HOSTNAME, "localhost");
    EXPECT_EQ(zmq_connect(push.handle(), pull.last_endpoint().c_str()), 0);
    EXPECT_EQ(push.send("secret"), 0);
    EXPECT_EQ(pull.receive(), "secret");
}

TEST_F(ws, nobody_comes_in_at_another_path_or_with_another_mechanism) {
    socket pull(owner, ZMQ_PULL);
    pull.set(ZMQ_PLAIN_SERVER, 1);
    const std::string endpoint = serve(pull, "/here");
    bare_client elsewhere(endpoint);
    elsewhere.ask("/there", "ZWS2.0/PLAIN");
    EXPECT_THAT(elsewhere.peer.read_to_end(), StartsWith("HTTP/1.1 404 "));
    for (const char *protocols : {"ZWS2.0", "ZWS2.0/NULL", "ZWS2.0-NULL", "ZWS2.0/CURVE", "chat"}) {
        bare_client client(endpoint);
        client.ask("/here", protocols);
        EXPECT_THAT(client.peer.read_to_end(), StartsWith("HTTP/1.1 400 ")) << protocols;
    }
    bare_client welcome(endpoint);
    welcome.ask("/here", "ZWS2.0/PLAIN");
    EXPECT_THAT(welcome.read_head(), HasSubstr("\r\nSec-WebSocket-Protocol: ZWS2.0/PLAIN\r\n"));
}

TEST_F(ws, a_page_of_another_site_is_refused_and_the_monitor_hears_it) {
    socket pull(owner, ZMQ_PULL);
    pull.set(ZLINK_WS_ORIGINS, "https://app.example");
    const std::string endpoint = serve(pull);
    handshake_monitor monitor(owner, pull);
    for (const auto &[origin, status] :
         {std::pair("https://other.example", "403"), {"https://app.example", "101"}}) {
        bare_client client(endpoint);
        client.ask("/", "ZWS2.0\r\nOrigin: "s + origin);
        EXPECT_THAT(client.read_head(), StartsWith("HTTP/1.1 "s + status)) << origin;
    }
    EXPECT_EQ(monitor.next(), "auth " + std::to_string(ZLINK_WS_FAILED_ORIGIN));
    EXPECT_STREQ(zmq_strerror(ZLINK_WS_FAILED_ORIGIN), "A page of this site may not connect");
    socket push(owner, ZMQ_PUSH); // names none
    EXPECT_EQ(push.connect(endpoint), 0);
    EXPECT_EQ(push.send("a program"), 0);
    EXPECT_EQ(pull.receive(), "a program");
}

TEST_F(ws, a_connect_to_another_path_is_told_to_the_monitor_and_tried_again) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = serve(pull, "/here");
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 1);
    EXPECT_EQ(zmq_socket_monitor(push.handle(), "inproc://events", ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL), 0);
    socket events(owner, ZMQ_PAIR);
    EXPECT_EQ(events.connect("inproc://events"), 0);
    EXPECT_EQ(push.connect(endpoint.substr(0, endpoint.rfind('/')) + "/there"), 0);
    for (int times = 0; times < 2; ++times) {
        const frames event = events.receive_frames();
        ASSERT_EQ(event.size(), 2U);
        std::uint32_t value = 0;
        std::memcpy(&value, event[0].data() + 2, sizeof value);
        EXPECT_EQ(value, static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED));
    }
}

TEST_F(ws, a_peer_without_zmtp_sends_and_receives_messages_behind_a_byte_of_flags) {
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_ROUTING_ID, "server");
    bare_client client(serve(router));
    EXPECT_EQ(client.begin("browser"), "server");
    client.write_frame(0x82, "\1one"s);
    client.write_frame(0x82, "\0two"s);
    EXPECT_EQ(router.receive(), "browser|one|two");
    EXPECT_EQ(router.send("browser|three|four"), 0);
    EXPECT_EQ(client.read_frame(), "\x82\1three"s);
    EXPECT_EQ(client.read_frame(), "\x82\0four"s);
}

TEST_F(ws, a_peer_without_zmtp_subscribes_by_messages) {
    socket pub(owner, ZMQ_XPUB);
    bare_client client(serve(pub));
    client.begin();
    client.write_frame(0x82, "\0\1to"s);
    EXPECT_EQ(pub.receive(), "\1to");
    EXPECT_EQ(pub.send("other"), 0);
    EXPECT_EQ(pub.send("topic|value"), 0);
    EXPECT_EQ(client.read_frame(), "\x82\1topic"s);
    EXPECT_EQ(client.read_frame(), "\x82\0value"s);
    client.write_frame(0x82, "\0\0to"s);
    EXPECT_EQ(pub.receive(), "\0to"s);
}

TEST_F(ws, pings_are_answered_amid_the_frames_of_a_message) {
    socket pull(owner, ZMQ_PULL);
    bare_client client(serve(pull));
    client.begin();
    client.write_frame(0x89, "first");
    EXPECT_EQ(client.read_frame(), "\x8a"s + "first");
    client.write_frame(0x82, "\1a"s);
    client.write_frame(0x89, "amid");
    EXPECT_EQ(client.read_frame(), "\x8a"s + "amid");
    client.write_frame(0x02, "\0b"s);
    client.write_frame(0x89, "");
    EXPECT_EQ(client.read_frame(), "\x8a"s);
    client.write_frame(0x80, "c");
    EXPECT_EQ(pull.receive(), "a|bc");
}

TEST_F(ws, heartbeats_are_pings_and_end_a_silent_connection) {
    socket pull(owner, ZMQ_PULL);
    pull.set(ZMQ_HEARTBEAT_IVL, 20);
    pull.set(ZMQ_HEARTBEAT_TIMEOUT, 100);
    bare_client client(serve(pull));
    client.begin();
    for (int times = 0; times < 10; ++times) {
        const std::string ping = client.read_frame();
        ASSERT_THAT(ping, StartsWith("\x89"));
        client.write_frame(0x8A, ping.substr(1));
    }
    EXPECT_THAT(client.peer.read_to_end(), StartsWith("\x89")); // and the end
}

TEST_F(ws, a_close_is_answered_with_its_code) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = serve(pull);
    struct row {
        std::string sent;
        int first;
        std::string answer;
    };
    const std::vector<row> rows{{"\x03\xe9"
                                 "bye",
                                 0x88, "\x03\xe9"},
                                {"", 0x88, "\x03\xe8"},
                                {"\x03", 0x88, "\x03\xea"},
                                {"\x03\xe8\xff", 0x88, "\x03\xef"},
                                {"text", 0x81, "\x03\xeb"},
                                {"\0x"s, 0xC2, "\x03\xea"},
                                {"\x09x", 0x82, "\x03\xea"}};
    for (const row &one : rows) {
        bare_client client(endpoint);
        client.begin();
        client.write_frame(0x82, "\0before"s);
        client.write_frame(one.first, one.sent);
        EXPECT_EQ(client.read_frame(), "\x88"s + one.answer);
        EXPECT_EQ(client.peer.read_to_end(), "");
        EXPECT_EQ(pull.receive(), "before");
    }
}

TEST_F(ws, closing_a_socket_says_so_to_the_peer) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_LINGER, patience_ms);
    bare_client client(serve(push));
    client.begin();
    EXPECT_EQ(push.send("last"), 0);
    push.close();
    EXPECT_EQ(client.read_frame(), "\x82\0last"s);
    EXPECT_EQ(client.read_frame(), "\x88\x03\xe8");
}

TEST_F(ws, an_unmasked_frame_ends_the_connection) {
    socket pull(owner, ZMQ_PULL);
    bare_client client(serve(pull));
    client.begin();
    client.peer.write("\x82\2\0x"s);
    EXPECT_EQ(client.read_frame(), "\x88\x03\xea");
    EXPECT_TRUE(pull.quiet());
}

TEST_F(ws, a_message_that_is_too_long_ends_the_connection_in_fragments_too) {
    socket pull(owner, ZMQ_PULL);
    const std::int64_t most = 100;
    EXPECT_EQ(zmq_setsockopt(pull.handle(), ZMQ_MAXMSGSIZE, &most, sizeof most), 0);
    const std::string endpoint = serve(pull);
    for (const bool whole : {true, false}) {
        bare_client client(endpoint);
        client.begin();
        client.write_frame(0x82, "\0"s + std::string(100, 'x'));
        EXPECT_EQ(pull.receive().size(), 100U);
        if (whole) {
            client.write_frame(0x82, "\0"s + std::string(101, 'x'));
        } else {
            client.write_frame(0x02, "\0"s + std::string(60, 'x'));
            client.write_frame(0x00, std::string(41, 'x'));
        }
        client.peer.read_to_end();
        EXPECT_TRUE(pull.quiet());
    }
}

class ws_port : public ::testing::TestWithParam<const char *> {
  protected:
    context owner;
};
INSTANTIATE_TEST_SUITE_P(over, ws_port, ::testing::Values("ws", "wss"), transport_name);

TEST_P(ws_port, is_shared_by_endpoints_with_other_paths) {
    const std::string scheme = GetParam();
    socket first(owner, ZMQ_REP);
    socket second(owner, ZMQ_REP);
    EXPECT_EQ(first.bind(scheme + "://127.0.0.1:*/first"), 0);
    const std::string endpoint = first.last_endpoint();
    const std::string port = endpoint.substr(0, endpoint.rfind('/'));
    EXPECT_EQ(second.bind(endpoint), EADDRINUSE);
    EXPECT_EQ(second.bind((scheme == "ws" ? "tcp" : "ws") + port.substr(port.find(':'))), EADDRINUSE);
    EXPECT_EQ(second.bind(port + "/second"), 0);
    EXPECT_EQ(second.last_endpoint(), port + "/second");
    EXPECT_EQ(first.bind(port + "/third"), 0);
    const auto ask = [&](const std::string &path, socket &server) {
        socket client(owner, ZMQ_REQ);
        EXPECT_EQ(client.connect(port + path), 0);
        EXPECT_EQ(client.send("to|" + path), 0);
        EXPECT_EQ(server.receive(), "to|" + path);
        EXPECT_EQ(server.send("answer"), 0);
        EXPECT_EQ(client.receive(), "answer");
    };
    for (int times = 0; times < 8; ++times) {
        ask("/first", first);
        ask("/second", second);
        ask("/third", first);
    }
    EXPECT_EQ(first.unbind(endpoint), 0);
    ask("/second", second);
    first.close();
    for (int times = 0; times < 4; ++times)
        ask("/second", second);
    socket again(owner, ZMQ_REP);
    EXPECT_TRUE(eventually([&] { return again.bind(endpoint) == 0; }));
    ask("/first", again);
}

TEST_F(ws, a_port_is_not_shared_by_endpoints_that_let_others_in) {
    socket open(owner, ZMQ_PULL);
    socket strict(owner, ZMQ_PULL);
    EXPECT_EQ(open.bind("wss://127.0.0.1:*/open"), 0);
    const std::string endpoint = open.last_endpoint();
    strict.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    EXPECT_EQ(strict.bind(endpoint.substr(0, endpoint.rfind('/')) + "/strict"), EADDRINUSE);
}

// The texts of both endpoints are the same one after the other, and the list is an authority's text in one.
TEST_F(ws, a_port_is_not_shared_by_endpoints_with_other_lists) {
    const std::string authority = test::certificates().authority.pem;
    const std::string list = test::make_revocations(test::certificates().authority, {});
    socket open(owner, ZMQ_PULL);
    socket strict(owner, ZMQ_PULL);
    for (socket *each : {&open, &strict}) {
        each->prepare_for("wss://");
        each->set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    }
    open.set(ZLINK_TLS_CA, authority + "\n" + list.substr(0, list.size() - 1));
    strict.set(ZLINK_TLS_CA, authority);
    strict.set(ZLINK_TLS_CRL, list);
    EXPECT_EQ(open.bind("wss://127.0.0.1:*/open"), 0);
    const std::string endpoint = open.last_endpoint();
    EXPECT_EQ(strict.bind(endpoint.substr(0, endpoint.rfind('/')) + "/strict"), EADDRINUSE);
}

TEST_F(ws, a_path_that_nobody_has_is_refused_at_a_shared_port) {
    socket first(owner, ZMQ_PULL);
    socket second(owner, ZMQ_PULL);
    const std::string endpoint = serve(first, "/first");
    EXPECT_EQ(second.bind(endpoint.substr(0, endpoint.rfind('/')) + "/second"), 0);
    for (int times = 0; times < 4; ++times) {
        bare_client client(endpoint);
        client.ask("/third");
        EXPECT_THAT(client.peer.read_to_end(), StartsWith("HTTP/1.1 404 "));
    }
}

TEST_F(ws, a_slow_opening_handshake_ends_by_its_interval) {
    socket pull(owner, ZMQ_PULL);
    pull.set(ZMQ_HANDSHAKE_IVL, 50);
    const std::string endpoint = serve(pull);
    bare_client silent(endpoint);
    EXPECT_EQ(silent.peer.read_to_end(), "");
    bare_client half(endpoint);
    half.peer.write("GET / HTTP/1.1\r\nHost: h\r\n");
    EXPECT_EQ(half.peer.read_to_end(), "");
    bare_client quiet(endpoint); // behind the opening handshake
    quiet.ask("/");
    EXPECT_THAT(quiet.peer.read_to_end(), StartsWith("HTTP/1.1 101 "));
}

TEST_F(ws, a_flood_of_headers_is_answered_and_ended) {
    socket pull(owner, ZMQ_PULL);
    bare_client client(serve(pull));
    client.peer.write("GET / HTTP/1.1\r\nX: " + std::string(8192, 'x'));
    EXPECT_THAT(client.read_head(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(ws, the_first_bytes_may_come_with_the_request_or_one_by_one) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = serve(pull);
    const std::string all = "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                            "Sec-WebSocket-Protocol: ZWS2.0\r\n\r\n\x82\x81\0\0\0\0\0\x82\x82\0\0\0\0\0x"s;
    bare_client at_once(endpoint);
    at_once.peer.write(all);
    EXPECT_EQ(pull.receive(), "x");
    bare_client slow(endpoint);
    for (const char byte : all)
        slow.peer.write(std::string(1, byte));
    EXPECT_EQ(pull.receive(), "x");
}

TEST_F(ws, messages_of_every_border_pass_in_both_directions) {
    socket bound(owner, ZMQ_PAIR);
    socket connected(owner, ZMQ_PAIR);
    EXPECT_EQ(connected.connect(serve(bound)), 0);
    for (const std::size_t size : {0UL, 1UL, 124UL, 125UL, 126UL, 255UL, 256UL, 16383UL, 16384UL, 65533UL,
                                   65534UL, 65535UL, 65536UL, 1UL << 20, 16UL << 20}) {
        std::string body(size, '\0');
        for (std::size_t i = 0; i < size; ++i)
            body[i] = static_cast<char>(i * 31 + (i >> 8U));
        EXPECT_EQ(connected.send(frames{body, "end"}), 0);
        EXPECT_TRUE(bound.receive_frames() == (frames{body, "end"})) << size;
        EXPECT_EQ(bound.send(frames{body, "end"}), 0);
        EXPECT_TRUE(connected.receive_frames() == (frames{body, "end"})) << size;
    }
}

} // namespace
} // namespace zlink::conformance
