// SPDX-License-Identifier: MPL-2.0
// A pattern under test with real pipes: the test plays the socket around the pattern, and by hand the other
// side of each pipe.
//
// Threads: one. Messages are written as text: frames with '|' between them, "id||body" is [id][empty][body].
#pragma once

#include <cerrno>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "core/transfer.hpp"

namespace zlink::test {

using frames = std::vector<std::string>;

inline frames split(std::string_view text) {
    frames parts(1);
    for (const char c : text)
        if (c == '|')
            parts.emplace_back();
        else
            parts.back().push_back(c);
    return parts;
}

inline outgoing_frame as_frame(const std::string &body, bool more) {
    return {reinterpret_cast<const std::uint8_t *>(body.data()), body.size(),
            more ? frame_flag::more : std::uint8_t{0}, nullptr};
}

// Counts the times a sleeper would have been woken.
class counting_mailbox final : public mailbox {
  public:
    void wake() noexcept override { ++wakes; }
    int wakes = 0;
};

// The other side of a pipe.
class far_side final : public pipe_owner {
  public:
    far_side(pipe_end &near_end, pipe_end &far_end, std::shared_ptr<pipe> both)
        : near(&near_end), end(&far_end), keep(std::move(both)) {
        far_end.attach(*this, box);
    }
    ~far_side() { close(); }
    far_side(const far_side &) = delete;

    void on_pipe_event(pipe_end &, std::uint32_t news) override { events |= news; }

    // A whole message, published.
    void write(std::string_view text) { write_frames(split(text)); }
    void write_frames(const frames &parts) {
        for (std::size_t i = 0; i < parts.size(); ++i)
            EXPECT_TRUE(end->out().write(as_frame(parts[i], i + 1 < parts.size())));
        end->writer().commit();
    }
    void write_command(std::string_view name, std::string_view topic) {
        std::string body(1, static_cast<char>(name.size()));
        body.append(name).append(topic);
        outgoing_frame frame = as_frame(body, false);
        frame.flags = frame_flag::command;
        EXPECT_TRUE(end->out().write(frame));
        end->writer().commit();
    }
    // The next message, commands as "NAME:topic"; nothing when there is none.
    frames read_frames() {
        frames parts;
        incoming_frame frame;
        do {
            if (!end->read(frame)) {
                EXPECT_TRUE(parts.empty()) << "half a message";
                return {};
            }
            std::string body(reinterpret_cast<const char *>(frame.data), frame.size);
            if (frame.command())
                body = body.substr(1, static_cast<std::size_t>(body[0])) + ":" +
                       body.substr(static_cast<std::size_t>(body[0]) + 1);
            parts.push_back(std::move(body));
            frame.drop();
        } while (frame.more());
        return parts;
    }
    // Returns a message as text; "-" when there is none.
    std::string read() {
        const frames parts = read_frames();
        std::string text = parts.empty() ? "-" : parts[0];
        for (std::size_t i = 1; i < parts.size(); ++i)
            text += '|' + parts[i];
        return text;
    }
    std::string read_all() {
        std::string all;
        for (std::string one = read(); one != "-"; one = read())
            all += (all.empty() ? "" : " ") + one;
        return all;
    }
    // Sleeps until the near side says something; answers the events since the last time.
    std::uint32_t take_events() {
        box->ready.drain();
        return std::exchange(events, 0);
    }
    void close() {
        if (end != nullptr)
            std::exchange(end, nullptr)->close();
        box->ready.drain();
    }

    pipe_end *near;
    pipe_end *end;
    std::shared_ptr<pipe> keep;
    std::shared_ptr<counting_mailbox> box = std::make_shared<counting_mailbox>();
    std::uint32_t events = 0;
};

class rig final : public pipe_owner, public patterns::pattern_host {
  public:
    explicit rig(socket_type type) {
        options.type = type;
        tested = patterns::make_pattern(*this, options);
    }
    ~rig() {
        for (auto &one : peers)
            if (!one->near_closed)
                detach(*one);
        for (auto &one : peers)
            one->far.close();
        box->ready.drain();
    }
    rig(const rig &) = delete;

