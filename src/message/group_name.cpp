// SPDX-License-Identifier: MPL-2.0
#include "message/group_name.hpp"

#include <cassert>
#include <cstring>
#include <new>

namespace zlink {

group_name::group_name(std::string_view text) noexcept : size_(static_cast<std::uint8_t>(text.size())) {
    std::memcpy(text_, text.data(), text.size());
    text_[text.size()] = '\0';
}

const group_name *group_name::make(std::string_view text) noexcept {
    assert(text.size() <= longest);
    return new (std::nothrow) group_name(text);
}

} // namespace zlink
