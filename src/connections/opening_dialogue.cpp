// SPDX-License-Identifier: MPL-2.0
#include "connections/opening_dialogue.hpp"

#include <cerrno>
#include <new>

namespace zlink::connections {

void opening_dialogue::wait_writable() {
    stream_->wait_writable(runtime::slotted(
        slot_, [self = shared_from_this()](const auto &error) { error ? self->fail() : self->go_on(); }));
}

void opening_dialogue::wait_readable() {
    stream_->wait_readable(runtime::slotted(
        slot_, [self = shared_from_this()](const auto &error) { error ? self->fail() : self->go_on(); }));
}

transport::opening_status opening_dialogue::next() noexcept {
    try {
        return openings_[at_]->go_on(*stream_);
    } catch (const std::bad_alloc &) {
        return transport::opening_status::failed;
    }
}

void opening_dialogue::go_on() {
    while (at_ != openings_.size())
        switch (next()) {
        case transport::opening_status::reads:
            if (stream_->has_buffered()) // by the layer of the opening before
                continue;
            return wait_readable();
        case transport::opening_status::writes:
            return wait_writable();
        case transport::opening_status::done:
            ++at_;
            continue;
        case transport::opening_status::failed:
            return end(false, openings_[at_]->failure());
        }
    end(true, {});
}

// The stream was closed, since the time of the opening is over.
void opening_dialogue::fail() {
    transport::opening_failure why = openings_[at_]->failure();
    if (why.fault == transport::opening_fault::connection)
        why.value = EAGAIN; // as for a handshake of ZMTP
    end(false, why);
}

void opening_dialogue::end(bool opened, transport::opening_failure why) {
    if (const answer last = std::exchange(on_end_, nullptr))
        last(opened, why);
}

} // namespace zlink::connections
