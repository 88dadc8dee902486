// SPDX-License-Identifier: MPL-2.0
#include "transport/socks5_opening.hpp"

#include <algorithm>
#include <array>

#include "transport/stream.hpp"

namespace zlink::transport {

// Returns false if the proxy is gone.
bool socks5_opening::write(stream &to) {
    const auto out = client_.output();
    if (out.empty())
        return true;
    const std::array<byte_range, 1> pieces{{{out.data(), out.size()}}};
    const io_result put = to.send(pieces);
    if (put.status == io_status::ok)
        client_.consume_output(put.bytes);
    return put.status != io_status::closed;
}

// Returns false if the proxy is gone.
bool socks5_opening::read(stream &from) {
    std::array<std::uint8_t, 512> bytes;
    const std::size_t most = std::min(client_.wanted(), bytes.size());
    const io_result got = from.receive(std::span(bytes).first(most));
    if (got.status == io_status::ok)
        client_.feed(std::span(bytes).first(got.bytes));
    return got.status != io_status::closed;
}

opening_status socks5_opening::go_on(stream &with) {
    if (!(reads_ ? read(with) : write(with)))
        return opening_status::failed;
    switch (client_.state()) {
    case socks5_state::choosing:
    case socks5_state::authenticating:
    case socks5_state::connecting:
        reads_ = client_.output().empty();
        return reads_ ? opening_status::reads : opening_status::writes;
    case socks5_state::done:
        return opening_status::done;
    case socks5_state::failed:
        return opening_status::failed;
    }
    return opening_status::failed;
}

} // namespace zlink::transport
