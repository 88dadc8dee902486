// SPDX-License-Identifier: MPL-2.0
#include "security/curve_cipher.hpp"

#include "base/bytes.hpp"
#include "message/frame_header.hpp"
#include "security/curve_commands.hpp"

#include <algorithm>
#include <cstring>

namespace zlink::security {

namespace {

using curve::key;

// Offsets in the body of a frame: the name with its length, the number, the tag; then the enciphered bytes.
constexpr std::size_t name_size = 1 + curve::message.size();
constexpr std::size_t tag_at = name_size + curve::short_nonce_size;
constexpr std::size_t cipher_at = tag_at + crypto_onetimeauth_poly1305_BYTES;
constexpr std::size_t poly_key_size = crypto_onetimeauth_poly1305_KEYBYTES;
static_assert(cipher_at == poly_key_size); // see the header
constexpr std::size_t block = 64;          // of Salsa20

// The first byte of what is enciphered.
constexpr std::uint8_t more_bit = 0x01;
constexpr std::uint8_t command_bit = 0x02;

// Larger bodies are enciphered from where they lie, smaller ones are copied first: a call costs more.
constexpr std::size_t copied_body = 4096;
// A frame is opened before it is complete when this much more of it is there.
constexpr std::size_t worth_opening = 8 * 1024;

constexpr std::array<std::uint8_t, name_size> name{7, 'M', 'E', 'S', 'S', 'A', 'G', 'E'};

key derive(const key &shared, std::string_view prefix) noexcept {
    key derived;
    crypto_core_hsalsa20(derived.data(), reinterpret_cast<const unsigned char *>(prefix.data()),
                         shared.data(), nullptr);
    return derived;
}

// Enciphers (or deciphers) from the stream's block on.
void apply(std::uint8_t *to, const std::uint8_t *from, std::size_t size, const std::uint8_t *number,
           std::uint64_t from_block, const key &with) noexcept {
    crypto_stream_salsa20_xor_ic(to, from, size, number, from_block, with.data());
}

constexpr std::uint8_t flag_byte(std::uint8_t flags) noexcept {
    return static_cast<std::uint8_t>(((flags & frame_flag::more) != 0 ? more_bit : 0) |
                                     ((flags & frame_flag::command) != 0 ? command_bit : 0));
}

constexpr std::uint8_t frame_flags_of(std::uint8_t byte) noexcept {
    return static_cast<std::uint8_t>(((byte & more_bit) != 0 ? frame_flag::more : 0) |
                                     ((byte & command_bit) != 0 ? frame_flag::command : 0));
}

// Both leave Poly1305's key in the cipher_at bytes before `cipher`, where the frame's beginning goes.
void encipher_small(std::uint8_t *cipher, zmtp::byte_view body, const std::uint8_t *number,
                    const key &with) noexcept {
    std::uint8_t *const start = cipher - poly_key_size;
    std::memset(start, 0, poly_key_size);
    if (!body.empty())
        std::memcpy(cipher + 1, body.data(), body.size());
    apply(start, start, poly_key_size + 1 + body.size(), number, 0, with);
}

void encipher_large(std::uint8_t *cipher, zmtp::byte_view body, const std::uint8_t *number,
                    const key &with) noexcept {
    constexpr std::size_t in_first = block - poly_key_size - 1; // of the body
    std::uint8_t *const start = cipher - poly_key_size;
    std::memset(start, 0, poly_key_size);
    std::memcpy(cipher + 1, body.data(), in_first);
    apply(start, start, block, number, 0, with);
    apply(start + block, body.data() + in_first, body.size() - in_first, number, 1, with);
}

} // namespace

curve_cipher::curve_cipher(side own, const key &shared, std::uint64_t next_sent,
                           std::uint64_t last_received) noexcept
    : sending_(
          derive(shared, own == side::client ? curve::client_message_prefix : curve::server_message_prefix)),
      receiving_(
          derive(shared, own == side::client ? curve::server_message_prefix : curve::client_message_prefix)),
      next_sent_(next_sent), last_received_(last_received) {}

std::unique_ptr<curve_cipher> curve_cipher::create(side own, const key &peer_public, const key &own_secret,
                                                   std::uint64_t next_sent, std::uint64_t last_received) {
    auto shared = curve::shared_key(peer_public, own_secret);
    if (!shared)
        return nullptr;
    auto made = std::make_unique<curve_cipher>(own, *shared, next_sent, last_received);
    curve::wipe(*shared);
    return made;
}

curve_cipher::~curve_cipher() {
    curve::wipe(sending_);
    curve::wipe(receiving_);
}

std::size_t curve_cipher::sealed_size(std::size_t size) const noexcept {
    const std::size_t body = cipher_at + 1 + size;
    return frame_header_size(body) + body;
}

std::size_t curve_cipher::least_sealed() const noexcept {
    return cipher_at + 1;
}

void curve_cipher::seal(std::uint8_t flags, zmtp::byte_view body, std::uint8_t *out) noexcept {
    out += encode_frame_header(out, 0, cipher_at + 1 + body.size());
    std::array<std::uint8_t, curve::short_nonce_size> number;
    store_big_endian_64(number.data(), next_sent_++);
    std::uint8_t *const cipher = out + cipher_at;
    cipher[0] = flag_byte(flags);
    (body.size() <= copied_body ? encipher_small : encipher_large)(cipher, body, number.data(), sending_);
    key once;
    std::memcpy(once.data(), out, once.size());
    std::copy(name.begin(), name.end(), out);
    std::copy(number.begin(), number.end(), out + name_size);
    const one_time_mac::tag tag = sent_.of({cipher, 1 + body.size()}, once);
    std::copy(tag.begin(), tag.end(), out + tag_at);
    curve::wipe(once);
}

bool curve_cipher::admits(zmtp::byte_view sealed) const noexcept {
    return std::equal(name.begin(), name.end(), sealed.begin()) &&
           load_big_endian_64(sealed.data() + name_size) > last_received_;
}

// All is deciphered in one pass and then looked at.
bool curve_cipher::open_elsewhere(zmtp::byte_view sealed, std::uint8_t *out) noexcept {
    apply(out, sealed.data(), sealed.size(), sealed.data() + name_size, 0, receiving_);
    key once;
    for (std::size_t index = 0; index < once.size(); ++index)
        once[index] = out[index] ^ sealed[index];
    const one_time_mac::tag found = received_.of(sealed.subspan(cipher_at), once);
    curve::wipe(once);
    return crypto_verify_16(found.data(), sealed.data() + tag_at) == 0;
}

// Goes on to `until`: the frame's end, or that of a block behind the first. The bytes before the cipher stay.
void curve_cipher::open_in_place(std::span<std::uint8_t> sealed, std::size_t until) noexcept {
    std::uint8_t *const at = sealed.data();
    const std::uint8_t *const number = at + name_size;
    if (opened_ == 0) {
        std::array<std::uint8_t, block> first{};
        apply(first.data(), first.data(), block, number, 0, receiving_);
        key once = curve::first_of<curve::key_size>(first);
        received_.begin(once, sealed.size() - cipher_at);
        curve::wipe(once);
        received_.update({at + cipher_at, until - cipher_at});
        opened_ = std::min(until, block);
        for (std::size_t index = cipher_at; index < opened_; ++index)
            at[index] ^= first[index];
        sodium_memzero(first.data(), first.size());
    } else {
        received_.update({at + opened_, until - opened_});
    }
    if (until > opened_)
        apply(at + opened_, at + opened_, until - opened_, number, opened_ / block, receiving_);
    opened_ = until;
}

bool curve_cipher::finish_in_place(std::span<std::uint8_t> sealed) noexcept {
    open_in_place(sealed, sealed.size());
    opened_ = 0;
    const auto found = received_.finish();
    return found && crypto_verify_16(found->data(), sealed.data() + tag_at) == 0;
}

bool curve_cipher::open_ahead(std::span<std::uint8_t> sealed, std::size_t there) noexcept {
    if (there == sealed.size() || there < opened_ + worth_opening)
        return true;
    if (opened_ == 0 && !admits(sealed))
        return false;
    open_in_place(sealed, there - there % block);
    return true;
}

std::optional<zmtp::frame_cipher::opened_frame> curve_cipher::open(zmtp::byte_view sealed,
                                                                   std::uint8_t *out) noexcept {
    if (sealed.size() < least_sealed() || !admits(sealed))
        return std::nullopt;
    const std::uint64_t number = load_big_endian_64(sealed.data() + name_size);
    if (out == sealed.data() ? !finish_in_place({out, sealed.size()}) : !open_elsewhere(sealed, out))
        return std::nullopt;
    if ((out[cipher_at] & ~(more_bit | command_bit)) != 0)
        return std::nullopt;
    last_received_ = number;
    return opened_frame{frame_flags_of(out[cipher_at]),
                        {out + cipher_at + 1, sealed.size() - least_sealed()}};
}

} // namespace zlink::security
