// SPDX-License-Identifier: MPL-2.0
#include "common/body.hpp"

#include "common/settings.hpp"

namespace bench {

body make_body(const settings &wanted) {
    body made(wanted.size_bytes, wanted.body_offset);
    debug(wanted, "a body of %zu bytes begins at offset %zu of a page", made.size(),
          static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(made.data()) % page_bytes));
    return made;
}

} // namespace bench
