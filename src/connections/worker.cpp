// SPDX-License-Identifier: MPL-2.0
#include "connections/worker.hpp"

#include <algorithm>
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
void worker_list::post_end(std::shared_ptr<worker> old, void (worker::*end)(int), int linger_ms) noexcept {
    runtime::post_slot &slot = old->ending_;
    try {
        thread_.post(
            runtime::slotted(slot, [old = std::move(old), end, linger_ms] { ((*old).*end)(linger_ms); }));
    } catch (const std::bad_alloc &) {
        return;
    }
}

void worker_list::terminate(std::shared_ptr<worker> old, int linger_ms) noexcept {
    post_end(std::move(old), &worker::terminate, linger_ms);
}

void worker_list::disconnect(std::shared_ptr<worker> old, int linger_ms) noexcept {
    post_end(std::move(old), &worker::disconnect, linger_ms);
}

void worker_list::withdraw(std::shared_ptr<worker> old, int linger_ms) noexcept {
    post_end(std::move(old), &worker::withdraw, linger_ms);
}

worker_list &worker_list::least_loaded(const std::vector<worker_list *> &of) noexcept {
    return **std::min_element(of.begin(), of.end(), [](worker_list *a, worker_list *b) {
        return a->thread().load() < b->thread().load();
    });
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
