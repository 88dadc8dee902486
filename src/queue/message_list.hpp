// SPDX-License-Identifier: MPL-2.0
// message_list: messages of which the oldest give way to newer ones, or to a newer one of the same topic. The
// policies of zlink/options.h that drop the oldest need it.
//
// Threads: one writer and one reader; a mutex guards what both touch. Ownership: it holds a reference to each
// buffer in it. A message is visible to the reader after commit(), until then rollback() takes it back.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "queue/frame_view.hpp"

namespace zlink {

class message_list {
  public:
    // `most`: messages; 0: without limit.
    message_list(bool by_topic, std::uint64_t most) noexcept : of_topics_(by_topic), most_(most) {}
    ~message_list();
    message_list(const message_list &) = delete;
    message_list &operator=(const message_list &) = delete;

    // ---- writer
    // Returns false if there is no memory; nothing has changed then.
    [[nodiscard]] bool put(const outgoing_frame &frame) noexcept;
    std::uint64_t commit() noexcept; // returns the bytes that wait now
    void rollback() noexcept;

    // ---- reader
    // Gives the next frame. `message` becomes the number of its message, counted from 1 by the commits.
    // Returns false if there is none.
    [[nodiscard]] bool take(incoming_frame &frame, std::uint64_t &message) noexcept;

    // ---- any thread
    void set_most(std::uint64_t messages) noexcept { most_.store(messages, std::memory_order_relaxed); }
    // As the bytes of the wire; 0: without limit. The newest message stays, however large it is.
    void set_most_bytes(std::uint64_t bytes) noexcept { most_bytes_.store(bytes, std::memory_order_relaxed); }
    // Messages that the reader has not taken whole.
    [[nodiscard]] std::uint64_t count(std::memory_order order) const noexcept { return count_.load(order); }
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
    // Those of them that gave way to one of the same topic.
    [[nodiscard]] std::uint64_t conflated() const noexcept {
        return conflated_.load(std::memory_order_relaxed);
    }

  private:
    struct kept {
        std::vector<incoming_frame> frames; // with their owners
        std::uint64_t number = 0;
        std::uint64_t bytes = 0; // with the headers of frames

        [[nodiscard]] std::string_view topic() const noexcept {
            return {reinterpret_cast<const char *>(frames.front().data), frames.front().size};
        }
        void clear() noexcept;
    };
    using list = std::list<kept>;

    void make_way(list &dropped); // guarded
    [[nodiscard]] bool has_too_much() const noexcept;
    void forget_topic(const kept &gone) noexcept;

    const bool of_topics_; // a topic has one message: the newest
    std::atomic<std::uint64_t> most_;
    std::atomic<std::uint64_t> most_bytes_{0};
    std::atomic<std::uint64_t> count_{0};     // stored under the mutex, read by any thread
    std::atomic<std::uint64_t> dropped_{0};   // stored by the writer
    std::atomic<std::uint64_t> conflated_{0}; // stored by the writer
    list written_;                            // the writer's: the unfinished message, or none
    list spare_;                              // the writer's: nodes for the next messages
    std::uint64_t commits_ = 0;               // the writer's
    list taken_;                              // the reader's: the message of which a part was read, or none
    std::size_t next_frame_ = 0;              // the reader's: within it
    std::mutex guard_;
    list waiting_;                                                  // guarded
    std::uint64_t bytes_ = 0;                                       // guarded: of these
    std::unordered_map<std::string_view, list::iterator> by_topic_; // guarded; if of_topics_
};

} // namespace zlink
