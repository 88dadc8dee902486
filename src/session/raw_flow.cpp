// SPDX-License-Identifier: MPL-2.0
#include "session/raw_flow.hpp"

#include <algorithm>

namespace zlink::session {
namespace {
constexpr std::size_t collected_bytes = 64 * 1024;
} // namespace

// ---- in

bool raw_inflow::publish(zmtp::byte_view body) noexcept {
    if (!end_.out().write({body.data(), body.size(), 0, nullptr}))
        return false;
    end_.publish_from_io();
    return true;
}

void raw_inflow::begin(zmtp::byte_view) {
    if (notifies_ && !publish({}))
        throw std::bad_alloc();
}

// An application that has no memory to hear of it finds out when it sends.
void raw_inflow::lost() noexcept {
    if (notifies_)
        (void)publish({});
}

inflow_status raw_inflow::turn(transport::stream &from, reader_place reader) {
    std::array<std::uint8_t, most_bytes> bytes;
    for (std::size_t received = 0; received < bytes_of_turn(reader);) {
        if (end_.out().full() && pauses(end_.out(), reader))
            return inflow_status::paused;
        const transport::io_result got = from.receive(bytes);
        if (got.status != transport::io_status::ok)
            return got.status == transport::io_status::again ? inflow_status::wait : inflow_status::closed;
        active_ = true;
        received += got.bytes;
        if (!publish({bytes.data(), got.bytes}))
            return inflow_status::no_memory;
        if (got.bytes < from.receives_of(bytes.size()))
            return inflow_status::wait; // the stream had no more
    }
    return inflow_status::again;
}

// ---- out

outflow_status raw_outflow::turn(transport::stream &to) {
    for (std::size_t sent = 0; sent < turn_bytes;) {
        collect();
        const std::size_t left = small_.size() - small_sent_ + held_.size - held_sent_;
        if (left == 0) {
            if (hangs_up_)
                return outflow_status::hung_up;
            if (end_.try_idle())
                return outflow_status::idle;
            continue;
        }
        switch (send_collected(to)) {
        case transport::io_status::ok:
            break;
        case transport::io_status::again:
            return outflow_status::wait;
        case transport::io_status::closed:
            return outflow_status::closed;
        }
        sent += left;
    }
    return outflow_status::again;
}

void raw_outflow::collect() {
    incoming_frame frame;
    while (!hangs_up_ && held_.owner == nullptr && small_.size() < collected_bytes && end_.read(frame)) {
        end_.note_frame(frame);
        hangs_up_ = frame.size == 0;
        if (frame.owner != nullptr) {
            held_ = std::exchange(frame, {});
            return;
        }
        small_.insert(small_.end(), frame.data, frame.data + frame.size);
    }
}

transport::io_status raw_outflow::send_collected(transport::stream &to) {
    while (small_sent_ < small_.size() || held_sent_ < held_.size) {
        const std::array<byte_range, 2> rest{{{small_.data() + small_sent_, small_.size() - small_sent_},
                                              {held_.data + held_sent_, held_.size - held_sent_}}};
        const bool only_held = rest[0].size == 0;
        const std::size_t count = !only_held && rest[1].size != 0 ? 2 : 1;
        const transport::io_result put = to.send(std::span(rest).subspan(only_held ? 1 : 0, count));
        if (put.status != transport::io_status::ok)
            return put.status;
        const std::size_t of_small = std::min(put.bytes, rest[0].size);
        small_sent_ += of_small;
        held_sent_ += put.bytes - of_small;
    }
    rewind();
    return transport::io_status::ok;
}

void raw_outflow::rewind() noexcept {
    small_.clear();
    small_sent_ = 0;
    held_.drop();
    held_ = {};
    held_sent_ = 0;
}

} // namespace zlink::session
