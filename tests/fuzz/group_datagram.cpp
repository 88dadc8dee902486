// SPDX-License-Identifier: MPL-2.0
// Datagrams for a DISH: what is taken from one is all of it, in its order.
#include "require.hpp"

#include "zmtp/group_datagram.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto parsed = zlink::zmtp::parse_group_datagram({data, size});
    if (!parsed)
        return 0;
    zlink::fuzz::require(parsed->group.size() == data[0] && parsed->group.data() == data + 1 &&
                         parsed->body.data() == data + 1 + data[0] &&
                         1 + parsed->group.size() + parsed->body.size() == size);
    return 0;
}
