// SPDX-License-Identifier: MPL-2.0
#include "runtime/shared_mailbox.hpp"

#include <algorithm>

namespace zlink::runtime {
namespace {

// One of them, if there is one.
template <class Entry> void remove_one(std::vector<Entry *> &from, const Entry &removed) noexcept {
    const auto place = std::find(from.begin(), from.end(), &removed);
    if (place == from.end())
        return;
    *place = from.back();
    from.pop_back();
}

} // namespace

void shared_mailbox::wake() noexcept {
    {
        const std::lock_guard lock(guard_);
        for (parker *sleeper : sleepers_)
            sleeper->unpark();
        for (event_signal *raised : signals_)
            raised->raise();
        if (always_ && sleepers_.empty())
            turn_->ask();
    }
    ring();
}

void shared_mailbox::ask_for_turn() noexcept {
    const std::lock_guard lock(guard_);
    if (turn_ && sleepers_.empty())
        turn_->ask();
}

void shared_mailbox::set_turn(std::shared_ptr<background_turn> taken_by, bool always) noexcept {
    const std::lock_guard lock(guard_);
    always_ = always && taken_by != nullptr;
    turn_.swap(taken_by);
}

void shared_mailbox::add(parker &sleeper) {
    const std::lock_guard lock(guard_);
    sleepers_.push_back(&sleeper);
}

void shared_mailbox::remove(parker &sleeper) noexcept {
    const std::lock_guard lock(guard_);
    remove_one(sleepers_, sleeper);
}

void shared_mailbox::add(event_signal &raised) {
    const std::lock_guard lock(guard_);
    signals_.push_back(&raised);
}

void shared_mailbox::remove(event_signal &raised) noexcept {
    const std::lock_guard lock(guard_);
    remove_one(signals_, raised);
}

} // namespace zlink::runtime
