// SPDX-License-Identifier: MPL-2.0
#include "connections/opening_dialogue.hpp"

#include <new>

namespace zlink::connections {

void opening_dialogue::wait_writable() {
    stream_->wait_writable(runtime::slotted(
        slot_, [self = shared_from_this()](const auto &error) { error ? self->end(false) : self->go_on(); }));
}

void opening_dialogue::wait_readable() {
    stream_->wait_readable(runtime::slotted(
        slot_, [self = shared_from_this()](const auto &error) { error ? self->end(false) : self->go_on(); }));
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
            return end(false);
        }
    end(true);
}

void opening_dialogue::end(bool opened) {
    if (const answer last = std::exchange(on_end_, nullptr))
        last(opened);
}

} // namespace zlink::connections
