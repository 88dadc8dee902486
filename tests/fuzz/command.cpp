// SPDX-License-Identifier: MPL-2.0
// Bodies of COMMAND frames: every parser on every body; what is accepted is built again byte by byte.
#include "require.hpp"

#include "message/frame_header.hpp"
#include "zmtp/command.hpp"

#include <algorithm>

using namespace zlink;
using namespace zlink::zmtp;
using zlink::fuzz::require;

namespace {

void require_frame_of(const byte_buffer &built, byte_view body) {
    const frame_header header = parse_frame_header(built.data(), built.size());
    require(header.status == header_status::ok && header.body_size == body.size());
    require(std::ranges::equal(byte_view(built).subspan(header.header_size), body));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const byte_view body(data, size);
    const auto parsed = parse_command(body);
    if (!parsed) {
        return 0;
    }
    byte_buffer built;
    append_command(built, parsed->name, parsed->data);
    require_frame_of(built, body);
    built.clear();
    if (const auto properties = parse_properties(parsed->data);
        properties && parsed->kind == command_kind::ready) {
        append_ready(built, *properties);
        require_frame_of(built, body);
    } else if (const auto reason = parse_error(parsed->data); reason && parsed->kind == command_kind::error) {
        append_error(built, *reason);
        require_frame_of(built, body);
    } else if (const auto beat = parse_ping(parsed->data); beat && parsed->kind == command_kind::ping) {
        append_ping(built, beat->ttl_deciseconds, beat->context);
        require_frame_of(built, body);
    } else if (const auto context = parse_pong(parsed->data); context && parsed->kind == command_kind::pong) {
        append_pong(built, *context);
        require_frame_of(built, body);
    }
    return 0;
}
