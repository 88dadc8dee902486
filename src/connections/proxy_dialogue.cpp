// SPDX-License-Identifier: MPL-2.0
#include "connections/proxy_dialogue.hpp"

#include <array>
#include <new>

namespace zlink::connections {

void proxy_dialogue::wait_writable() {
    stream_->wait_writable(runtime::slotted(
        slot_, [self = shared_from_this()](const auto &error) { error ? self->end(false) : self->write(); }));
}

void proxy_dialogue::wait_readable() {
    stream_->wait_readable(runtime::slotted(
        slot_, [self = shared_from_this()](const auto &error) { error ? self->end(false) : self->read(); }));
}

void proxy_dialogue::write() {
    const auto out = client_.output();
    if (!out.empty()) {
        const std::array<byte_range, 1> pieces{{{out.data(), out.size()}}};
        const transport::io_result put = stream_->send(pieces);
        if (put.status == transport::io_status::closed)
            return end(false);
        if (put.status == transport::io_status::ok)
            client_.consume_output(put.bytes);
    }
    go_on();
}

void proxy_dialogue::read() {
    std::array<std::uint8_t, 512> bytes;
    const std::size_t most = std::min(client_.wanted(), bytes.size());
    const transport::io_result got = stream_->receive(std::span(bytes).first(most));
    if (got.status == transport::io_status::closed)
        return end(false);
    if (got.status == transport::io_status::ok) {
        try {
            client_.feed(std::span(bytes).first(got.bytes));
        } catch (const std::bad_alloc &) {
            return end(false);
        }
    }
    go_on();
}

void proxy_dialogue::go_on() {
    switch (client_.state()) {
    case transport::socks5_state::choosing:
    case transport::socks5_state::authenticating:
    case transport::socks5_state::connecting:
        return client_.output().empty() ? wait_readable() : wait_writable();
    case transport::socks5_state::done:
        return end(true);
    case transport::socks5_state::failed:
        return end(false);
    }
}

void proxy_dialogue::end(bool connected) {
    if (const answer last = std::exchange(on_end_, nullptr))
        last(connected);
}

} // namespace zlink::connections
