// SPDX-License-Identifier: MPL-2.0
#include "zmtp/null_mechanism.hpp"

namespace zlink::zmtp {

bool null_mechanism::append_next(byte_buffer &out) {
    if (sent_ || awaits() != nullptr) {
        return false;
    }
    append_ready(out, own_);
    sent_ = true;
    return true;
}

handshake_failure null_mechanism::accept(const command &incoming) {
    if (incoming.kind != command_kind::ready) {
        return handshake_failure::unexpected_command;
    }
    auto properties = parse_properties(incoming.data);
    if (!properties) {
        return handshake_failure::malformed_command;
    }
    peer_ = std::move(*properties);
    received_ = true;
    return handshake_failure::none;
}

} // namespace zlink::zmtp
