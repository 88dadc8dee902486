// SPDX-License-Identifier: MPL-2.0
#include "patterns/greeting.hpp"

#include "patterns/has_room.hpp"

namespace zlink::patterns {

void probe(pipe_end &end, const socket_options &options) {
    if (options.pattern.probe_router && has_room(end) && end.out().write({nullptr, 0, 0, nullptr}))
        end.writer().commit();
}

} // namespace zlink::patterns
