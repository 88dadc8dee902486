// SPDX-License-Identifier: MPL-2.0
// route: a pattern's answers. A route says who gets a message; core/transfer writes it. A source says whose
// message is received next; core/transfer reads it.
//
// Threads: the application thread in a call on the socket. Ownership: both borrow the ends until the message
// ends, and a route also the list of them and the frames of the envelope. A held frame owns its body.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pipe/pipe.hpp"

namespace zlink::patterns {

// How the frames of a message are treated. Bits.
namespace route_flag {
constexpr std::uint16_t stays = 1;     // the next messages go there, too, until an event
constexpr std::uint16_t to_many = 2;   // the targets are those of `to_all`; one without room misses messages
constexpr std::uint16_t enveloped = 4; // the frames of `envelope` come before the message
constexpr std::uint16_t delimited = 8; // an empty frame comes before the message (REQ, REP)
constexpr std::uint16_t takes_first = 16;     // the first frame was for the pattern, and is not written
constexpr std::uint16_t asks_again = 32;      // with it: the pattern chooses for the next frame, too
constexpr std::uint16_t raw = 64;             // the next frame is the whole message, whatever its flags say
constexpr std::uint16_t inspects = 128;       // pattern::inspect() sees each frame after the first one
constexpr std::uint16_t reports_end = 256;    // pattern::message_sent() is called after the last frame
constexpr std::uint16_t ends_with_peer = 512; // the next frame begins a message if the target is lost
constexpr std::uint16_t drops_replies = 1024; // what the target has sent before is dropped first (REQ)
} // namespace route_flag

// The targets of one message. Their memory is used again. It may move when an end is attached, also in the
// middle of a message: so a route points to the list.
class target_list {
  public:
    // For so many ends. Throws std::bad_alloc; add() does not.
    void reserve(std::size_t ends) {
        if (ends > places_.size())
            places_.resize(ends);
    }
    void clear() noexcept { count_ = 0; }
    void add(pipe_end &end) noexcept { places_[count_++] = &end; }
    // Returns false if it is not there.
    bool remove(const pipe_end &end) noexcept {
        const auto last = places_.begin() + static_cast<std::ptrdiff_t>(count_);
        const auto found = std::find(places_.begin(), last, &end);
        if (found == last)
            return false;
        *found = places_[--count_];
        return true;
    }
    // Valid until the next call on the list.
    [[nodiscard]] std::span<pipe_end *const> all() const noexcept { return {places_.data(), count_}; }

  private:
    std::vector<pipe_end *> places_;
    std::size_t count_ = 0;
};

struct route {
    pipe_end *to = nullptr;                     // the only target; null: nobody
    std::uint16_t flags = 0;                    // of route_flag
    target_list *to_all = nullptr;              // the pattern's; only with to_many
    std::span<const outgoing_frame> envelope{}; // only with enveloped

    [[nodiscard]] bool has(std::uint16_t flag) const noexcept { return (flags & flag) != 0; }
    void set(std::uint16_t flag, bool on = true) noexcept {
        flags = static_cast<std::uint16_t>(on ? flags | flag : flags & ~flag);
    }
    // Nobody, and no flags.
    void clear() noexcept {
        to = nullptr;
        flags = 0;
    }
};

// ---- receiving

// How the frames of a message are treated. Bits.
namespace source_flag {
constexpr std::uint64_t stays = 1; // the next messages come from there, too, until an event
constexpr std::uint64_t made = 2;  // the pattern made the frame. The frames of `from` follow, if there is one
constexpr std::uint64_t delimited = 4;  // an empty frame comes first, and is passed over (REQ, REP)
constexpr std::uint64_t inspects = 8;   // pattern::inspect_incoming() sees each frame until one is delivered
constexpr std::uint64_t one_frame = 16; // a message of several frames is dropped
constexpr std::uint64_t held = 32;      // who only looks for a message reads its first frame, and holds it
} // namespace source_flag

// It is returned in two registers. One test finds a plain source.
struct source {
    pipe_end *from = nullptr; // the end whose message is next; null: none, or the frame is made
    std::uint64_t how = 0;    // flags of source_flag, and in the upper half an errno number

