// SPDX-License-Identifier: MPL-2.0
#include "core/monitor.hpp"

#include <cerrno>

#include "core/context.hpp"
#include "core/socket.hpp"

namespace zlink::core {
namespace {

constexpr int first_version = 1;
constexpr int second_version = 2;
constexpr std::uint64_t events_of_first_version = 0xFFFF;
constexpr socket_types writers = types_with(socket_rule::carries_events);

// The bytes of a number as they lie in memory.
template <class Number> std::string bytes_of(Number number) {
    return {reinterpret_cast<const char *>(&number), sizeof number};
}

} // namespace

result<monitor_settings> monitor::check(std::uint64_t events, int version, int type) noexcept {
    const bool known = version == first_version || version == second_version;
    if (!known || (version == first_version && events > events_of_first_version))
        return error{EINVAL};
    if (type < 0 || type > 255 || !writers.contains(static_cast<socket_type>(type)))
        return error{EINVAL};
    return monitor_settings{events, version, static_cast<socket_type>(type)};
}

result<std::shared_ptr<monitor>> monitor::start(context &owner, const std::string &endpoint,
                                                const monitor_settings &settings) {
    auto made = std::make_shared<monitor>(settings);
    if (const auto opened = made->open(owner, endpoint); !opened)
        return error{opened.code()};
    return made;
}

result<void> monitor::open(context &owner, const std::string &endpoint) {
    const auto writer = owner.create_internal_socket(settings_.type);
    if (!writer)
        return error{writer.code()};
    struct closes {
        void operator()(socket *open) const { (void)socket::close(open); }
    };
    std::unique_ptr<socket, closes> held(*writer);
    held->inbox()->report_to(weak_from_this());
    // Who waited for the endpoint is joined now, and found by flush().
    if (auto bound = held->endpoints().bind(endpoint); !bound)
        return bound;
    std::lock_guard lock(guard_);
    writer_ = held.release();
    return {};
}

// ---- events

monitor::frames monitor::frames_of(const connections::socket_event &event) const {
    if (settings_.version == first_version)
        return {bytes_of(static_cast<std::uint16_t>(event.kind)) + bytes_of(event.value),
                event.outgoing ? event.remote : event.local};
    const std::uint64_t values = event.second_value ? 2 : 1;
    frames message{bytes_of(static_cast<std::uint64_t>(event.kind)), bytes_of(values),
                   bytes_of(std::uint64_t{event.value})};
    if (event.second_value)
        message.push_back(bytes_of(*event.second_value));
    message.push_back(event.local);
    message.push_back(event.remote);
    return message;
}

void monitor::write(const connections::socket_event &event) noexcept {
    if (!wants(event.kind))
        return;
    try {
        std::lock_guard lock(guard_);
        if (writer_ != nullptr)
            put(frames_of(event));
    } catch (...) {
        return; // no memory: an event less
    }
}

void monitor::put(frames message) {
    flush();
    const bool keeps = !joined_ && !traits_of(settings_.type).publishes();
    if (!keeps)
        (void)send(message); // dropped when there is no room
    else if (kept_.size() < static_cast<std::size_t>(writer_->options().send_hwm))
        kept_.push_back(std::move(message));
}

void monitor::flush() {
    for (; joined_ && !kept_.empty(); kept_.pop_front())
        if (!send(kept_.front()))
            return;
}

// Returns false if there is no room for it.
bool monitor::send(const frames &message) {
    for (std::size_t index = 0; index < message.size(); ++index) {
        const bool last = index + 1 == message.size();
        const std::string &frame = message[index];
        const outgoing_frame sent{reinterpret_cast<const std::uint8_t *>(frame.data()), frame.size(),
                                  last ? std::uint8_t{0} : frame_flag::more, nullptr};
        // Past the first frame the reader may be gone: the rest is dropped, and has to be said to its end.
        if (writer_->send(sent, dont_wait) != 0 && index == 0)
            return false;
    }
    return true;
}

void monitor::on_new_pipe() noexcept {
    try {
        std::lock_guard lock(guard_);
        joined_ = true;
        if (writer_ != nullptr)
            flush();
    } catch (...) {
        return; // the next event flushes
    }
}

void monitor::stop() noexcept {
    write({connections::event_kind::monitor_stopped});
    socket *last = nullptr;
    {
        std::lock_guard lock(guard_);
        last = std::exchange(writer_, nullptr);
    }
    if (last != nullptr)
        (void)socket::close(last); // not under the lock: it asks the names of inproc
}

} // namespace zlink::core
