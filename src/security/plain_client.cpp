// SPDX-License-Identifier: MPL-2.0
#include "security/plain_client.hpp"

#include "security/plain_commands.hpp"

namespace zlink::security {

using zmtp::handshake_failure;

namespace {

void append_text(zmtp::byte_buffer &out, const std::string &text) {
    out.push_back(static_cast<std::uint8_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
}

} // namespace

std::string_view plain_client::name() const noexcept {
    return plain::mechanism_name;
}

bool plain_client::append_next(zmtp::byte_buffer &out) {
    zmtp::byte_buffer data;
    switch (step_) {
    case step::send_hello:
        data.reserve(2 + username_.size() + password_.size());
        append_text(data, username_);
        append_text(data, password_);
        zmtp::append_command(out, plain::hello, data);
        wipe(data);
        step_ = step::await_welcome;
        return true;
    case step::send_initiate:
        for (const zmtp::property &one : own_)
            zmtp::append_property(data, one.name, one.value);
        zmtp::append_command(out, plain::initiate, data);
        step_ = step::await_ready;
        return true;
    case step::await_welcome:
    case step::await_ready:
    case step::over:
        break;
    }
    return false;
}

handshake_failure plain_client::accept(const zmtp::command &incoming) {
    if (step_ == step::await_welcome && incoming.name == plain::welcome) {
        if (!incoming.data.empty())
            return handshake_failure::malformed_welcome;
        step_ = step::send_initiate;
        return handshake_failure::none;
    }
    if (step_ == step::await_ready && incoming.kind == zmtp::command_kind::ready) {
        auto properties = zmtp::parse_properties(incoming.data);
        if (!properties)
            return handshake_failure::malformed_metadata;
        peer_ = std::move(*properties);
        step_ = step::over;
        return handshake_failure::none;
    }
    return handshake_failure::unexpected_command;
}

std::optional<std::string_view> plain_client::misspelt_error(zmtp::byte_view body) const noexcept {
    if (!zmtp::as_text(body).starts_with(plain::misspelt_error))
        return std::nullopt;
    return zmtp::parse_error(body.subspan(plain::misspelt_error.size()));
}

} // namespace zlink::security
