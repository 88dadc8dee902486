// SPDX-License-Identifier: MPL-2.0
#include "patterns/greeting.hpp"

#include <string_view>

#include "patterns/message_writer.hpp"

namespace zlink::patterns {
namespace {

void say(pipe_end &end, std::string_view text) {
    if (end.out().write({reinterpret_cast<const std::uint8_t *>(text.data()), text.size(), 0, nullptr}))
        end.publish();
}

} // namespace

void probe(pipe_end &end, const socket_options &options) {
    if (options.pattern.probe_router && has_room(end))
        say(end, "");
}

void say_hello(pipe_end &end, const socket_options &options) {
    const std::string &hello = options.pattern.hello_message;
    if (hello.empty() || end.peer_closed() || end.out().in_message() || end.waits_before(end.hello_before))
        return;
    say(end, hello);
    end.hello_before = end.out().write_position();
}

} // namespace zlink::patterns