    [[nodiscard]] static source none(int error) noexcept {
        return {nullptr, static_cast<std::uint64_t>(error) << 32};
    }
    // For a look: there is a message, whose turn is chosen later.
    [[nodiscard]] static source only_told() noexcept { return {nullptr, source_flag::made}; }
    [[nodiscard]] int error() const noexcept { return static_cast<int>(how >> 32); }
    [[nodiscard]] std::uint16_t flags() const noexcept { return static_cast<std::uint16_t>(how); }
    [[nodiscard]] bool has(std::uint64_t flag) const noexcept { return (how & flag) != 0; }
    // Returns true if there is a message, and no flags but these.
    [[nodiscard]] bool only(std::uint64_t flags) const noexcept { return (how & ~flags) == 0; }
    // Returns it with these flags in place of others.
    [[nodiscard]] source treated(std::uint64_t flags) const noexcept {
        return {from, how >> 32 << 32 | flags};
    }
    [[nodiscard]] source with(std::uint64_t flag) const noexcept { return {from, how | flag}; }
    // Passes over the delimiter. Returns the source of the rest of that message.
    [[nodiscard]] source behind_delimiter() const noexcept {
        from->in().pass_delimiter();
        return {from, how & ~source_flag::delimited};
    }
};

// Why a pattern is asked for a source. to_look: the caller reads the message later, or never. The pattern
// keeps its choice until then.
enum class asking : std::uint8_t { to_receive, to_look };

// A pattern's answer about a frame that was read.
enum class verdict : std::uint8_t {
    deliver,   // it is for the application, and so is the rest of its message
    pass_over, // it is not for the application. The pattern is asked about the next one
    begins,    // it is not for the application, and the next one is
    reject,    // the message is dropped
};

// The message that is being received. core/transfer reads it.
struct incoming_message {
    enum class stage : std::uint8_t {
        none,     // between messages
        envelope, // some frames were read. None of them was for the application, and the next one may not be
        found,    // the next frame is the first one for the application
        held,     // that frame was read, and is `frame`
        open,     // some frames were delivered, and the last one was not
        behind,   // the frame behind a routing id is next. The turn has passed, as if it were the last one
        unwanted, // the rest of the message is to be dropped
    };

    incoming_message() = default;
    ~incoming_message() { frame.drop(); }
    incoming_message(const incoming_message &) = delete;
    incoming_message &operator=(const incoming_message &) = delete;

    pipe_end *from = nullptr; // the end of the message; of the last one while there is none
    incoming_frame frame{};   // only while it is held
    // The rest is one word: end() is a single store.
    std::uint16_t flags = 0;   // of the source
    bool more_follows = false; // ZMQ_RCVMORE: the frame that was received last was not the last one
    stage at = stage::none;

    // Some frames were read, and the last one was not: the end has its turn.
    [[nodiscard]] bool in_progress() const noexcept {
        return at != stage::none && at != stage::behind && (at != stage::held || frame.more());
    }
    // A call has found the message, or has received a part of it.
    [[nodiscard]] bool promised() const noexcept {
        return at == stage::found || at == stage::held || at == stage::open || at == stage::behind;
    }
    // The id of that end was received. Its message has one frame, or no other end is active.
    void begin_behind_id(pipe_end &end) noexcept {
        from = &end;
        flags = 0;
        at = stage::behind;
    }
    // A whole message was received, or the one frame behind an id.
    void end() noexcept {
        flags = 0;
        more_follows = false;
        at = stage::none;
    }
    // Nothing more of the message is delivered.
    void give_up() noexcept {
        if (at == stage::held) {
            const bool rest = frame.more();
            std::exchange(frame, {}).drop();
            at = rest ? stage::unwanted : stage::none;
        } else if (at != stage::none) {
            at = stage::unwanted;
        }
    }
    // Nothing more is read from this end.
    void lose(const pipe_end &end) noexcept {
        if (from != &end)
            return;
        if (at == stage::held)
            std::exchange(frame, {}).drop();
        at = stage::none;
        from = nullptr;
    }
};

} // namespace zlink::patterns
