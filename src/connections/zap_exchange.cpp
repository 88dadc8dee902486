// SPDX-License-Identifier: MPL-2.0
#include "connections/zap_exchange.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/wipe.hpp"
#include "connections/connection.hpp"

namespace zlink::connections {
namespace {

// Each exchange has a pipe of its own, and with it its own numbers.
constexpr const char *request_id = "1";

void wipe_and_free(void *secret, void *size) noexcept {
    wipe({static_cast<std::uint8_t *>(secret), reinterpret_cast<std::uintptr_t>(size)});
    std::free(secret);
}

// Writes a frame as a body that is lent: the reader gets these bytes and no copy. Its last reference wipes
// them. Returns false if there is no memory.
bool write_secret(queue_writer &out, zmtp::byte_view secret, std::uint8_t flags) noexcept {
    void *const copy = std::malloc(secret.size());
    if (copy == nullptr)
        return false;
    std::memcpy(copy, secret.data(), secret.size());
    void *const size = reinterpret_cast<void *>(secret.size());
    buffer *const owner = buffer::adopt(copy, secret.size(), wipe_and_free, size);
    if (owner == nullptr) {
        wipe_and_free(copy, size);
        return false;
    }
    const bool written =
        out.write({owner->data(), owner->size(), static_cast<std::uint8_t>(flags | frame_flag::lent), owner});
    owner->release();
    return written;
}

} // namespace

zap_exchange::zap_exchange(pipe_end &to_handler, std::shared_ptr<mailbox> box, connection &asker) noexcept
    : end_(&to_handler), box_(std::move(box)), asker_(asker) {}

zap_exchange::~zap_exchange() {
    end_->close();
}

bool zap_exchange::ask(const security::zap::request &about) {
    const std::uint32_t earlier = end_->attach(*this, box_);
    const std::vector<std::string_view> frames = security::zap::encode_request(request_id, about);
    const std::size_t first_secret = frames.size() - about.credentials.size();
    if (!end_->out().write({nullptr, 0, frame_flag::more, nullptr})) // the delimiter
        return false;
    for (std::size_t index = 0; index < frames.size(); ++index) {
        const std::uint8_t flags = index + 1 < frames.size() ? frame_flag::more : std::uint8_t{0};
        const zmtp::byte_view body = zmtp::as_bytes(frames[index]);
        const bool secret = index >= first_secret && !body.empty();
        if (secret ? !write_secret(end_->out(), body, flags)
                   : !end_->out().write({body.data(), body.size(), flags, nullptr}))
            return false;
    }
    end_->writer().commit_from_io();
    // Earlier events are told in a turn of their own.
    if (!end_->prepare_wait_data() || (earlier & pipe_event::peer_closed) != 0)
        box_->ready.notify(*end_, pipe_event::readable | earlier);
    return true;
}

void zap_exchange::on_pipe_event(pipe_end &, std::uint32_t events) {
    if (auto found = hear(events))
        asker_.on_verdict(*std::move(found)); // and this is gone
}

// Nothing: the answer is not there yet.
std::optional<zmtp::verdict> zap_exchange::hear(std::uint32_t events) noexcept {
    try {
        do {
            if (read_reply())
                return security::zap::decode_reply(request_id, reply_);
        } while (!end_->prepare_wait_data());
        if ((events & pipe_event::peer_closed) == 0)
            return std::nullopt;
    } catch (const std::bad_alloc &) { // as if nobody had been there
    }
    return zmtp::verdict{.failure = zmtp::handshake_failure::no_authenticator, .status = 0, .vouched = {}};
}

// Takes the frames that are there. Returns true if the reply is complete, or if there is no need to read
// further.
bool zap_exchange::read_reply() {
    incoming_frame frame;
    while (end_->read(frame)) {
        const bool more = frame.more();
        if (in_reply_)
            reply_.emplace_back(reinterpret_cast<const char *>(frame.data), frame.size);
        in_reply_ = in_reply_ || frame.size == 0;
        frame.drop();
        if (!more || reply_.size() > security::zap::reply_frames)
            return true;
    }
    return false;
}

} // namespace zlink::connections
