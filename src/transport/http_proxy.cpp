// SPDX-License-Identifier: MPL-2.0
#include "transport/http_proxy.hpp"

#include <algorithm>
#include <cerrno>

#include "base/wipe.hpp"
#include "transport/base64.hpp"

namespace zlink::transport {
namespace {

// "host:port"; an address of IPv6 stands in brackets.
std::string authority_of(const tcp_host_port &host) {
    const bool brackets = host.host.find(':') != std::string::npos;
    return (brackets ? "[" + host.host + "]" : host.host) + ":" + std::to_string(host.port);
}

// Returns true if the text cannot end a line, or begin another word of it.
bool is_word(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte > 0x20 && byte != 0x7F;
    });
}

} // namespace

http_proxy_client::http_proxy_client(const tcp_host_port &host, std::string_view login) {
    if (!is_word(host.host)) {
        fail(EINVAL);
        return;
    }
    const std::string authority = authority_of(host);
    std::string credentials;
    if (!login.empty())
        credentials = to_base64({reinterpret_cast<const std::uint8_t *>(login.data()), login.size()});
    output_.reserve(2 * authority.size() + credentials.size() + 100); // it must not move
    output_ += "CONNECT ";
    output_ += authority;
    output_ += " HTTP/1.1\r\nHost: ";
    output_ += authority;
    if (!login.empty())
        (output_ += "\r\nProxy-Authorization: Basic ") += credentials;
    output_ += "\r\n\r\n";
    wipe(credentials);
}

http_proxy_client::~http_proxy_client() {
    wipe(output_);
}

std::span<const std::uint8_t> http_proxy_client::output() const noexcept {
    return std::span(reinterpret_cast<const std::uint8_t *>(output_.data()), output_.size()).subspan(sent_);
}

std::size_t http_proxy_client::wanted() const noexcept {
    return state_ == http_proxy_state::asking ? answer_.missing() : 0;
}

void http_proxy_client::feed(std::span<const std::uint8_t> in) {
    answer_.feed(in);
    if (answer_.complete())
        on_answer();
    else if (answer_.too_long())
        fail(EPROTO);
}

// "HTTP/1.1 200 text": any status of 2xx opens the tunnel. The fields do not matter then.
void http_proxy_client::on_answer() {
    const std::string_view line = answer_.first_line();
    const std::size_t blank = line.find(' ');
    if (answer_.bad() || !line.starts_with("HTTP/1.") || blank == std::string_view::npos)
        return fail(EPROTO);
    const std::string_view status = line.substr(blank + 1, 3);
    if (status.size() != 3 || !std::ranges::all_of(status, [](char c) { return c >= '0' && c <= '9'; }))
        return fail(EPROTO);
    if (status.front() != '2')
        return fail(status == "407" ? EACCES : ECONNREFUSED);
    state_ = http_proxy_state::done;
}

void http_proxy_client::fail(int code) noexcept {
    state_ = http_proxy_state::failed;
    failure_ = code;
}

} // namespace zlink::transport
