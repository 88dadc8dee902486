// SPDX-License-Identifier: MPL-2.0
#include "security/plain_server.hpp"

#include "base/wipe.hpp"
#include "message/frame_header.hpp"
#include "security/plain_commands.hpp"

#include <array>
#include <cassert>

namespace zlink::security {

using zmtp::handshake_failure;

namespace {

// Takes a text with its 1-byte length from the front of `data`.
std::optional<std::string_view> take_text(zmtp::byte_view &data) {
    if (data.empty() || data.size() - 1 < data[0])
        return std::nullopt;
    const std::string_view text = zmtp::as_text(data.subspan(1, data[0]));
    data = data.subspan(1 + std::size_t{data[0]});
    return text;
}

} // namespace

plain_server::~plain_server() {
    forget_credentials();
}

void plain_server::forget_credentials() noexcept {
    for (std::string &one : asked_.credentials)
        wipe(one);
    asked_.credentials.clear();
}

std::string_view plain_server::name() const noexcept {
    return plain::mechanism_name;
}

bool plain_server::append_next(zmtp::byte_buffer &out) {
    switch (step_) {
    case step::send_welcome:
        zmtp::append_command(out, plain::welcome, {});
        step_ = step::await_initiate;
        return true;
    case step::send_ready:
        zmtp::append_ready(out, own_);
        step_ = step::over;
        return true;
    case step::await_hello:
    case step::ask:
    case step::await_initiate:
    case step::over:
        break;
    }
    return false;
}

bool plain_server::take_hello(zmtp::byte_view data) {
    const auto username = take_text(data);
    const auto password = username ? take_text(data) : std::nullopt;
    if (!password || !data.empty())
        return false;
    asked_.credentials.reserve(2);
    asked_.credentials.emplace_back(*username);
    asked_.credentials.emplace_back(*password);
    step_ = step::ask;
    return true;
}

handshake_failure plain_server::accept(const zmtp::command &incoming) {
    if (step_ == step::await_hello && incoming.name == plain::hello)
        return take_hello(incoming.data) ? handshake_failure::none : handshake_failure::malformed_hello;
    if (step_ == step::await_initiate && incoming.name == plain::initiate) {
        auto properties = zmtp::parse_properties(incoming.data);
        if (!properties)
            return handshake_failure::malformed_metadata;
        peer_ = std::move(*properties);
        step_ = step::send_ready;
        return handshake_failure::none;
    }
    return handshake_failure::unexpected_command;
}

void plain_server::authenticated() {
    assert(step_ == step::ask);
    forget_credentials();
    step_ = step::send_welcome;
}

void plain_server::append_refusal(zmtp::byte_buffer &out, std::string_view reason) const {
    reason = reason.substr(0, zmtp::max_error_reason);
    const std::size_t size = plain::misspelt_error.size() + 1 + reason.size();
    std::array<std::uint8_t, large_header_size> header{};
    const std::size_t length = encode_frame_header(header.data(), frame_flag::command, size);
    out.insert(out.end(), header.begin(), header.begin() + static_cast<std::ptrdiff_t>(length));
    out.insert(out.end(), plain::misspelt_error.begin(), plain::misspelt_error.end());
    out.push_back(static_cast<std::uint8_t>(reason.size()));
    out.insert(out.end(), reason.begin(), reason.end());
}

} // namespace zlink::security
