// SPDX-License-Identifier: MPL-2.0
#include "base/z85.hpp"

#include <array>
#include <cerrno>
#include <limits>

namespace zlink {

namespace {

constexpr std::string_view alphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
static_assert(alphabet.size() == 85);

constexpr std::uint8_t foreign = 255;

constexpr std::array<std::uint8_t, 256> make_digits() {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(foreign);
    for (std::size_t value = 0; value < alphabet.size(); ++value) {
        digits[static_cast<std::uint8_t>(alphabet[value])] = static_cast<std::uint8_t>(value);
    }
    return digits;
}

constexpr std::array<std::uint8_t, 256> digits = make_digits();

constexpr std::size_t group_bytes = 4;
constexpr std::size_t group_characters = 5;

// Five digits to their number; nothing fits above 32 bits.
result<std::uint32_t> group_value(std::string_view group) noexcept {
    std::uint64_t number = 0;
    for (const char character : group) {
        const std::uint8_t digit = digits[static_cast<std::uint8_t>(character)];
        if (digit == foreign) {
            return error{EINVAL};
        }
        number = number * alphabet.size() + digit;
    }
    if (number > std::numeric_limits<std::uint32_t>::max()) {
        return error{EINVAL};
    }
    return static_cast<std::uint32_t>(number);
}

} // namespace

result<std::size_t> z85_encode(std::span<const std::uint8_t> bytes, std::span<char> out) noexcept {
    const std::size_t size = z85_encoded_size(bytes.size());
    if (bytes.size() % group_bytes != 0 || out.size() < size) {
        return error{EINVAL};
    }
    for (std::size_t group = 0; group < bytes.size() / group_bytes; ++group) {
        std::uint32_t number = 0;
        for (const std::uint8_t byte : bytes.subspan(group * group_bytes, group_bytes)) {
            number = (number << 8) | byte;
        }
        for (std::size_t place = group_characters; place-- > 0;) {
            out[group * group_characters + place] = alphabet[number % alphabet.size()];
            number /= static_cast<std::uint32_t>(alphabet.size());
        }
    }
    return size;
}

result<std::size_t> z85_decode(std::string_view text, std::span<std::uint8_t> out) noexcept {
    const std::size_t size = z85_decoded_size(text.size());
    if (text.empty() || text.size() % group_characters != 0 || out.size() < size) {
        return error{EINVAL};
    }
    for (std::size_t group = 0; group < text.size() / group_characters; ++group) {
        const auto number = group_value(text.substr(group * group_characters, group_characters));
        if (!number) {
            return error{number.code()};
        }
        for (std::size_t place = 0; place < group_bytes; ++place) {
            out[group * group_bytes + place] = static_cast<std::uint8_t>(*number >> (24 - 8 * place));
        }
    }
    return size;
}

} // namespace zlink
