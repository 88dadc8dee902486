// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/bytes.hpp"

namespace zlink::transport {
namespace {

constexpr std::uint8_t zmtp_major = 3;
constexpr std::uint8_t zmtp_minor = 0; // topics are told by messages
constexpr std::size_t small_body = 255;
constexpr std::size_t headroom = zmtp_large_header - 1; // the byte of flags is replaced
constexpr std::uint64_t most_of_handshake = 64 * 1024;
constexpr std::uint64_t most_of_identity = 255;
constexpr std::array<std::uint8_t, 7> pong{zmtp_command, 5, 4, 'P', 'O', 'N', 'G'};

constexpr std::uint8_t zmtp_flags(std::uint8_t flags) noexcept {
    return flags == zws_flag::command ? zmtp_command : flags;
}

std::size_t write_frame_header(std::uint8_t *to, std::uint8_t flags, std::uint64_t size) noexcept {
    to[0] = zmtp_flags(flags);
    if (size <= small_body) {
        to[1] = static_cast<std::uint8_t>(size);
        return 2;
    }
    to[0] |= zmtp_large;
    store_big_endian_64(to + 1, size);
    return zmtp_large_header;
}

void append_text(std::vector<std::uint8_t> &to, std::string_view text) {
    to.insert(to.end(), text.begin(), text.end());
}

void append_property(std::vector<std::uint8_t> &to, std::string_view name, std::string_view value) {
    to.push_back(static_cast<std::uint8_t>(name.size()));
    append_text(to, name);
    to.insert(to.end(), {0, 0, 0, static_cast<std::uint8_t>(value.size())});
    append_text(to, value);
}

std::vector<std::uint8_t> make_greeting(const zws_terms &terms) {
    constexpr std::size_t mechanism_at = 12;
    constexpr std::size_t as_server_at = 32;
    std::vector<std::uint8_t> greeting(zmtp_greeting_size);
    greeting[0] = 0xFF;
    greeting[8] = 1;
    greeting[9] = 0x7F;
    greeting[10] = zmtp_major;
    greeting[11] = zmtp_minor;
    std::ranges::copy(terms.mechanism, greeting.begin() + mechanism_at);
    greeting[as_server_at] = terms.side == ws_side::client ? 1 : 0;
    return greeting;
}

} // namespace

ws_decoder::ws_decoder(const zws_terms &terms)
    : terms_(terms), peer_(terms.side == ws_side::client ? ws_side::server : ws_side::client),
      wants_identity_(terms.bare), commands_left_(terms.handshake_commands()), gathered_(headroom),
      pending_(make_greeting(terms)) {}

std::size_t ws_decoder::drain(std::span<std::uint8_t> out) noexcept {
    const std::size_t size = std::min(pending_.size() - pending_at_, out.size());
    if (size == 0)
        return 0;
    std::memcpy(out.data(), pending_.data() + pending_at_, size);
    pending_at_ += size;
    if (pending_at_ == pending_.size()) {
        pending_at_ = 0;
        if (pending_.capacity() > most_of_handshake)
            pending_ = {};
        pending_.clear();
    }
    return size;
}

// Decodes small messages, each whole and not a fragment. Most are as long as the one before. The processor
// foretells that, and need not wait for the size of one to find the next. `Ample`: only as long as the
// longest one would fit with `mask_slack` bytes behind it. Then bodies are copied by whole vectors.
template <bool Masked, bool Ample> void ws_decoder::decode_row(std::span<const std::uint8_t> in,
                                                               std::span<std::uint8_t> out,
                                                               zws_progress &done) noexcept {
    constexpr std::size_t header_size = Masked ? 6 : 2;
    constexpr unsigned mask_bit = Masked ? 0x80U : 0U;
    constexpr std::size_t least = Ample ? header_size + max_control_payload + mask_slack : header_size + 1;
    unsigned size = 1;
    while (in.size() - done.used >= least && out.size() - done.made >= least) {
        const std::uint8_t *const from = in.data() + done.used;
        const unsigned here = from[1] ^ mask_bit;
        if (from[0] != whole_binary)
            return;
        if (here != size) [[unlikely]] {
            if (here - 1 >= max_control_payload)
                return;
            size = here;
            asm volatile("" : "+r"(size)); // or the compiler always takes the size that it has read
        }
        if (!Ample && (in.size() - done.used < header_size + size || out.size() - done.made < size + 1))
            return;
        masking_key key{};
        if constexpr (Masked)
            std::memcpy(key.data(), from + 2, key.size());
        const std::uint8_t flags = from[header_size] ^ key[0];
        if (flags > zws_flag::more)
            return;
        std::uint8_t *const to = out.data() + done.made;
        to[0] = flags;
        to[1] = static_cast<std::uint8_t>(size - 1);
        if constexpr (Ample)
            apply_mask_to_few(to + 2, from + header_size + 1, size - 1, vector_of(key_at(key, 1)));
        else
            apply_mask(to + 2, from + header_size + 1, size - 1, key_at(key, 1));
        done.used += header_size + size;
        done.made += size + 1;
    }
}

// Whole small messages, for which there is room; none if something else comes next.
zws_progress ws_decoder::decode_small(std::span<const std::uint8_t> in,
                                      std::span<std::uint8_t> out) const noexcept {
    zws_progress done;
    if (peer_ == ws_side::client) {
        decode_row<true, true>(in, out, done);
        decode_row<true, false>(in, out, done);
    } else {
        decode_row<false, true>(in, out, done);
        decode_row<false, false>(in, out, done);
    }
    return done;
}

zws_progress ws_decoder::decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    zws_progress done;
    for (;;) {
        done.made += drain(out.subspan(done.made));
        if (has_pending() || state_ == state::over || done.used == in.size())
            return done;
        if (state_ == state::body && done.made == out.size())
            return done;
        if (state_ == state::header && begun_size_ == 0 && !in_message_ && !wants_identity_) {
            const zws_progress small = decode_small(in.subspan(done.used), out.subspan(done.made));
            done.used += small.used;
            done.made += small.made;
            if (done.used == in.size() || done.made == out.size())
                return done;
        }
        step(in.subspan(done.used), out.subspan(done.made), done);
    }
}

