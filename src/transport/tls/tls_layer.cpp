// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/tls_layer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "transport/stream.hpp"

namespace zlink::transport {
namespace {

// Bytes of one call. Those of the peer may bring nothing for us, as new keys or tickets.
constexpr std::size_t most_received = 256 * 1024;
constexpr std::size_t most_sent = 128 * 1024;
constexpr std::size_t sent_at_once = 64 * 1024; // to the stream below
constexpr std::size_t small_output = 4096;

// Reads the pieces of a send one after the other. A record is taken from where it lies if it lies in one
// piece.
class record_source {
  public:
    explicit record_source(std::span<const byte_range> pieces) noexcept : pieces_(pieces) {}

    // Returns an empty span after the last byte.
    [[nodiscard]] std::span<const std::uint8_t> next() noexcept {
        skip_empty();
        if (pieces_.empty())
            return {};
        const std::span whole(pieces_.front().data + at_, pieces_.front().size - at_);
        if (whole.size() >= joined_.size() || pieces_.size() == 1)
            return whole.first(take(std::min(whole.size(), joined_.size())));
        return std::span(joined_).first(join());
    }

  private:
    void skip_empty() noexcept {
        while (!pieces_.empty() && at_ == pieces_.front().size) {
            pieces_ = pieces_.subspan(1);
            at_ = 0;
        }
    }
    std::size_t take(std::size_t size) noexcept {
        at_ += size;
        return size;
    }
    std::size_t join() noexcept {
        std::size_t size = 0;
        for (skip_empty(); !pieces_.empty() && size < joined_.size(); skip_empty()) {
            const std::size_t count = std::min(pieces_.front().size - at_, joined_.size() - size);
            std::memcpy(joined_.data() + size, pieces_.front().data + at_, count);
            size += take(count);
        }
        return size;
    }

    std::span<const byte_range> pieces_;
    std::size_t at_ = 0; // of the first piece
    std::array<std::uint8_t, tls_session::largest_record> joined_;
};

} // namespace

void tls_layer::note_failure(stream &on) noexcept {
    if (session_->state() == tls_state::failed)
        lost_below(on, session_->failure() == tls_failure::refused ? EACCES : EPROTO);
}

// Receives bytes of the peer. Returns false if there are no more.
bool tls_layer::bring(stream &on, std::size_t &taken) noexcept {
    const std::span<std::uint8_t> into = session_->room();
    if (into.empty())
        return false;
    const io_result got = receive_below(on, into);
    ended_ = got.status == io_status::closed;
    const std::size_t bytes = got.status == io_status::ok ? got.bytes : 0;
    session_->received(bytes);
    taken += bytes;
    return bytes == into.size();
}

io_result tls_layer::receive_some(stream &on, std::span<std::uint8_t> room) noexcept {
    std::size_t all = 0;
    std::size_t taken = 0;
    for (bool dry = false;;) {
        all += session_->read(room.subspan(all));
        if (all == room.size())
            return {io_status::ok, all};
        if (session_->state() != tls_state::open || ended_)
            return {io_status::closed, all};
        if (dry || taken >= most_received)
            return {io_status::again, all};
        dry = !bring(on, taken);
    }
}

io_result tls_layer::receive(stream &on, std::span<std::uint8_t> room) noexcept {
    const io_result got = receive_some(on, room.first(std::min(room.size(), most_received)));
    if (got.status != io_status::ok)
        session_->rest();
    if (got.status == io_status::closed)
        note_failure(on);
    return got.bytes != 0 ? io_result{io_status::ok, got.bytes} : got;
}

io_result tls_layer::send(stream &on, std::span<const byte_range> pieces) noexcept {
    if (const io_status before = flush(on); before != io_status::ok)
        return {before, 0};
    record_source source(pieces);
    std::size_t taken = 0;
    for (auto record = source.next(); !record.empty(); record = source.next()) {
        if (session_->write(record) != record.size()) {
            note_failure(on);
            return {io_status::closed, 0};
        }
        taken += record.size();
        if (taken >= most_sent || (session_->output().size() >= sent_at_once && flush(on) != io_status::ok))
            break;
    }
    if (flush(on) == io_status::ok && taken < small_output)
        session_->rest_output();
    return {io_status::ok, taken};
}

io_status tls_layer::flush(stream &on) noexcept {
    while (holds_output()) {
        const auto out = session_->output();
        const io_result put = send_below(on, {out.data(), out.size()});
        if (put.status != io_status::ok)
            return put.status;
        session_->sent(put.bytes);
    }
    return io_status::ok;
}

// Bytes that are still held would come after the alert, so it is left out then.
void tls_layer::end(stream &on) noexcept {
    if (holds_output())
        return;
    session_->close();
    (void)flush(on);
}

} // namespace zlink::transport
