// SPDX-License-Identifier: MPL-2.0
#include "connections/staging.hpp"

#include <algorithm>
#include <array>

namespace zlink::connections {
namespace {

// Memory for one part of a body.
class stage {
  public:
    stage(std::size_t body_size, std::size_t most) noexcept
        : size_(std::min(body_size, most)), memory_(buffer::allocate(size_)) {}
    ~stage() {
        if (memory_ != nullptr)
            memory_->release();
    }
    stage(const stage &) = delete;
    stage &operator=(const stage &) = delete;

    [[nodiscard]] bool exists() const noexcept { return memory_ != nullptr; }
    [[nodiscard]] std::span<std::uint8_t> part(std::size_t wanted) const noexcept {
        return {memory_->data(), std::min(wanted, size_)};
    }

  private:
    std::size_t size_;
    buffer *memory_;
};

} // namespace

bool needs_staging(const transport::stream &to, std::span<const byte_range> message) noexcept {
    const byte_range body = message.back();
    return to.copied_by_tcp() && to.rules().sends_of(body.size) >= least_aliased_bytes &&
           sends_slowly(body.data, total_of(message.first(message.size() - 1)));
}

bool needs_staging(const transport::stream &from, const receive_window::room &room) noexcept {
    return room.alone && from.copied_by_tcp() &&
           from.rules().receives_of(room.body.size()) >= least_aliased_bytes &&
           receives_slowly(room.body_begin, room.before_body);
}

std::size_t send_staged(transport::stream &to, std::span<const byte_range> message, send_function send,
                        std::size_t part_bytes) noexcept {
    std::array<byte_range, 3> pieces;
    std::span<byte_range> offered = std::span(pieces).first(message.size());
    std::copy(message.begin(), message.end(), offered.begin());
    byte_range left = message.back();
    const stage memory(left.size, part_bytes);
    if (!memory.exists())
        return send(to, offered);
    std::size_t sent = 0;
    while (left.size != 0) {
        const std::span<std::uint8_t> part = memory.part(left.size);
        copy_bytes(part.data(), left.data, part.size());
        offered.back() = {part.data(), part.size()};
        const std::size_t wanted = total_of(offered);
        const std::size_t taken = send(to, offered);
        sent += taken;
        if (taken < wanted)
            break;
        left = {left.data + part.size(), left.size - part.size()};
        offered = offered.last(1);
    }
    return sent;
}

transport::io_result receive_staged(transport::stream &from, const receive_window::room &room,
                                    std::size_t part_bytes) noexcept {
    const stage memory(room.body.size(), part_bytes);
    if (!memory.exists())
        return from.receive(room.front, room.body, room.log);
    std::span<std::uint8_t> front = room.front;
    std::span<std::uint8_t> body = room.body;
    std::size_t received = 0;
    for (;;) {
        const std::span<std::uint8_t> part = memory.part(body.size());
        const bool last = part.size() == body.size();
        const transport::io_result got =
            last ? from.receive(front, part, room.log) : from.receive(front, part, {});
        if (got.status != transport::io_status::ok)
            return received != 0 ? transport::io_result{transport::io_status::ok, received} : got;
        received += got.bytes;
        const std::size_t filled = std::min(got.bytes - std::min(got.bytes, front.size()), part.size());
        copy_bytes(body.data(), part.data(), filled);
        body = body.subspan(filled);
        if (body.empty() || filled < part.size())
            return {transport::io_status::ok, received};
        front = {};
    }
}

} // namespace zlink::connections
