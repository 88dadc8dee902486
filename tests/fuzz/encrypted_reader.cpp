// SPDX-License-Identifier: MPL-2.0
// Input of a connection under CURVE. The first byte chooses whether subscriptions are taken, how the pieces
// are made, and the form of the rest. The rest is bytes as they come, or frames, which are encrypted before
// they are sent. Such a frame is a byte of flags, a byte of length, and a body. However the input is split,
// the same frames come out and the connection ends alike. Only whole messages come out, and nothing that was
// not encrypted.
#include "received.hpp"

#include "connections/encrypted_reader.hpp"
#include "security/curve_cipher.hpp"

using namespace zlink;
using namespace zlink::fuzz;
using namespace zlink::connections;

namespace {

constexpr std::size_t largest_message = 100'000;

using security::curve_cipher;

curve_cipher make_cipher(curve_cipher::side own) {
    require(security::curve::ready());
    return {own, security::curve::key{1, 2, 3}, 2, 1};
}

zmtp::byte_buffer seal(zmtp::byte_view in) {
    curve_cipher cipher = make_cipher(curve_cipher::side::client);
    zmtp::byte_buffer wire;
    while (in.size() >= 2) {
        const std::size_t size = std::min<std::size_t>(in[1], in.size() - 2);
        const auto flags = static_cast<std::uint8_t>(in[0] & 5);
        const std::size_t scale = (in[0] & 8) != 0 ? 64 : 1; // large bodies
        zmtp::byte_buffer body;
        for (std::size_t turn = 0; turn < scale; ++turn)
            body.insert(body.end(), in.begin() + 2, in.begin() + 2 + static_cast<std::ptrdiff_t>(size));
        in = in.subspan(2 + size);
        const std::size_t before = wire.size();
        wire.resize(before + cipher.sealed_size(body.size()));
        cipher.seal(flags, body, wire.data() + before);
    }
    return wire;
}

outcome receive(bool takes_subscriptions, zmtp::byte_view in, std::size_t early, std::size_t piece) {
    curve_cipher cipher = make_cipher(curve_cipher::side::server);
    receiver one(largest_message, [&](pipe_end &end, ping_responder &pings) {
        return std::make_unique<encrypted_reader>(
            end, read_rules{takes_subscriptions, static_cast<std::int64_t>(largest_message)}, pings, cipher);
    });
    return one.take(in, early, piece);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const bool subscriptions = (data[0] & 1) != 0;
    const bool seals = (data[0] & 2) != 0;
    const std::size_t few = 1U + data[0] / 4U;
    const zmtp::byte_view rest(data + 1, size - 1);
    const zmtp::byte_buffer in = seals ? seal(rest) : zmtp::byte_buffer(rest.begin(), rest.end());
    // Much of it goes in larger pieces: a call for each costs the time.
    const std::size_t piece = few * (in.size() > 500 ? 97 : 1);
    const outcome whole = receive(subscriptions, in, 0, in.size() + 1);
    require(receive(subscriptions, in, 0, piece) == whole);
    require(receive(subscriptions, in, std::min(in.size(), piece), in.size() + 1) == whole);
    if (!seals)
        require(whole.frames.empty() && whole.pongs == 0);
    return 0;
}
