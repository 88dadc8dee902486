// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_upgrade.hpp"

#include <algorithm>
#include <array>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "transport/base64.hpp"

namespace zlink::transport {
namespace {

constexpr std::string_view bare_subprotocol = "ZWS2.0";
// Programs that follow RFC 6455 to the letter, as browsers, refuse a name with '/'. This name lets two ends
// of zlink tell each other their metadata, and passes everywhere.
constexpr std::string_view null_subprotocol = "ZWS2.0-NULL";
constexpr std::string_view standard_prefix = "ZWS2.0/";

std::string standard_subprotocol(std::string_view mechanism) {
    return std::string(standard_prefix) + std::string(mechanism);
}

// 16 bytes in base64.
bool is_key(std::string_view text) noexcept {
    constexpr std::size_t letters = 22;
    if (text.size() != letters + 2 || !text.ends_with("=="))
        return false;
    return std::ranges::all_of(text.substr(0, letters), [](char letter) {
        return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
               (letter >= '0' && letter <= '9') || letter == '+' || letter == '/';
    });
}

// "GET path HTTP/1.1"; later versions of HTTP/1 pass.
struct request_line {
    std::string_view method, path, version;
};
request_line parse_request_line(std::string_view line) noexcept {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last)
        return {};
    return {line.substr(0, first), line.substr(first + 1, last - first - 1), line.substr(last + 1)};
}

bool is_http_1_1(std::string_view version) noexcept {
    return version.size() == 8 && version.starts_with("HTTP/1.") && version[7] >= '1' && version[7] <= '9';
}

// A request may name the whole address. Then the path follows the host.
std::string_view path_of(std::string_view target) noexcept {
    const std::size_t scheme = target.starts_with('/') ? std::string_view::npos : target.find("://");
    if (scheme == std::string_view::npos)
        return target;
    const std::size_t slash = target.find('/', scheme + 3);
    return slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
}

} // namespace

std::string accept_value(std::string_view key) {
    const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
        return {};
    return to_base64(std::span(digest).first(size));
}

ws_upgrade::ws_upgrade(ws_wish wish) : wish_(std::move(wish)) {
    if (wish_.side == ws_side::client)
        ask();
}

std::span<const std::uint8_t> ws_upgrade::output() const noexcept {
    return std::span(reinterpret_cast<const std::uint8_t *>(output_.data()), output_.size())
        .subspan(output_sent_);
}

std::size_t ws_upgrade::feed(std::span<const std::uint8_t> in) {
    if (state_ != ws_upgrade_state::going_on)
        return 0;
    const std::size_t used = head_.feed(in);
    const bool serves = wish_.side == ws_side::server;
    if (head_.too_long())
        serves ? answer("431 Request Header Fields Too Large", {}, ws_upgrade_failure::http)
               : fail(ws_upgrade_failure::http);
    else if (head_.complete())
        serves ? on_request() : on_response();
    return used;
}

std::string ws_upgrade::asked_path() const {
    return std::string(path_of(parse_request_line(head_.first_line()).path));
}

void ws_upgrade::fail(ws_upgrade_failure why) noexcept {
    state_ = ws_upgrade_state::failed;
    failure_ = why;
}

// ---- the client

void ws_upgrade::ask() {
    std::array<std::uint8_t, 16> nonce{};
    if (RAND_bytes(nonce.data(), static_cast<int>(nonce.size())) != 1)
        return fail(ws_upgrade_failure::no_randomness);
    key_ = to_base64(nonce);
    const bool null = wish_.mechanism == "NULL";
    output_ = "GET " + wish_.path + " HTTP/1.1\r\nHost: " + wish_.host +
              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + key_ +
              "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: " +
              (null ? std::string(bare_subprotocol) + ", " + std::string(null_subprotocol)
                    : standard_subprotocol(wish_.mechanism)) +
              "\r\n\r\n";
}

