// SPDX-License-Identifier: MPL-2.0
// Traffic of CURVE (RFC 26): each frame travels as the body of a frame "MESSAGE", number, Box[flags + body].
//
// Threads, ownership: see zmtp/frame_cipher.hpp. Invariants: numbers of one direction rise strictly, sent and
// received; nothing of a frame is shown before its box was found to be genuine.
//
// The box is crypto_box's: XSalsa20 and Poly1305, put together from its parts for two reasons. All nonces of
// a direction begin with the same sixteen bytes, so the key that XSalsa20 derives from them is derived once.
// The cipher needs thirty-two bytes before the box for Poly1305's key. The parts of a frame before its box
// take just that on the wire, so one pass over the frame is enough. Salsa20 is libsodium's, the tag that of
// one_time_mac.hpp.
#pragma once

#include "security/curve_box.hpp"
#include "security/one_time_mac.hpp"
#include "zmtp/frame_cipher.hpp"

#include <memory>

namespace zlink::security {

class curve_cipher final : public zmtp::frame_cipher {
  public:
    enum class side : std::uint8_t { client, server };

    // `next_sent`: the number of the first frame to be sealed. `last_received`: those to be opened are above.
    curve_cipher(side own, const curve::key &shared, std::uint64_t next_sent,
                 std::uint64_t last_received) noexcept;
    ~curve_cipher() override;
    // For two transient keys, the peer's and our own. Null: the peer's is no key.
    [[nodiscard]] static std::unique_ptr<curve_cipher> create(side own, const curve::key &peer_public,
                                                              const curve::key &own_secret,
                                                              std::uint64_t next_sent,
                                                              std::uint64_t last_received);

    [[nodiscard]] std::size_t sealed_size(std::size_t size) const noexcept override;
    void seal(std::uint8_t flags, zmtp::byte_view body, std::uint8_t *out) noexcept override;
    [[nodiscard]] std::optional<opened_frame> open(zmtp::byte_view sealed,
                                                   std::uint8_t *out) noexcept override;
    [[nodiscard]] bool open_ahead(std::span<std::uint8_t> sealed, std::size_t there) noexcept override;
    [[nodiscard]] std::size_t least_sealed() const noexcept override;

  private:
    [[nodiscard]] bool admits(zmtp::byte_view sealed) const noexcept;
    [[nodiscard]] bool open_elsewhere(zmtp::byte_view sealed, std::uint8_t *out) noexcept;
    void open_in_place(std::span<std::uint8_t> sealed, std::size_t until) noexcept;
    [[nodiscard]] bool finish_in_place(std::span<std::uint8_t> sealed) noexcept;

    curve::key sending_; // derived
    curve::key receiving_;
    std::uint64_t next_sent_;
    std::uint64_t last_received_;
    std::size_t opened_ = 0; // bytes of a frame that is opened in place; 0: there is none
    one_time_mac sent_;      // one per direction: a thread may seal while another opens
    one_time_mac received_;
};

} // namespace zlink::security
