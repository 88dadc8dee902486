// SPDX-License-Identifier: MPL-2.0
// A region of counters as another process may have written it. The first two bytes say which words of a right
// region are replaced by those that follow. Nothing outside of it is read, and the answer can be told as
// JSON.
#include "require.hpp"

#include "counters/owners.hpp"
#include "counters/snapshot.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace zlink::counters;
using zlink::fuzz::require;

namespace {

// A region with a context, two sockets and a pipe, in words, as the reader needs its place.
std::vector<std::uint64_t> right_region() {
    const auto context = std::make_shared<context_counts>(placement{.shared = false});
    const auto first = std::make_shared<socket_counts>(context, 8);
    const auto second = std::make_shared<socket_counts>(context, 7);
    const pipe_counts pipe(first, second, pipe_flag::inproc);
    const std::span<const std::byte> bytes = context->memory()->bytes();
    std::vector<std::uint64_t> words(bytes.size() / 8);
    std::memcpy(words.data(), bytes.data(), words.size() * 8);
    return words;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const std::vector<std::uint64_t> right = right_region();
    if (size < 2)
        return 0;
    std::vector<std::uint64_t> words = right;
    const std::size_t begin = (data[0] | std::size_t{data[1]} << 8U) % (8 * words.size());
    const std::size_t count = std::min(size - 2, 8 * words.size() - begin);
    std::memcpy(reinterpret_cast<std::uint8_t *>(words.data()) + begin, data + 2, count);
    // A shorter region, too: it ends where the input does.
    for (const std::size_t kept : {words.size(), std::max<std::size_t>((begin + count) / 8, 1)}) {
        const std::vector<std::uint64_t> region(words.begin(),
                                                words.begin() + static_cast<std::ptrdiff_t>(kept));
        const auto found = take_snapshot(std::as_bytes(std::span(region)));
        require(found || found.code() == EPROTO);
        if (found)
            require(!to_json(std::vector{*found}).empty());
    }
    return 0;
}
