// SPDX-License-Identifier: MPL-2.0
#include "connections/worker.hpp"

#include <new>

namespace zlink::connections {

void worker_list::begin(std::shared_ptr<worker> fresh) {
    worker::list one;
    one.push_back(std::move(fresh)); // the I/O thread needs no memory to take it over
    sessions_.enter();
    try {
        thread_.post([this, one = std::move(one)]() mutable {
            worker &begun = *one.front();
            begun.place_ = one.begin();
            begun.held_ = true;
            members_.splice(members_.end(), one);
            begun.start();
        });
    } catch (...) {
        sessions_.leave();
        throw;
    }
    thread_.add_load(1);
}

// Needs memory only when the slot is taken, and it is taken by an end that is under way already.
void worker_list::terminate(std::shared_ptr<worker> old, int linger_ms) noexcept {
    runtime::post_slot &slot = old->ending_;
    try {
        thread_.post(
            runtime::slotted(slot, [old = std::move(old), linger_ms] { old->terminate(linger_ms); }));
    } catch (const std::bad_alloc &) {
        return;
    }
}

void worker_list::disconnect(std::shared_ptr<worker> old, int linger_ms) noexcept {
    runtime::post_slot &slot = old->ending_;
    try {
        thread_.post(
            runtime::slotted(slot, [old = std::move(old), linger_ms] { old->disconnect(linger_ms); }));
    } catch (const std::bad_alloc &) {
        return;
    }
}

void worker_list::finished(worker &done) {
    if (!std::exchange(done.held_, false))
        return;
    finished_.splice(finished_.end(), members_, done.place_);
    thread_.add_load(-1);
    // The last reference may go here: not under the feet of the worker that called.
    try {
        thread_.post(runtime::slotted(done.ending_, [this, place = done.place_] {
            finished_.erase(place);
            sessions_.leave();
        }));
    } catch (const std::bad_alloc &) { // it stays until the group goes, which is after this thread has ended
        sessions_.leave();
    }
}

} // namespace zlink::connections
