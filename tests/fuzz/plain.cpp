// SPDX-License-Identifier: MPL-2.0
// PLAIN against any peer: the first byte chooses our side and the size of the pieces, the rest is what comes
// behind the greeting.
#include "pieces.hpp"

#include "security/plain_client.hpp"
#include "security/plain_server.hpp"

using namespace zlink;
using namespace zlink::fuzz;

namespace {

zmtp::handshake make_side(bool server) {
    const zmtp::handshake_config config{.type = socket_type::rep, .routing_id = {}, .extra = {}};
    if (server)
        return zmtp::handshake(config, std::make_unique<security::plain_server>());
    return zmtp::handshake(config, std::make_unique<security::plain_client>("admin", "secret"));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const bool server = (data[0] & 1) != 0;
    const auto in = with_greeting("PLAIN", {data + 1, size - 1});
    require_same_end(make_side(server), make_side(server), in, 1U + data[0] / 2U);
    return 0;
}
