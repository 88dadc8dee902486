// SPDX-License-Identifier: MPL-2.0
// untold_changes: changes of a set of topics (or groups) that peers are told later, since they have not read
// what they were told before. A topic that changes back needs no telling. So a peer's changes are never more
// than the topics that it knows and those of the set.
//
// Threads, ownership: the pattern's. A peer's changes are told when the event `writable` of its pipe comes.
#pragma once

#include <cstdint>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>

#include "pipe/command_backlog.hpp"

namespace zlink::patterns {

class untold_changes {
  public:
    struct change {
        std::string_view topic;
        bool was_in; // the set, before the change
        bool is_in;
    };

    // Returns true if the change is kept for later. `all_bytes`: size of the commands that tell the whole
    // set. Returns false, too, if there is no memory.
    bool keep(pipe_end &peer, const change &made, std::uint64_t all_bytes) noexcept {
        try {
            const auto found = behind_.find(&peer);
            if (found == behind_.end() && (!is_behind(peer, all_bytes) || !peer.out().prepare_wait_drain()))
                return false;
            note(found != behind_.end() ? found->second : behind_[&peer], made);
            return true;
        } catch (const std::bad_alloc &) {
            return false;
        }
    }
    // Calls tell(topic) for each topic whose change the peer has not been told, and forgets the changes.
    template <class Tell> void tell(pipe_end &peer, Tell &&tell) {
        const auto found = behind_.find(&peer);
        if (found == behind_.end())
            return;
        const topics told = std::move(found->second);
        behind_.erase(found);
        for (const auto &[topic, is_in] : told)
            tell(topic);
    }
    // The peer is gone, or is told the whole set.
    void forget(pipe_end &peer) noexcept { behind_.erase(&peer); }

  private:
    using topics = std::map<std::string, bool, std::less<>>; // topic: is it in the set?

    static void note(topics &kept, const change &made) {
        const auto earlier = kept.find(made.topic);
        if (earlier != kept.end() && earlier->second != made.is_in)
            kept.erase(earlier);
        else if (earlier == kept.end() && made.was_in != made.is_in)
            kept.emplace(made.topic, made.is_in);
    }

    std::unordered_map<pipe_end *, topics> behind_;
};

} // namespace zlink::patterns
