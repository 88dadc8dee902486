// SPDX-License-Identifier: MPL-2.0
// opening_dialogue: runs the openings of a connected stream, one after the other, until ZMTP can begin.
//
// Threads: the I/O thread. Ownership: held by its handlers; holds the stream with them. Closing the stream
// ends it, and counts as a failure. on_end is called once, never from start().
#pragma once

#include <functional>
#include <memory>

#include "runtime/handler_slot.hpp"
#include "transport/opening.hpp"
#include "transport/stream.hpp"

namespace zlink::connections {

class opening_dialogue : public std::enable_shared_from_this<opening_dialogue> {
  public:
    // `why`: of an opening that failed.
    using answer = std::function<void(bool opened, transport::opening_failure why)>;

    opening_dialogue(std::shared_ptr<transport::stream> stream, transport::opening_list openings,
                     answer on_end) noexcept
        : stream_(std::move(stream)), openings_(std::move(openings)), on_end_(std::move(on_end)) {}

    void start() { wait_writable(); }

  private:
    void wait_writable();
    void wait_readable();
    void go_on();
    [[nodiscard]] transport::opening_status next() noexcept;
    void fail();
    void end(bool opened, transport::opening_failure why);

    std::shared_ptr<transport::stream> stream_;
    transport::opening_list openings_;
    std::size_t at_ = 0; // the opening that is under way
    answer on_end_;
    runtime::handler_slot slot_; // it waits for one thing at a time
};

} // namespace zlink::connections
