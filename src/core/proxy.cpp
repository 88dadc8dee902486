// SPDX-License-Identifier: MPL-2.0
#include "core/proxy.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/cancellation.hpp"
#include "core/poll.hpp"

namespace zlink::core {
namespace {

constexpr int messages_per_turn = 1000;

// One direction of a proxy waits for a message, and then for room for it. A side that is full is not asked
// for input.
struct direction {
    socket &from;
    socket &to;
    bool pending = false; // there is input, and no room for it
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;

    // One socket for both sides may have room only for the answer to what it has received: it is not asked
    // beforehand.
    [[nodiscard]] bool turns_around() const noexcept { return &from == &to; }
    [[nodiscard]] poll_item item(bool passing) const noexcept {
        if (!passing)
            return {&from, -1, 0, 0, 0, false}; // its end is still of interest
        return pending ? poll_item{&to, -1, poll_out, 0, 0, false}
                       : poll_item{&from, -1, poll_in, 0, 0, false};
    }
};

// Makes a frame outlive the call that it came with.
int keep(incoming_frame &frame) noexcept {
    if (frame.owner != nullptr || frame.constant)
        return 0;
    buffer *copy = buffer::copy_of(frame.data, frame.size);
    if (copy == nullptr)
        return ENOMEM;
    frame.data = copy->data();
    frame.owner = copy;
    return 0;
}

constexpr auto closed = [] { return ENOTSOCK; };

int send(socket &to, const outgoing_frame &frame, const patterns::message_address &address, int flags) {
    if (to.exclusive())
        return to.send(frame, flags);
    return to.in_turn([&] { return to.send_to(frame, address, flags); }, closed);
}

result<bool> has_room(socket &to) {
    if (to.exclusive())
        return to.has_room();
    const auto ready = to.events_in_turn(poll_out);
    return ready ? result<bool>(*ready != 0) : error{ready.code()};
}

enum class proxy_state : std::uint8_t { passing, paused, terminated };

class proxy {
  public:
    explicit proxy(const proxy_sockets &sockets)
        : sockets_(sockets), ways_{direction{sockets.front, sockets.back},
                                   direction{sockets.back, sockets.front}},
          used_(std::span(ways_).first(&sockets.front == &sockets.back ? 1 : 2)) {}

    int run() {
        while (state_ != proxy_state::terminated)
            if (const int code = turn(); code != 0)
                return code;
        return 0;
    }

  private:
    int turn();
    int pass(direction &way);
    int pass_message(direction &way);
    int take(socket &from, incoming_frame &frame);
    int give(socket &to, const outgoing_frame &frame);

    int obey();
    int take_command(std::string &command);
    int answer(std::string_view command);
    int send_statistics();