    struct peer {
        peer(pipe_end &near_end, pipe_end &far_end, std::shared_ptr<pipe> both)
            : far(near_end, far_end, std::move(both)) {}
        far_side far;
        bool near_closed = false;
        int finished = 0;
    };

    // A pipe with these high-water marks, not yet attached.
    peer &make_peer(int send_hwm = 0, int receive_hwm = 0, keep_rule rule = keep_rule::all,
                    pipe_traits traits = {}) {
        auto both = pipe::create({send_hwm, rule, false, traits}, {receive_hwm, rule});
        peers.push_back(std::make_unique<peer>(both->first(), both->second(), both));
        by_end[&both->first()] = peers.back().get();
        return *peers.back();
    }
    // A connection of ours.
    peer &make_local_peer() { return make_peer(0, 0, keep_rule::all, {.local = true}); }
    bool attach(peer &one) {
        close_routes();
        const std::uint32_t before = one.far.near->attach(*this, box);
        const bool accepted = tested->attach(*one.far.near);
        if (!accepted)
            close(one);
        else if (before != 0)
            on_pipe_event(*one.far.near, before);
        return accepted;
    }
    far_side &connect(std::string routing_id = {}, int send_hwm = 0) {
        peer &one = make_peer(send_hwm);
        one.far.near->notes.routing_id = std::move(routing_id);
        EXPECT_TRUE(attach(one));
        return one.far;
    }
    // As when the socket closes a connection by force.
    void detach(peer &one) {
        close_routes();
        lose(*one.far.near);
        tested->detach(*one.far.near);
        close(one);
    }
    peer &of(const far_side &side) { return *by_end.at(side.near); }

    // Does the work of a socket at the start of a call: events first, then finished ends.
    void process() {
        if (!box->ready.empty())
            close_routes();
        box->ready.drain();
        for (auto &one : peers)
            if (one->finished != 0 && !one->near_closed)
                detach(*one);
    }

