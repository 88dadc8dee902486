// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/bytes.hpp"

namespace zlink::transport {
namespace {

constexpr std::uint8_t zmtp_more = 1;
constexpr std::size_t small_header = 2;
constexpr std::size_t largest_ping = 1 + 4 + 2 + 16; // name, time to live, context
constexpr std::string_view ping_start{"\4PING", 5};
constexpr std::string_view ready_start{"\5READY", 6};

constexpr std::uint8_t zws_flags(std::uint8_t flags) noexcept {
    return (flags & zmtp_command) != 0 ? zws_flag::command : flags & zmtp_more;
}

bool begins_with(std::span<const std::uint8_t> bytes, std::string_view text) noexcept {
    return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

} // namespace

ws_encoder::ws_encoder(const zws_terms &terms) noexcept
    : terms_(terms), masks_(terms.side == ws_side::client), drops_(true), tells_identity_(terms.bare),
      left_(zmtp_greeting_size) {}

zws_progress ws_encoder::encode(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) noexcept {
    zws_progress done;
    while (done.used < in.size() && out.size() - done.made >= least_room && !failed_) {
        const auto rest = in.subspan(done.used);
        std::uint8_t *const to = out.data() + done.made;
        if (left_ != 0) {
            std::size_t size = std::min(std::uint64_t{rest.size()}, left_);
            if (!drops_) {
                size = std::min(size, out.size() - done.made);
                done.made += put(rest.first(size), to);
            }
            done.used += size;
            left_ -= size;
            drops_ = drops_ && left_ != 0;
            continue;
        }
        if (begun_size_ == 0 && !tells_identity_) {
            const zws_progress small = encode_small(rest, out.subspan(done.made));
            done.used += small.used;
            done.made += small.made;
            if (small.used != 0)
                continue;
        }
        done.used += collect(rest);
        if (begun_size_ == wanted())
            done.made += begin_frame(to);
    }
    return done;
}

// Encodes small messages whose header has the shortest form, as long as any of them would be whole with more
// behind it. The loop is that of ws_decoder::decode_row().
template <bool Masks>
zws_progress ws_encoder::encode_row(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) noexcept {
    constexpr unsigned mask_bit = Masks ? 0x80 : 0;
    constexpr std::size_t largest = max_control_payload - 1; // its header has no further bytes for the size
    unsigned size = 0;
    zws_progress done;
    while (in.size() - done.used >= small_header + largest + mask_slack &&
           out.size() - done.made >= least_room) {
        const std::uint8_t *const from = in.data() + done.used;
        const unsigned here = from[1];
        if (from[0] > zmtp_more)
            break;
        if (here != size) [[unlikely]] {
            if (here > largest)
                break;
            size = here;
            asm volatile("" : "+r"(size)); // or the compiler always takes the size that it has read
        }
        masking_key key{};
        if (Masks && !keys_.next(key)) [[unlikely]] {
            failed_ = true;
            break;
        }
        std::uint8_t *to = out.data() + done.made;
        *to++ = whole_binary;
        *to++ = static_cast<std::uint8_t>((size + 1) | mask_bit);
        if constexpr (Masks) {
            std::memcpy(to, key.data(), key.size());
            to += key.size();
        }
        *to++ = from[0] ^ key[0];
        apply_mask_to_few(to, from + small_header, size, vector_of(key_at(key, 1)));
        done.used += small_header + size;
        done.made = static_cast<std::size_t>(to + size - out.data());
    }
    return done;
}

// Whole small messages; none if something else comes next.
zws_progress ws_encoder::encode_small(std::span<const std::uint8_t> in,
                                      std::span<std::uint8_t> out) noexcept {
    zws_progress done = masks_ ? encode_row<true>(in, out) : encode_row<false>(in, out);
    if (failed_)
        return done;
    while (in.size() - done.used >= small_header && out.size() - done.made >= least_room) {
        const std::uint8_t *const from = in.data() + done.used;
        const std::size_t size = from[1];
        if (from[0] > zmtp_more || in.size() - done.used < small_header + size)
            break;
        std::uint8_t *to = out.data() + done.made;
        ws_header header{.payload = size + 1, .key = {}};
        header.masked = masks_;
        if (masks_ && !keys_.next(header.key)) {
            failed_ = true;
            break;
        }
        to += write_ws_header(to, header);
        *to++ = from[0] ^ header.key[0];
        if (masks_)
            apply_mask(to, from + small_header, size, key_at(header.key, 1));
        else
            std::memcpy(to, from + small_header, size);
        done.used += small_header + size;
        done.made = static_cast<std::size_t>(to + size - out.data());
    }
    return done;
}

// ---- one frame

std::size_t ws_encoder::header_size() const noexcept {
    return (begun_[0] & zmtp_large) != 0 ? zmtp_large_header : small_header;
}

std::uint64_t ws_encoder::body_size() const noexcept {
    return (begun_[0] & zmtp_large) != 0 ? load_big_endian_64(begun_.data() + 1) : begun_[1];
}

// The header; of a command also enough of the body to know it.
std::size_t ws_encoder::wanted() const noexcept {
    if (begun_size_ == 0)
        return 1;
    if (begun_size_ < header_size() || (begun_[0] & zmtp_command) == 0)
        return header_size();
    const std::uint64_t body = body_size();
    if (tells_identity_)
        return header_size() + std::min<std::uint64_t>(body, ready_start.size());
    return header_size() + (body <= largest_ping ? body : 0);
}

std::size_t ws_encoder::collect(std::span<const std::uint8_t> in) noexcept {
    std::size_t used = 0;
    while (used < in.size() && begun_size_ < wanted())
        begun_[begun_size_++] = in[used++];
    return used;
}

std::size_t ws_encoder::begin_frame(std::uint8_t *out) noexcept {
    const std::size_t header = header_size();
    const auto body = std::span(begun_).first(begun_size_).subspan(header);
    const std::uint64_t size = body_size();
    const bool command = (begun_[0] & zmtp_command) != 0;
    begun_size_ = 0;
    if (tells_identity_) {
        tells_identity_ = false;
        left_ = size - body.size();
        drops_ = left_ != 0;
        if (!begins_with(body, ready_start)) // a refusal, before the end
            return 0;
        const std::uint8_t flags = zws_flag::last;
        const std::string_view id = terms_.routing_id;
        const std::span text(reinterpret_cast<const std::uint8_t *>(id.data()), id.size());
        return frame(ws_opcode::binary, {&flags, 1}, text, id.size() + 1, out);
    }
    if (command && begins_with(body, ping_start))
        return control(ws_opcode::ping, body.subspan(ping_start.size()), out);
    left_ = size - body.size();
    const std::uint8_t flags = zws_flags(begun_[0]);
    return frame(ws_opcode::binary, {&flags, 1}, body, size + 1, out);
}

std::size_t ws_encoder::frame(ws_opcode opcode, std::span<const std::uint8_t> first,
                              std::span<const std::uint8_t> rest, std::uint64_t size,
                              std::uint8_t *out) noexcept {
    ws_header header{.opcode = opcode, .masked = masks_, .payload = size, .key = {}};
    if (masks_ && !keys_.next(header.key)) {
        failed_ = true;
        return 0;
    }
    key_ = header.key;
    std::size_t made = write_ws_header(out, header);
    made += put(first, out + made);
    return made + put(rest, out + made);
}

std::size_t ws_encoder::put(std::span<const std::uint8_t> bytes, std::uint8_t *out) noexcept {
    if (bytes.empty())
        return 0;
    if (masks_)
        apply_mask(out, bytes.data(), bytes.size(), key_);
    else
        std::memcpy(out, bytes.data(), bytes.size());
    key_ = key_at(key_, bytes.size());
    return bytes.size();
}

std::size_t ws_encoder::control(ws_opcode opcode, std::span<const std::uint8_t> payload,
                                std::uint8_t *out) noexcept {
    return frame(opcode, {}, payload, payload.size(), out);
}

} // namespace zlink::transport