void ws_upgrade::on_response() {
    const std::string_view line = head_.first_line();
    const std::size_t blank = line.find(' ');
    if (head_.bad() || blank == std::string_view::npos || !is_http_1_1(line.substr(0, blank)))
        return fail(ws_upgrade_failure::http);
    const std::string_view status = line.substr(blank + 1, 3);
    if (status != "101")
        return fail(status == "404" ? ws_upgrade_failure::path : ws_upgrade_failure::refused);
    if (!same_without_case(head_.value_of("Upgrade"), "websocket") ||
        !has_member(head_.value_of("Connection"), "Upgrade") ||
        head_.value_of("Sec-WebSocket-Accept") != accept_value(key_) ||
        head_.count_of("Sec-WebSocket-Extensions") != 0)
        return fail(ws_upgrade_failure::http);
    const std::string chosen = head_.value_of("Sec-WebSocket-Protocol");
    const bool null = wish_.mechanism == "NULL";
    bare_ = null && chosen == bare_subprotocol;
    if (!bare_ && chosen != (null ? std::string(null_subprotocol) : standard_subprotocol(wish_.mechanism)))
        return fail(ws_upgrade_failure::subprotocol);
    state_ = ws_upgrade_state::done;
}

// ---- the server

void ws_upgrade::on_request() {
    const auto [method, target, version] = parse_request_line(head_.first_line());
    if (head_.bad() || !is_http_1_1(version) || head_.count_of("Host") != 1 || target.empty())
        return answer("400 Bad Request", {}, ws_upgrade_failure::http);
    if (method != "GET")
        return answer("405 Method Not Allowed", "Allow: GET\r\n", ws_upgrade_failure::http);
    if (path_of(target) != wish_.path)
        return answer("404 Not Found", {}, ws_upgrade_failure::path);
    if (!may_come())
        return answer("403 Forbidden", {}, ws_upgrade_failure::origin);
    if (!has_member(head_.value_of("Upgrade"), "websocket") ||
        !has_member(head_.value_of("Connection"), "Upgrade"))
        return answer("426 Upgrade Required", "Upgrade: websocket\r\n", ws_upgrade_failure::http);
    if (head_.value_of("Sec-WebSocket-Version") != "13")
        return answer("426 Upgrade Required", "Sec-WebSocket-Version: 13\r\n", ws_upgrade_failure::http);
    const std::string key = head_.value_of("Sec-WebSocket-Key");
    if (!is_key(key))
        return answer("400 Bad Request", {}, ws_upgrade_failure::http);
    const std::string offered = head_.value_of("Sec-WebSocket-Protocol");
    const bool null = wish_.mechanism == "NULL";
    const std::string standard = standard_subprotocol(wish_.mechanism);
    for (const std::string_view one : {null_subprotocol, std::string_view(standard), bare_subprotocol})
        if ((null || one == standard) && has_member(offered, one))
            return accept(key, one);
    answer("400 Bad Request", {}, ws_upgrade_failure::subprotocol);
}

// A browser always names the origin of the page. Other programs need not, and could name any.
bool ws_upgrade::may_come() const {
    const std::size_t count = head_.count_of("Origin");
    return wish_.origins.empty() || count == 0 ||
           (count == 1 && has_member(wish_.origins, head_.value_of("Origin")));
}

void ws_upgrade::accept(std::string_view key, std::string_view subprotocol) {
    bare_ = subprotocol == bare_subprotocol;
    output_ = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              "Sec-WebSocket-Accept: " +
              accept_value(key) + "\r\nSec-WebSocket-Protocol: " + std::string(subprotocol) + "\r\n\r\n";
    state_ = ws_upgrade_state::done;
}

void ws_upgrade::answer(std::string_view status, std::string_view fields, ws_upgrade_failure why) {
    output_ = "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(fields) +
              "Connection: close\r\nContent-Length: 0\r\n\r\n";
    fail(why);
}

} // namespace zlink::transport
