// SPDX-License-Identifier: MPL-2.0
#include "transport/http_proxy_opening.hpp"

#include <array>

#include "transport/stream.hpp"

namespace zlink::transport {

opening_status http_proxy_opening::go_on(stream &with) {
    while (!client_.output().empty()) {
        const std::array<byte_range, 1> pieces{{{client_.output().data(), client_.output().size()}}};
        const io_result put = with.send(pieces);
        if (put.status == io_status::closed)
            return opening_status::failed;
        if (put.status == io_status::again)
            return opening_status::writes;
        client_.consume_output(put.bytes);
    }
    // At most four bytes at a time: the length of an answer is not known before its end.
    while (client_.state() == http_proxy_state::asking) {
        std::array<std::uint8_t, 4> bytes;
        const io_result got = with.receive(std::span(bytes).first(client_.wanted()));
        if (got.status == io_status::closed)
            return opening_status::failed;
        if (got.status == io_status::again)
            return opening_status::reads;
        client_.feed(std::span(bytes).first(got.bytes));
    }
    return client_.state() == http_proxy_state::done ? opening_status::done : opening_status::failed;
}

opening_failure http_proxy_opening::failure() const noexcept {
    if (client_.failure() == 0)
        return {};
    return {opening_fault::connection, static_cast<std::uint32_t>(client_.failure())};
}

} // namespace zlink::transport
