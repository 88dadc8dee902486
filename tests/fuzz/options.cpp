// SPDX-License-Identifier: MPL-2.0
// Options of sockets and contexts. The first byte chooses the type of the socket. Then come values to be set:
// each is a number, a byte of size, and bytes. The top bit of the size means the context. With no bytes it
// means a null pointer. A refused value changes nothing that can be read. A value that is read in the form in
// which it was set can be set again, and that changes nothing either.
#include "require.hpp"

#include "core/context_options.hpp"
#include "core/option_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

using namespace zlink;
using namespace zlink::core;
using zlink::fuzz::require;

namespace {

using bytes = std::vector<std::byte>;

constexpr std::array<std::size_t, 4> rooms{sizeof(int), sizeof(std::uint64_t), 41, 300};
constexpr int first_unknown = 130;
constexpr int most_values = 16; // the time goes into reading all options after each

struct subjects {
    socket_options socket;
    context_options context;

    result<void> set(bool of_context, int id, std::span<const std::byte> value) {
        return of_context ? set_context_option(context, id, value) : set_option(socket, id, value);
    }
    [[nodiscard]] result<std::size_t> get(bool of_context, int id, std::span<std::byte> out) const {
        return of_context ? get_context_option(context, id, out) : get_option(socket, id, out);
    }
    // All that can be read, each in the first form that is allowed.
    [[nodiscard]] bytes read(bool of_context) const {
        bytes all;
        std::array<std::byte, rooms.back()> out;
        for (int id = 0; id < first_unknown; ++id)
            for (const std::size_t room : rooms)
                if (const auto size = get(of_context, id, {out.data(), room})) {
                    require(*size <= room);
                    all.push_back(static_cast<std::byte>(id));
                    all.insert(all.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*size));
                    break;
                }
        return all;
    }
};

void apply(subjects &to, bool of_context, int id, std::span<const std::byte> value) {
    const bytes before = to.read(of_context);
    if (!to.set(of_context, id, value))
        return require(to.read(of_context) == before);
    bytes shown(value.size());
    const auto size = to.get(of_context, id, shown);
    if (!size || *size != shown.size() || shown.empty())
        return;
    const bytes after = to.read(of_context);
    require(static_cast<bool>(to.set(of_context, id, shown)));
    require(to.read(of_context) == after);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    subjects all;
    all.socket = new_socket_options(all.context, static_cast<socket_type>(data[0] % 21));
    std::size_t at = 1;
    for (int count = 0; count < most_values && at + 2 <= size; ++count) {
        const int id = data[at];
        const bool of_context = (data[at + 1] & 0x80) != 0;
        const std::size_t length = std::min<std::size_t>(data[at + 1] & 0x7F, size - at - 2);
        const std::byte *const value =
            length == 0 ? nullptr : reinterpret_cast<const std::byte *>(data + at + 2);
        apply(all, of_context, id, {value, length});
        at += 2 + length;
    }
    return 0;
}
