// SPDX-License-Identifier: MPL-2.0
#include "connections/raw_stream.hpp"

#include <algorithm>

namespace zlink::connections {
namespace {
constexpr std::size_t collected_bytes = 64 * 1024;
} // namespace

// ---- in

bool raw_reader::commit(zmtp::byte_view body) noexcept {
    if (!end_.out().write({body.data(), body.size(), 0, nullptr}))
        return false;
    end_.writer().commit_from_io();
    return true;
}

void raw_reader::begin(zmtp::byte_view) {
    if (notifies_ && !commit({}))
        throw std::bad_alloc();
}

// An application that has no memory to hear of it finds out when it sends.
void raw_reader::lost() noexcept {
    if (notifies_)
        (void)commit({});
}

read_status raw_reader::turn(transport::stream &from, run_by reader) {
    std::array<std::uint8_t, most_bytes> bytes;
    for (std::size_t received = 0; received < bytes_of_turn(reader);) {
        if (end_.out().full() && pauses(end_.out(), reader))
            return read_status::paused;
        const transport::io_result got = from.receive(bytes);
        if (got.status != transport::io_status::ok)
            return got.status == transport::io_status::again ? read_status::wait : read_status::closed;
        active_ = true;
        received += got.bytes;
        if (!commit({bytes.data(), got.bytes}))
            return read_status::no_memory;
        if (got.bytes < from.rules().receives_of(bytes.size()))
            return read_status::wait; // the stream had no more
    }
    return read_status::again;
}

// ---- out

write_status raw_writer::turn(transport::stream &to) {
    for (std::size_t sent = 0; sent < turn_bytes;) {
        collect();
        const std::size_t left = small_.size() - small_sent_ + held_.size - held_sent_;
        if (left == 0) {
            if (hangs_up_)
                return write_status::hung_up;
            if (end_.prepare_wait_data())
                return write_status::idle;
            continue;
        }
        switch (send_collected(to)) {
        case transport::io_status::ok:
            break;
        case transport::io_status::again:
            return write_status::wait;
        case transport::io_status::closed:
            return write_status::closed;
        }
        sent += left;
    }
    return write_status::again;
}

void raw_writer::collect() {
    incoming_frame frame;
    while (!hangs_up_ && held_.owner == nullptr && small_.size() < collected_bytes && end_.read(frame)) {
        end_.slot().sent.note_frame(frame);
        hangs_up_ = frame.size == 0;
        if (frame.owner != nullptr) {
            held_ = std::exchange(frame, {});
            return;
        }
        small_.insert(small_.end(), frame.data, frame.data + frame.size);
    }
}

transport::io_status raw_writer::send_collected(transport::stream &to) {
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

void raw_writer::rewind() noexcept {
    small_.clear();
    small_sent_ = 0;
    held_.drop();
    held_ = {};
    held_sent_ = 0;
}

} // namespace zlink::connections