    proxy_sockets sockets_;
    patterns::message_address address_; // of the message that is passed, when it is a shared socket's
    std::string group_;
    std::array<direction, 2> ways_;
    std::span<direction> used_; // one when both sockets are the same
    proxy_state state_ = proxy_state::passing;
};

int proxy::turn() {
    std::array<poll_item, 3> items{};
    std::size_t count = 0;
    for (const direction &way : used_)
        items[count++] = way.item(state_ == proxy_state::passing);
    if (sockets_.control != nullptr)
        items[count++] = {sockets_.control, -1, poll_in, 0, 0, false};
    if (const auto ready = poll(std::span(items).first(count), -1); !ready)
        return ready.code();
    if (sockets_.control != nullptr && items[count - 1].ready != 0)
        if (const int code = obey(); code != 0)
            return code;
    if (state_ != proxy_state::passing)
        return 0;
    for (std::size_t index = 0; index < used_.size(); ++index)
        if (items[index].ready != 0)
            if (const int code = pass(used_[index]); code != 0)
                return code;
    return 0;
}

// ---- messages

int proxy::pass(direction &way) {
    const uncancelled whole; // also where the capture has no room
    way.pending = false;
    for (int count = 0; count < messages_per_turn; ++count) {
        const auto room = way.turns_around() ? result<bool>(true) : has_room(way.to);
        if (!room)
            return room.code();
        if (!*room)
            break;
        const int code = pass_message(way);
        if (code != 0)
            return code == EAGAIN ? 0 : code;
    }
    const auto input = way.from.events_in_turn(poll_in);
    if (!input)
        return input.code();
    way.pending = *input != 0 && !way.turns_around();
    return 0;
}

// EAGAIN: there is none.
int proxy::pass_message(direction &way) {
    for (bool more = true; more;) {
        incoming_frame frame;
        if (const int code = take(way.from, frame); code != 0)
            return code;
        more = frame.more();
        const outgoing_frame passed{frame.data, frame.size, frame.flags, frame.owner, frame.constant};
        int code = sockets_.capture != nullptr ? give(*sockets_.capture, passed) : 0;
        if (code == 0)
            code = give(way.to, passed);
        const std::size_t size = frame.size;
        frame.drop();
        if (code != 0)
            return code;
        way.bytes += size;
    }
    ++way.messages;
    return 0;
}

int proxy::take(socket &from, incoming_frame &frame) {
    if (from.exclusive())
        return from.receive(frame, dont_wait);
    return from.in_turn(
        [&] {
            if (const int code = from.receive_from(frame, address_, dont_wait); code != 0)
                return code;
            group_ = address_.group;
            address_.group = group_;
            return keep(frame);
        },
        closed);
}

int proxy::give(socket &to, const outgoing_frame &frame) {
    return send(to, frame, address_, 0);
}

// ---- control

struct command_row {
    std::string_view name;
    proxy_state state; // the proxy's from then on
};
constexpr std::array<command_row, 3> commands{{
    {"PAUSE", proxy_state::paused},
    {"RESUME", proxy_state::passing},
    {"TERMINATE", proxy_state::terminated},
}};
constexpr std::string_view statistics = "STATISTICS";

int proxy::obey() {
    std::string command;
    if (const int code = take_command(command); code != 0)
        return code == EAGAIN ? 0 : code;
    for (const command_row &row : commands)
        if (row.name == command)
            state_ = row.state;
    const int code = answer(command);
    // The controller is gone, does not read, or its type does not carry answers: that is its own affair.
    return code == EAGAIN || code == ENOTSUP || code == EHOSTUNREACH ? 0 : code;
}

// The message when it is one frame; otherwise empty.
int proxy::take_command(std::string &command) {
    bool first = true;
    for (bool more = true; more; first = false) {
        incoming_frame frame;
        if (const int code = take(*sockets_.control, frame); code != 0)
            return code;
        more = frame.more();
        if (first && !more && frame.size <= statistics.size())
            command.assign(reinterpret_cast<const char *>(frame.data), frame.size);
        frame.drop();
    }
    return 0;
}

int proxy::answer(std::string_view command) {
    if (command == statistics)
        return send_statistics();
    if (!traits_of(sockets_.control->options().type).answers())
        return 0;
    return send(*sockets_.control, {nullptr, 0, 0, nullptr}, patterns::no_address, dont_wait);
}

int proxy::send_statistics() {
    const direction &forth = used_.front();
    const direction &back = used_.back();
    const std::array<std::uint64_t, 8> values{forth.messages, forth.bytes, back.messages,  back.bytes,
                                              back.messages,  back.bytes,  forth.messages, forth.bytes};
    for (std::size_t index = 0; index < values.size(); ++index) {
        const bool last = index + 1 == values.size();
        std::array<std::uint8_t, sizeof values[0]> bytes;
        std::memcpy(bytes.data(), &values[index], bytes.size());
        const std::uint8_t flags = last ? 0 : frame_flag::more;
        if (const int code = send(*sockets_.control, {bytes.data(), bytes.size(), flags, nullptr},
                                  patterns::no_address, dont_wait);
            code != 0)
            return code;
    }
    return 0;
}

} // namespace

int run_proxy(const proxy_sockets &sockets) {
    return proxy(sockets).run();
}

} // namespace zlink::core
