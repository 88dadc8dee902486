// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_walk.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace zlink::patterns {

namespace {
constexpr std::size_t most_bytes = topic_position::most_bytes;
} // namespace

std::size_t topic_walk::label_size(const node &child, std::size_t size) noexcept {
    return std::min<std::size_t>(child.label_size, most_bytes - size - 1);
}

// Goes down along the position as far as the tree does. Each level has the slot of what comes behind it.
topic_walk::topic_walk(const node_arena &arena, node_arena::reference root, topic_position &at) noexcept
    : arena_(arena), at_(at) {
    if (root == 0) {
        return;
    }
    std::string_view rest = at.topic();
    path_[depth_++] = {.at = root, .slot = 0, .size = 0};
    while (!rest.empty()) {
        level &top = path_[depth_ - 1];
        const node &here = node_at(top.at);
        const auto key = static_cast<std::uint8_t>(rest[0]);
        top.slot = here.slot_from(key);
        if (top.slot == node::no_slot || here.key_at(top.slot) != key) {
            return;
        }
        rest.remove_prefix(1);
        const node_arena::reference down = here.children()[top.slot];
        const node &child = node_at(down);
        const std::size_t label = label_size(child, top.size);
        const std::size_t common = child.common_size(rest);
        if (common < label) {
            const bool behind =
                common == rest.size() || child.label()[common] > static_cast<std::uint8_t>(rest[common]);
            top.slot += behind ? 0 : 1;
            return;
        }
        ++top.slot;
        rest.remove_prefix(label);
        path_[depth_++] = {.at = down, .slot = 0, .size = top.size + 1 + label};
    }
}

bool topic_walk::next() noexcept {
    while (depth_ != 0) {
        level &top = path_[depth_ - 1];
        const node &here = node_at(top.at);
        const std::size_t slot = top.size < most_bytes ? here.next_slot(top.slot) : node::no_slot;
        if (slot == node::no_slot) {
            --depth_;
            continue;
        }
        const node_arena::reference down = here.children()[slot];
        const node &child = node_at(down);
        const std::size_t label = label_size(child, top.size);
        char *end = at_.text.data() + top.size;
        *end = static_cast<char>(here.key_at(slot));
        std::memcpy(end + 1, child.label(), label);
        at_.size = top.size + 1 + label;
        top.slot = slot + 1;
        path_[depth_++] = {.at = down, .slot = 0, .size = at_.size};
        if (child.word != 0 || at_.size == most_bytes) {
            return true;
        }
    }
    return false;
}

} // namespace zlink::patterns
