// SPDX-License-Identifier: MPL-2.0
// last_values: the last message of each topic of a publisher. A topic is the whole first frame of a message.
//
// Threads: none of its own; one owner (the pattern) at a time. Ownership: it holds a reference to each body;
// a large one is shared with the queues. Invariants: between calls it holds no more topics and bytes than its
// bounds. The topic that was published longest ago gives way first. A message that cannot be kept (no memory,
// above the bounds) takes the older message of its topic with it. So an old value is never given for the
// last. Units: bytes of bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string_view>
#include <vector>

#include "queue/frame_view.hpp"

namespace zlink::patterns {

class last_values {
  public:
    struct bounds {
        std::size_t topics;
        std::uint64_t bytes; // 0: without bound
    };
    struct message {
        std::vector<outgoing_frame> frames; // with a reference to each owner
        std::uint64_t bytes = 0;
        std::uint64_t number = 0; // a later message has a higher one

        [[nodiscard]] std::string_view topic() const noexcept {
            return {reinterpret_cast<const char *>(frames.front().data), frames.front().size};
        }
    };

    explicit last_values(const bounds &most) noexcept : most_(most) {}
    ~last_values();
    last_values(const last_values &) = delete;
    last_values &operator=(const last_values &) = delete;

    // ---- a message that is being sent: begin() with its first frame, add() with each other one
    void begin(const outgoing_frame &first) noexcept;
    void add(const outgoing_frame &frame) noexcept;
    // It was sent, and is the last one of its topic.
    void commit() noexcept;
    // It was not sent.
    void rollback() noexcept;

    void set_bounds(const bounds &most) noexcept;
    // Appends the messages whose topics have this beginning, in the order in which they were published. They
    // are valid until the next change. Throws std::bad_alloc.
    void find(std::string_view beginning, std::vector<const message *> &found) const;
    [[nodiscard]] std::size_t topics() const noexcept { return by_topic_.size(); }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    // The number of the newest message; 0: there was none.
    [[nodiscard]] std::uint64_t newest() const noexcept { return numbers_; }

  private:
    using list = std::list<message>;
    using index = std::map<std::string_view, list::iterator>; // views of the first frames

    [[nodiscard]] bool append(const outgoing_frame &frame) noexcept;
    [[nodiscard]] bool put_in_index() noexcept;
    void forget(std::string_view topic) noexcept;
    void forget(index::iterator gone) noexcept;
    void trim() noexcept;
    static void clear(message &of) noexcept;

    bounds most_;
    list kept_; // the oldest first
    index by_topic_;
    std::uint64_t bytes_ = 0;
    std::uint64_t numbers_ = 0;
    list sending_;      // the message that is being sent, or none
    bool whole_ = true; // of which all frames are there
};

} // namespace zlink::patterns