void ws_decoder::step(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, zws_progress &done) {
    switch (state_) {
    case state::header:
        return collect_header(in, done);
    case state::flags:
        ++done.used;
        --left_;
        on_flags(in[0] ^ key_[0]);
        key_ = key_at(key_, 1);
        return;
    case state::body: {
        const std::size_t size = std::min({std::uint64_t{in.size()}, std::uint64_t{out.size()}, left_});
        std::memcpy(out.data(), in.data(), size);
        took(out.first(size));
        done.used += size;
        done.made += size;
        return;
    }
    case state::gather:
        return gather(in, done);
    case state::control:
        return collect_control(in, done);
    case state::over:
        return;
    }
}

void ws_decoder::took(std::span<std::uint8_t> bytes) noexcept {
    if (header_.masked)
        apply_mask(bytes.data(), bytes.data(), bytes.size(), key_);
    key_ = key_at(key_, bytes.size());
    left_ -= bytes.size();
    if (left_ == 0)
        state_ = state::header;
}

void ws_decoder::collect_header(std::span<const std::uint8_t> in, zws_progress &done) {
    for (const std::uint8_t byte : in) {
        begun_[begun_size_++] = byte;
        ++done.used;
        if (begun_size_ < 2 || begun_size_ < ws_header_size(begun_[1]))
            continue;
        const bool good = parse_ws_header(std::span(begun_).first(begun_size_), peer_, header_);
        begun_size_ = 0;
        left_ = header_.payload;
        key_ = header_.key;
        return good ? on_header() : fail(ws_close::protocol);
    }
}

void ws_decoder::on_header() {
    if (is_control(header_.opcode)) {
        control_.size = 0;
        state_ = state::control;
        if (left_ == 0)
            on_control();
        return;
    }
    if (header_.opcode == ws_opcode::text)
        return fail(ws_close::unsupported);
    if ((header_.opcode == ws_opcode::continuation) != in_message_)
        return fail(ws_close::protocol);
    const bool whole = header_.last && !in_message_ && !wants_identity_;
    in_message_ = !header_.last;
    if (whole) {
        if (left_ == 0)
            return fail(ws_close::protocol);
        state_ = state::flags;
        return;
    }
    state_ = state::gather;
    if (left_ == 0)
        on_gathered();
}

void ws_decoder::on_flags(std::uint8_t flags) {
    if (flags > zws_flag::command)
        return fail(ws_close::protocol);
    if (flags == zws_flag::command && commands_left_ > 0)
        --commands_left_;
    put_frame_header(flags, left_);
    state_ = left_ != 0 ? state::body : state::header;
}

void ws_decoder::put_frame_header(std::uint8_t flags, std::uint64_t size) {
    pending_.resize(zmtp_large_header);
    pending_.resize(write_frame_header(pending_.data(), flags, size));
}

