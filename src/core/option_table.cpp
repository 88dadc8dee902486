// SPDX-License-Identifier: MPL-2.0
#include "core/option_table.hpp"

#include "base/z85.hpp"
#include "core/option_rows.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>

namespace zlink::core {

namespace {

const option_row *find_row(int id) noexcept {
    const auto rows = option_rows();
    const auto row = std::ranges::lower_bound(rows, id, {}, &option_row::id);
    return row != rows.end() && row->id == id ? &*row : nullptr;
}

// The struct that a member of `Owner` is taken from.
template <class Owner, class Options> auto &part_of(Options &options) noexcept {
    if constexpr (std::is_same_v<Owner, pattern_options>) {
        return options.pattern;
    } else if constexpr (std::is_same_v<Owner, security_options>) {
        return options.security;
    } else if constexpr (std::is_same_v<Owner, tls_options>) {
        return options.tls;
    } else {
        return options;
    }
}

template <class Options, class Value, class Owner>
auto &value_at(Options &options, Value Owner::*place) noexcept {
    return part_of<Owner>(options).*place;
}

// Assigns when the place holds that type; a row whose kind and place disagree is a mistake in the table.
template <class Value>
result<void> store(const option_row &row, socket_options &options, const Value &value) {
    return std::visit(
        [&](auto place) -> result<void> {
            if constexpr (!std::is_same_v<decltype(place), std::monostate>) {
                auto &target = value_at(options, place);
                if constexpr (std::is_assignable_v<decltype(target), Value> &&
                              std::is_integral_v<std::remove_reference_t<decltype(target)>> ==
                                  std::is_integral_v<Value>) {
                    target = static_cast<std::remove_reference_t<decltype(target)>>(value);
                    return {};
                }
            }
            return error{EINVAL};
        },
        row.place);
}

bool within(std::int64_t number, const option_range &range) noexcept {
    return range.least <= number && number <= range.most;
}

result<void> set_int(const option_row &row, socket_options &options, value_bytes value) {
    const auto number = read_int(value);
    if (!number || !within(*number, row.range)) {
        return error{EINVAL};
    }
    return store(row, options, *number);
}

result<void> set_flag(const option_row &row, socket_options &options, value_bytes value) {
    const auto number = read_int(value);
    if (!number || (*number != 0 && *number != 1)) {
        return error{EINVAL};
    }
    return store(row, options, *number != 0);
}

result<void> set_truthy(const option_row &row, socket_options &options, value_bytes value) {
    const auto number = read_int(value);
    if (!number || !within(*number, row.range)) {
        return error{EINVAL};
    }
    return store(row, options, *number != 0);
}

result<void> set_wide(const option_row &row, socket_options &options, value_bytes value) {
    std::int64_t number = 0;
    if (value.size() != sizeof number) {
        return error{EINVAL};
    }
    std::memcpy(&number, value.data(), sizeof number);
    return store(row, options, number);
}

result<void> set_bytes(const option_row &row, socket_options &options, value_bytes value) {
    const bool clearing = row.clearable && value.data() == nullptr && value.empty();
    if (!clearing && !within(static_cast<std::int64_t>(value.size()), row.range)) {
        return error{EINVAL};
    }
    return store(row, options, as_text(value));
}

result<void> set_by_kind(const option_row &row, socket_options &options, value_bytes value) {
    switch (row.kind) {
    case option_kind::integer:
        return set_int(row, options, value);
    case option_kind::flag:
        return set_flag(row, options, value);
    case option_kind::truthy:
        return set_truthy(row, options, value);
    case option_kind::wide:
        return set_wide(row, options, value);
    case option_kind::text:
    case option_kind::binary:
        return set_bytes(row, options, value);
    case option_kind::key:
        break; // these have setters of their own
    }
    return error{EINVAL};
}

// Fills the rest of the caller's memory with zeros, as libzmq does. Programs read an int from 8 bytes, or a
// text that is shorter than its buffer.
result<std::size_t> put_bytes(const void *bytes, std::size_t size, std::span<std::byte> out) noexcept {
    if (size > out.size() || (size > 0 && out.data() == nullptr)) {
        return error{EINVAL};
    }
    if (size > 0) {
        std::memcpy(out.data(), bytes, size);
    }
    if (out.data() != nullptr) {
        std::memset(out.data() + size, 0, out.size() - size);
    }
    return size;
}

bool room_fits(const option_row &row, std::size_t room) noexcept {
    if (row.kind == option_kind::wide)
        return room == sizeof(std::uint64_t);
    if (row.kind == option_kind::text)
        return true; // its size is not known before
    return row.roomy_get ? room >= sizeof(int) : room == sizeof(int);
}

result<std::size_t> get_int(const option_row &row, int value, std::span<std::byte> out) noexcept {
    return room_fits(row, out.size()) ? put_option_value(value, out) : error{EINVAL};
}

// The size asked for says in which form.
result<std::size_t> put_key(const curve_key &key, std::span<std::byte> out) noexcept {
    std::array<char, z85_encoded_size(sizeof(curve_key)) + 1> text{};
    if (out.size() != text.size()) {
        return out.size() == key.size() ? put_bytes(key.data(), key.size(), out) : error{EINVAL};
    }
    const auto encoded = z85_encode(key, text);
    return encoded ? put_bytes(text.data(), text.size(), out) : error{EINVAL};
}

result<std::size_t> get_at_place(const option_row &row, const socket_options &options,
                                 std::span<std::byte> out) {
    return std::visit(
        [&](auto place) -> result<std::size_t> {
            if constexpr (std::is_same_v<decltype(place), std::monostate>) {
                return error{EINVAL};
            } else {
                const auto &value = value_at(options, place);
                using value_type = std::remove_cvref_t<decltype(value)>;
                if constexpr (std::is_same_v<value_type, std::string>) {
                    const std::size_t final_nul = row.kind == option_kind::text ? 1 : 0;
                    return put_bytes(value.c_str(), value.size() + final_nul, out);
                } else if constexpr (std::is_same_v<value_type, curve_key>) {
                    return put_key(value, out);
                } else if constexpr (sizeof value == sizeof(std::int64_t)) {
                    return out.size() == sizeof value ? put_bytes(&value, sizeof value, out) : error{EINVAL};
                } else {
                    return get_int(row, static_cast<int>(value), out);
                }
            }
        },
        row.place);
}

} // namespace

const char *to_string(option_home home) noexcept {
    switch (home) {
    case option_home::stored:
        return "stored";
    case option_home::applied:
        return "applied";
    case option_home::live:
        return "live";
    }
    return "?";
}

result<int> read_int(value_bytes value) noexcept {
    int number = 0;
    if (value.size() != sizeof number) {
        return error{EINVAL};
    }
    std::memcpy(&number, value.data(), sizeof number);
    return number;
}

result<option_home> find_option(int id) noexcept {
    const option_row *row = find_row(id);
    return row != nullptr ? result<option_home>(row->home) : error{EINVAL};
}

std::string_view option_name(int id) noexcept {
    const option_row *row = find_row(id);
    return row != nullptr ? row->name : std::string_view{};
}

result<void> set_option(socket_options &options, int id, std::span<const std::byte> value) {
    const option_row *row = find_row(id);
    if (row == nullptr || !row->settable.contains(options.type) ||
        (value.data() == nullptr && !value.empty())) {
        return error{EINVAL};
    }
    return row->set != nullptr ? row->set(options, value) : set_by_kind(*row, options, value);
}

result<std::size_t> get_option(const socket_options &options, int id, std::span<std::byte> out) {
    const option_row *row = find_row(id);
    if (row == nullptr || !row->gettable.contains(options.type) || row->home == option_home::live) {
        return error{EINVAL};
    }
    return row->get != nullptr ? get_int(*row, row->get(options), out) : get_at_place(*row, options, out);
}

result<void> check_live_get(const socket_options &options, int id, std::size_t room) noexcept {
    const option_row *row = find_row(id);
    const bool allowed = row != nullptr && row->home == option_home::live &&
                         row->gettable.contains(options.type) && room_fits(*row, room);
    return allowed ? result<void>() : error{EINVAL};
}

result<std::size_t> put_option_value(int value, std::span<std::byte> out) noexcept {
    return put_bytes(&value, sizeof value, out);
}

result<std::size_t> put_option_text(std::string_view text, std::span<std::byte> out) noexcept {
    if (text.size() >= out.size())
        return error{EINVAL};
    (void)put_bytes(text.data(), text.size(), out);
    return text.size() + 1;
}

result<std::size_t> put_option_count(std::uint64_t count, std::span<std::byte> out) noexcept {
    return put_bytes(&count, sizeof count, out);
}

} // namespace zlink::core
