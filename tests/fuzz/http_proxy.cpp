// SPDX-License-Identifier: MPL-2.0
// Answers of an HTTP proxy. The first byte chooses the size of the pieces. Other pieces of the same bytes
// lead to the same end, and no byte is taken that is not wanted.
#include "require.hpp"

#include "transport/http_proxy.hpp"

#include <algorithm>

using namespace zlink::transport;
using zlink::fuzz::require;

namespace {

struct outcome {
    http_proxy_state state;
    int failure;
    std::size_t taken;
};

outcome run(std::span<const std::uint8_t> in, std::size_t piece) {
    tcp_host_port host;
    host.host = "peer.example";
    host.port = 5555;
    http_proxy_client client(host, "user:password");
    client.consume_output(client.output().size());
    std::size_t taken = 0;
    while (taken < in.size() && client.wanted() != 0) {
        require(client.wanted() <= 4);
        const std::size_t count = std::min({piece, client.wanted(), in.size() - taken});
        client.feed(in.subspan(taken, count));
        taken += count;
    }
    require(taken <= http_head::largest + 4);
    require((client.state() == http_proxy_state::failed) == (client.failure() != 0));
    return {client.state(), client.failure(), taken};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::span in(data + 1, size - 1);
    const outcome whole = run(in, 4);
    const outcome pieces = run(in, 1U + data[0] % 4U);
    require(whole.state == pieces.state && whole.failure == pieces.failure && whole.taken == pieces.taken);
    return 0;
}
