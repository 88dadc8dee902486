// SPDX-License-Identifier: MPL-2.0
// Answers of a SOCKS 5 proxy. The first byte chooses whether there is a login, and the size of the pieces.
// Other pieces of the same bytes lead to the same end, and no byte is taken that is not wanted.
#include "require.hpp"

#include "transport/socks5.hpp"

#include <algorithm>

using namespace zlink::transport;
using zlink::fuzz::require;

namespace {

struct outcome {
    socks5_state state;
    std::size_t taken;
    std::vector<std::uint8_t> told;
};

outcome run(std::span<const std::uint8_t> in, bool login, std::size_t piece) {
    tcp_host_port host;
    host.host = "peer.example";
    host.port = 5555;
    socks5_client client(host, false, login ? socks5_login{"user", "password"} : socks5_login{});
    std::vector<std::uint8_t> told(client.output().begin(), client.output().end());
    client.consume_output(told.size());
    std::size_t taken = 0;
    while (taken < in.size() && client.wanted() != 0) {
        require(client.state() != socks5_state::done && client.state() != socks5_state::failed);
        require(client.wanted() <= 300);
        const std::size_t count = std::min({piece, client.wanted(), in.size() - taken});
        client.feed(in.subspan(taken, count));
        taken += count;
        told.insert(told.end(), client.output().begin(), client.output().end());
        client.consume_output(client.output().size());
    }
    return {client.state(), taken, std::move(told)};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::span in(data + 1, size - 1);
    const bool login = (data[0] & 1) != 0;
    const outcome whole = run(in, login, 1000);
    const outcome pieces = run(in, login, 1U + data[0] / 2U);
    require(whole.state == pieces.state && whole.taken == pieces.taken && whole.told == pieces.told);
    return 0;
}