    // Every other frame that may go without the pattern does, see patterns::cached_target.
    int send_frame(const std::string &body, bool others_follow) {
        if (others_follow ? send_id_fast(body) : send_fast(body))
            return 0;
        return core::send_frame(*this, *tested, as_frame(body, others_follow), {});
    }
    bool send_fast(const std::string &body) {
        pipe_end *end = cached.out.end;
        if (end == nullptr || body.size() > large_body || !(route_turn = !route_turn))
            return false;
        const outgoing_frame frame = as_frame(body, false);
        const queue_writer::cached sent = end->out().send_fast(frame.data, frame.size);
        if (sent == queue_writer::cached::unfenced)
            end->writer().fence_and_wake();
        if (sent != queue_writer::cached::refused)
            cached.out.used();
        return sent != queue_writer::cached::refused;
    }
    bool send_id_fast(const std::string &id) {
        return cached.out.named != nullptr && (route_turn = !route_turn) && pattern_host::send_id(id);
    }
    bool receive_id_fast(std::string &id) {
        if (cached.in.named == nullptr || cached.in.end != nullptr || !(route_turn = !route_turn))
            return false;
        const std::string *got = receive_id();
        if (got != nullptr)
            id = *got;
        return got != nullptr;
    }
    bool receive_fast(std::string &body) {
        pipe_end *end = cached.in.end;
        if (end == nullptr || !(route_turn = !route_turn))
            return false;
        std::string room(large_body, ' ');
        auto *to = reinterpret_cast<std::uint8_t *>(room.data());
        std::size_t size = end->receive_few(to, room.size());
        if (size == queue_reader::refused)
            size = end->receive_plain(to, room.size());
        if (size == queue_reader::refused)
            return false;
        received_on_route();
        body = room.substr(0, size);
        return true;
    }
    // The error of the first frame that fails, or 0.
    int send(std::string_view text) {
        process();
        const frames parts = split(text);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (const int code = send_frame(parts[i], i + 1 < parts.size()))
                return code;
        return 0;
    }
    // Messages of one frame with an address.
    int send_to(std::string_view text, const patterns::message_address &address) {
        process();
        return send_frame_to(as_frame(std::string(text), false), address);
    }
    int send_frame_to(const outgoing_frame &frame, const patterns::message_address &address) {
        return core::send_frame(*this, *tested, frame, address);
    }
    // As "number:body" or "group:body"; "-" when there is none.
    std::string receive_addressed() {
        process();
        const bool promised = can_receive();
        incoming_frame frame;
        patterns::message_address from;
        last_error = core::receive_addressed(*this, *tested, frame, from);
        EXPECT_EQ(promised, last_error == 0) << "can_receive() lied";
        if (last_error != 0)
            return "-";
        EXPECT_FALSE(frame.more());
        last_number = from.routing_id;
        std::string text = last_number != 0 ? std::to_string(last_number) : std::string(from.group);
        text.append(":").append(reinterpret_cast<const char *>(frame.data), frame.size);
        frame.drop();
        return text;
    }
    // The next frame; "-" when there is none; "more" tells whether others follow.
    std::string receive_frame() {
        process();
        std::string route_body;
        const bool route_id = receive_id_fast(route_body);
        if (route_id || receive_fast(route_body)) {
            last_error = 0;
            more = route_id;
            return route_body;
        }
        const bool promised = can_receive();
        incoming_frame frame;
        last_error = take_frame(frame);
        EXPECT_EQ(promised, last_error == 0) << "can_receive() lied";
        if (last_error != 0)
            return "-";
        std::string body(reinterpret_cast<const char *>(frame.data), frame.size);
        more = frame.more();
        last_metadata = frame.metadata;
        EXPECT_FALSE(frame.command());
        frame.drop();
        return body;
    }
    int take_frame(incoming_frame &frame) { return core::receive_frame(*this, *tested, frame); }
    bool can_receive() { return core::can_receive(*this, *tested); }
    // The next message as text, or "-".
    std::string receive() {
        std::string text = receive_frame();
        if (last_error != 0)
            return text;
        while (more) {
            text += '|' + receive_frame();
            if (last_error != 0)
                return text + " (broken)";
        }
        return text;
    }
    std::string receive_all() {
        std::string all;
        for (std::string one = receive(); last_error == 0; one = receive())
            all += (all.empty() ? "" : " ") + one;
        return all;
    }
    bool can_send() {
        process();
        return in_message() || tested->can_send();
    }
    int act(int option, std::string_view value) {
        close_routes();
        return tested->act(option, std::as_bytes(std::span(value.data(), value.size()))).code();
    }

    void on_pipe_event(pipe_end &end, std::uint32_t events) override {
        if ((events & pipe_event::peer_closed) != 0)
            lose(end);
        if (by_end.at(&end)->finished == 0)
            tested->on_events(end, events);
    }
    void close_finished() override {} // the test looks at what has finished
    void finished(pipe_end &end) noexcept override {
        end.interest.finish();
        close_routes();
        ++by_end.at(&end)->finished;
    }

    socket_options options;
    std::shared_ptr<counting_mailbox> box = std::make_shared<counting_mailbox>();
    std::vector<std::unique_ptr<peer>> peers;
    std::unordered_map<const pipe_end *, peer *> by_end;
    std::unique_ptr<patterns::pattern> tested;
    int last_error = 0;
    std::uint32_t last_number = 0;
    bool more = false;
    bool route_turn = false;
    const peer_metadata *last_metadata = nullptr;

  private:
    void close(peer &one) {
        one.near_closed = true;
        one.far.near->close();
        box->ready.drain();
    }
};

} // namespace zlink::test
