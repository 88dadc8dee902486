// SPDX-License-Identifier: MPL-2.0
// closing_state: how far an end of a pipe is on its way to its close, and what it knows of the other end's.
//
// Threads: that of the end's owner. The other side stores linger_ms before its peer_closed event.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace zlink {

// The use that the owner of an end still has for it.
class owner_interest {
  public:
    // The owner closes the end soon: events are of no use any more.
    void finish() noexcept { at_ = at_ == stage::whole ? stage::finished : at_; }
    [[nodiscard]] bool finished() const noexcept { return at_ != stage::whole; }
    // Nor is what waits in the end's queue to be sent.
    void abandon() noexcept { at_ = stage::abandoned; }
    [[nodiscard]] bool abandoned() const noexcept { return at_ == stage::abandoned; }

  private:
    enum class stage : std::uint8_t { whole, finished, abandoned };
    stage at_ = stage::whole;
};

class closing_state {
  public:
    enum class stage : std::uint8_t {
        open,
        announced, // the other side was told that nothing follows
        parting,   // closed; the end stays in its mailbox until the other side has heard of it
        closed,
    };

    [[nodiscard]] bool closed() const noexcept { return at_ == stage::closed || at_ == stage::parting; }
    [[nodiscard]] bool parting() const noexcept { return at_ == stage::parting; }
    // Returns false if the other side was told before.
    [[nodiscard]] bool announce() noexcept {
        if (at_ != stage::open)
            return false;
        at_ = stage::announced;
        return true;
    }
    void close(bool parts) noexcept { at_ = parts ? stage::parting : stage::closed; }
    // Returns true if the end waited for the other side until now.
    [[nodiscard]] bool end_parting() noexcept {
        if (at_ != stage::parting)
            return false;
        at_ = stage::closed;
        return true;
    }

    // The other end is closed, or counts as that.
    void note_peer_closed() noexcept { peer_closed_ = true; }
    [[nodiscard]] bool peer_closed() const noexcept { return peer_closed_; }

    // How long the other side waits for its messages to be sent; -1: for ever.
    std::atomic<int> peer_linger_ms{-1};

  private:
    stage at_ = stage::open;
    bool peer_closed_ = false;
};

} // namespace zlink
