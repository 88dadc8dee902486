// SPDX-License-Identifier: MPL-2.0
// The opening handshake from either side: RFC 6455, section 4, split at every byte.
#include "transport/ws/ws_upgrade.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ws_bytes.hpp"

namespace zlink::transport {
namespace {

using namespace test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string key = "dGhlIHNhbXBsZSBub25jZQ==";

std::string request(const std::string &protocols = "ZWS2.0", const std::string &line = "GET /chat HTTP/1.1",
                    const std::string &more = "") {
    return line +
           "\r\nHost: server.example\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
           "Sec-WebSocket-Key: " +
           key + "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: " + protocols + "\r\n" + more +
           "\r\n";
}

std::string without(std::string text, const std::string &name) {
    const std::size_t at = text.find("\r\n" + name);
    return text.erase(at, text.find("\r\n", at + 2) - at);
}
std::string with(std::string text, const std::string &name, const std::string &value) {
    return without(text, name).insert(text.find("\r\n"), "\r\n" + name + ": " + value);
}

struct outcome {
    ws_upgrade_state state;
    ws_upgrade_failure failure;
    bool bare;
    std::size_t used;
    std::string output;
};

outcome serve(const std::string &bytes, std::size_t piece, const std::string &mechanism = "NULL",
              const std::string &origins = "") {
    ws_upgrade server(
        {.side = ws_side::server, .host = {}, .path = "/chat", .mechanism = mechanism, .origins = origins});
    std::size_t used = 0;
    while (used < bytes.size() && server.state() == ws_upgrade_state::going_on)
        used += server.feed(bytes_of(bytes).subspan(used, std::min(piece, bytes.size() - used)));
    return {server.state(), server.failure(), server.bare(), used, text_of(server.output())};
}

TEST(ws_upgrade, the_example_of_the_rfc) {
    EXPECT_EQ(accept_value(key), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(ws_upgrade, a_server_accepts_a_request_and_leaves_what_follows) {
    const std::string bytes = request() + "\x82";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        const outcome found = serve(bytes, piece);
        EXPECT_EQ(found.state, ws_upgrade_state::done);
        EXPECT_TRUE(found.bare);
        EXPECT_EQ(found.used, bytes.size() - 1);
        EXPECT_EQ(found.output,
                  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
                  "Sec-WebSocket-Protocol: ZWS2.0\r\n\r\n");
    }
}

TEST(ws_upgrade, a_server_chooses_the_subprotocol_that_tells_most) {
    struct row {
        const char *mechanism, *offered, *chosen; // empty: none
    };
    for (const row &one :
         {row{"NULL", "ZWS2.0", "ZWS2.0"}, row{"NULL", "x, ZWS2.0", "ZWS2.0"},
          row{"NULL", "ZWS2.0,ZWS2.0/NULL", "ZWS2.0/NULL"},
          row{"NULL", "ZWS2.0, ZWS2.0-NULL, ZWS2.0/NULL", "ZWS2.0-NULL"}, row{"NULL", "ZWS2.0/PLAIN", ""},
          row{"NULL", "", ""}, row{"NULL", "ZWS2.00", ""}, row{"PLAIN", "ZWS2.0/PLAIN", "ZWS2.0/PLAIN"},
          row{"PLAIN", "ZWS2.0", ""}, row{"PLAIN", "ZWS2.0-NULL", ""},
          row{"CURVE", "ZWS2.0/PLAIN, ZWS2.0/CURVE", "ZWS2.0/CURVE"},
          row{"CURVE", "ZWS2.0/NULL,ZWS2.0,ZWS2.0-NULL,ZWS2.0/PLAIN", ""}}) {
        const outcome found = serve(request(one.offered), 4096, one.mechanism);
        const std::string chosen = one.chosen;
        if (chosen.empty()) {
            EXPECT_EQ(found.failure, ws_upgrade_failure::subprotocol) << one.mechanism << ' ' << one.offered;
            EXPECT_THAT(found.output, StartsWith("HTTP/1.1 400 "));
        } else {
            EXPECT_THAT(found.output, HasSubstr("Sec-WebSocket-Protocol: " + chosen + "\r\n"));
            EXPECT_EQ(found.bare, chosen == "ZWS2.0");
        }
    }
}

TEST(ws_upgrade, a_server_refuses_other_requests_with_a_status) {
    struct row {
        std::string bytes;
        const char *status;
        ws_upgrade_failure failure;
    };
    using enum ws_upgrade_failure;
    const std::string good = request();
    const std::vector<row> rows{
        {request("ZWS2.0", "POST /chat HTTP/1.1"), "405", http},
        {request("ZWS2.0", "GET /other HTTP/1.1"), "404", path},
        {request("ZWS2.0", "GET /chat/ HTTP/1.1"), "404", path},
        {request("ZWS2.0", "GET /chat?x HTTP/1.1"), "404", path},
        {request("ZWS2.0", "GET http://server.example HTTP/1.1"), "404", path},
        {request("ZWS2.0", "GET /chat HTTP/1.0"), "400", http},
        {request("ZWS2.0", "GET /chat HTTP/2.0"), "400", http},
        {request("ZWS2.0", "GET /chat"), "400", http},
        {request("ZWS2.0", ""), "400", http},
        {without(good, "Host"), "400", http},
        {request("ZWS2.0", "GET /chat HTTP/1.1", "Host: other.example\r\n"), "400", http},
        {without(good, "Upgrade"), "426", http},
        {with(good, "Upgrade", "h2c"), "426", http},
        {without(good, "Connection"), "426", http},
        {with(good, "Connection", "keep-alive"), "426", http},
        {without(good, "Sec-WebSocket-Version"), "426", http},
        {with(good, "Sec-WebSocket-Version", "8"), "426", http},
        {without(good, "Sec-WebSocket-Key"), "400", http},
        {with(good, "Sec-WebSocket-Key", "short"), "400", http},
        {with(good, "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZ!=="), "400", http},
        {without(good, "Sec-WebSocket-Protocol"), "400", subprotocol},
        {request("ZWS2.0", "GET /chat HTTP/1.1", " folded\r\n"), "400", http},
        {request("ZWS2.0", "GET /chat HTTP/1.1", "no colon\r\n"), "400", http},
        {request("ZWS2.0", "GET /chat HTTP/1.1", ": no name\r\n"), "400", http},
        {request("ZWS2.0", "GET /chat HTTP/1.1", "X: bare\nlf\r\n"), "400", http},
        {request("ZWS2.0", "GET /chat HTTP/1.1", "X: nul\0\r\n"s), "400", http},
    };
    for (const row &one : rows) {
        const outcome found = serve(one.bytes, 4096);
        EXPECT_EQ(found.state, ws_upgrade_state::failed) << one.bytes;
        EXPECT_EQ(found.failure, one.failure) << one.bytes;
        EXPECT_THAT(found.output, StartsWith("HTTP/1.1 "s + one.status + " ")) << one.bytes;
        EXPECT_THAT(found.output, HasSubstr("\r\nConnection: close\r\n"));
    }
}

TEST(ws_upgrade, a_page_of_another_site_is_refused) {
    const std::string sites = "https://app.example, http://localhost:8080";
    const auto from = [](const std::string &fields) {
        return request("ZWS2.0", "GET /chat HTTP/1.1", fields);
    };
    for (const char *good : {"", "Origin: https://app.example\r\n", "Origin: HTTPS://App.Example\r\n",
                             "origin: http://localhost:8080\r\n"})
        EXPECT_EQ(serve(from(good), 4096, "NULL", sites).state, ws_upgrade_state::done) << good;
    for (const char *bad :
         {"Origin: https://other.example\r\n", "Origin: http://app.example\r\n",
          "Origin: https://app.example:8443\r\n", "Origin: https://app.example.evil.example\r\n",
          "Origin: https://app.example/\r\n", "Origin: null\r\n", "Origin: \r\n",
          "Origin: https://app.example, http://localhost:8080\r\n",
          "Origin: https://app.example\r\nOrigin: https://app.example\r\n"}) {
        const outcome found = serve(from(bad), 4096, "NULL", sites);
        EXPECT_EQ(found.failure, ws_upgrade_failure::origin) << bad;
        EXPECT_THAT(found.output, StartsWith("HTTP/1.1 403 ")) << bad;
        EXPECT_EQ(serve(from(bad), 4096).state, ws_upgrade_state::done) << bad; // all may come by default
    }
    EXPECT_EQ(serve(from("Origin: null\r\n"), 4096, "NULL", "null").state, ws_upgrade_state::done);
}

TEST(ws_upgrade, a_request_may_name_the_whole_address_and_use_other_cases) {
    EXPECT_EQ(serve(request("ZWS2.0", "GET http://server.example/chat HTTP/1.1"), 4096).state,
              ws_upgrade_state::done);
    std::string loud = request();
    for (const char *name : {"Upgrade: websocket", "Sec-WebSocket-Version", "Host"}) {
        const std::size_t at = loud.find(name);
        std::transform(loud.begin() + static_cast<std::ptrdiff_t>(at),
                       loud.begin() + static_cast<std::ptrdiff_t>(at + std::strlen(name)),
                       loud.begin() + static_cast<std::ptrdiff_t>(at),
                       [](char c) { return std::toupper(c); });
    }
    EXPECT_EQ(serve(loud, 4096).state, ws_upgrade_state::done);
}

TEST(ws_upgrade, a_head_is_bounded) {
    const std::string flood = "GET /chat HTTP/1.1\r\nX: " + std::string(20'000, 'x');
    for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, flood.size()}) {
        const outcome found = serve(flood, piece);
        EXPECT_THAT(found.output, StartsWith("HTTP/1.1 431 "));
        EXPECT_EQ(found.used, http_head::largest);
    }
}

// ---- the client

outcome ask(const std::string &status, const std::string &fields, std::size_t piece = 4096,
            const std::string &mechanism = "NULL") {
    ws_upgrade client(
        {.side = ws_side::client, .host = "server.example:80", .path = "/p?q", .mechanism = mechanism});
    const std::string asked = text_of(client.output());
    const std::size_t at = asked.find("Sec-WebSocket-Key: ") + 19;
    std::string answer = "HTTP/1.1 " + status + "\r\n" + fields + "\r\n";
    if (const std::size_t accept = answer.find("ACCEPT"); accept != std::string::npos)
        answer.replace(accept, 6, accept_value(asked.substr(at, 24)));
    std::size_t used = 0;
    while (used < answer.size() && client.state() == ws_upgrade_state::going_on)
        used += client.feed(bytes_of(answer).subspan(used, std::min(piece, answer.size() - used)));
    return {client.state(), client.failure(), client.bare(), used, asked};
}

const std::string good_fields =
    "Upgrade: WebSocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n";

TEST(ws_upgrade, a_client_asks_and_takes_a_good_answer) {
    for (std::size_t piece = 1; piece < 200; ++piece) {
        const outcome found = ask("101 Any text", good_fields + "Sec-WebSocket-Protocol: ZWS2.0\r\n", piece);
        EXPECT_EQ(found.state, ws_upgrade_state::done);
        EXPECT_TRUE(found.bare);
        EXPECT_THAT(found.output, StartsWith("GET /p?q HTTP/1.1\r\nHost: server.example:80\r\n"));
        EXPECT_THAT(found.output, HasSubstr("Sec-WebSocket-Protocol: ZWS2.0, ZWS2.0-NULL\r\n"));
    }
    EXPECT_FALSE(ask("101 x", good_fields + "Sec-WebSocket-Protocol: ZWS2.0-NULL\r\n").bare);
    const outcome curve =
        ask("101 x", good_fields + "Sec-WebSocket-Protocol: ZWS2.0/CURVE\r\n", 4096, "CURVE");
    EXPECT_EQ(curve.state, ws_upgrade_state::done);
    EXPECT_FALSE(curve.bare);
}

TEST(ws_upgrade, a_client_refuses_other_answers) {
    struct row {
        std::string status, fields;
        ws_upgrade_failure failure;
    };
    using enum ws_upgrade_failure;
    const std::string all = good_fields + "Sec-WebSocket-Protocol: ZWS2.0\r\n";
    const std::vector<row> rows{
        {"200 OK", all, refused},
        {"302 Found", "Location: ws://other/\r\n", refused},
        {"401 Unauthorized", "", refused},
        {"404 Not Found", "", path},
        {"101 x", good_fields, subprotocol},
        {"101 x", good_fields + "Sec-WebSocket-Protocol: ZWS2.0/NULL\r\n", subprotocol},
        {"101 x", good_fields + "Sec-WebSocket-Protocol: ZWS2.0/PLAIN\r\n", subprotocol},
        {"101 x", good_fields + "Sec-WebSocket-Protocol: other\r\n", subprotocol},
        {"101 x", all + "Sec-WebSocket-Extensions: permessage-deflate\r\n", http},
        {"101 x", "Upgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Protocol: ZWS2.0\r\n", http},
        {"101 x", "Upgrade: x\r\nConnection: upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n", http},
        {"101 x", "Upgrade: websocket\r\nSec-WebSocket-Accept: ACCEPT\r\n", http},
        {"101 x",
         "Upgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: "
         "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
         http},
        {"101 x", all + "broken\r\n", http},
        {"101 x", all + "X: " + std::string(9000, 'x') + "\r\n", http},
    };
    for (const row &one : rows) {
        const outcome found = ask(one.status, one.fields);
        EXPECT_EQ(found.state, ws_upgrade_state::failed) << one.status << one.fields;
        EXPECT_EQ(found.failure, one.failure) << one.status << one.fields;
    }
    ws_upgrade client({.side = ws_side::client, .host = "h", .path = "/", .mechanism = "NULL"});
    client.feed(bytes_of("SSH-2.0-OpenSSH\r\n\r\n"));
    EXPECT_EQ(client.failure(), http);
}

} // namespace
} // namespace zlink::transport