// ---- messages in fragments

void ws_decoder::gather(std::span<const std::uint8_t> in, zws_progress &done) {
    const std::size_t size = std::min(std::uint64_t{in.size()}, left_);
    const std::size_t before = gathered_.size();
    gathered_.insert(gathered_.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(size));
    apply_mask(gathered_.data() + before, gathered_.data() + before, size, key_);
    key_ = key_at(key_, size);
    left_ -= size;
    done.used += size;
    give_up_if_too_long();
    if (state_ == state::gather && left_ == 0)
        on_gathered();
}

// A message that is too long for the socket is shown to the reader by its header, which refuses it. A part of
// the handshake has a limit of its own.
void ws_decoder::give_up_if_too_long() {
    const std::uint64_t size = gathered_.size() - headroom;
    if (size == 0)
        return;
    if (wants_identity_ || commands_left_ > 0) {
        if (size - 1 > (wants_identity_ ? most_of_identity : most_of_handshake))
            fail(ws_close::protocol);
        return;
    }
    const auto most = static_cast<std::uint64_t>(terms_.max_message);
    if (terms_.max_message < 0 || size - 1 <= most)
        return;
    put_frame_header(gathered_[headroom] & zws_flag::more, most + 1);
    state_ = state::over;
}

void ws_decoder::on_gathered() {
    state_ = state::header;
    if (in_message_)
        return;
    const std::uint64_t size = gathered_.size() - headroom;
    const std::uint8_t flags = size != 0 ? gathered_[headroom] : 0xFF;
    if (flags > zws_flag::command)
        return fail(ws_close::protocol);
    if (wants_identity_)
        return on_identity();
    if (flags == zws_flag::command && commands_left_ > 0)
        --commands_left_;
    const std::size_t header_size = size - 1 <= small_body ? 2 : zmtp_large_header;
    pending_.swap(gathered_);
    pending_at_ = zmtp_large_header - header_size;
    write_frame_header(pending_.data() + pending_at_, flags, size - 1);
    gathered_.assign(headroom, 0);
}

// The peer's routing id comes as the READY command of a peer that tells its metadata.
void ws_decoder::on_identity() {
    if (gathered_[headroom] != zws_flag::last)
        return fail(ws_close::protocol);
    const std::string_view id(reinterpret_cast<const char *>(gathered_.data()) + headroom + 1,
                              gathered_.size() - headroom - 1);
    std::vector<std::uint8_t> body;
    body.push_back(5);
    append_text(body, "READY");
    append_property(body, "Socket-Type", terms_.peer_type);
    append_property(body, "Identity", id);
    put_frame_header(zws_flag::command, body.size());
    pending_.insert(pending_.end(), body.begin(), body.end());
    gathered_.assign(headroom, 0);
    wants_identity_ = false;
}

// ---- control frames

void ws_decoder::collect_control(std::span<const std::uint8_t> in, zws_progress &done) {
    const std::size_t size = std::min(std::uint64_t{in.size()}, left_);
    apply_mask(control_.bytes.data() + control_.size, in.data(), size, key_);
    key_ = key_at(key_, size);
    control_.size += size;
    left_ -= size;
    done.used += size;
    if (left_ == 0)
        on_control();
}

// The answer to the latest of several Pings is enough (RFC 6455, section 5.5.3).
void ws_decoder::on_control() {
    state_ = state::header;
    if (header_.opcode == ws_opcode::close)
        return on_close();
    if (header_.opcode == ws_opcode::ping) {
        ping_ = control_;
        pinged_ = true;
    }
    if (!terms_.seals() && !wants_identity_ && commands_left_ == 0)
        pending_.assign(pong.begin(), pong.end());
}

void ws_decoder::on_close() {
    const std::span<const std::uint8_t> payload = std::span(control_.bytes).first(control_.size);
    if (const ws_close wrong = check_close(payload); wrong != ws_close::none)
        return fail(wrong);
    if (payload.size() >= 2)
        closing_code_ = ws_close{static_cast<std::uint16_t>(payload[0] << 8U | payload[1])};
    state_ = state::over;
}

std::span<const std::uint8_t> ws_decoder::take_ping() noexcept {
    pinged_ = false;
    return std::span(ping_.bytes).first(ping_.size);
}

void ws_decoder::fail(ws_close code) noexcept {
    broken_ = true;
    closing_code_ = code;
    state_ = state::over;
}

} // namespace zlink::transport
