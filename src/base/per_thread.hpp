// SPDX-License-Identifier: MPL-2.0
// per_thread: an object of the calling thread that calls in late destructors can use, too.
//
// The object is released when the destructors of the thread run. A get() after that takes a new one, which
// the thread keeps for ever: nothing tells of its end then. Such calls come from atexit handlers, and from
// destructors of statics and of thread-local objects that are older than this one.
//
// Source::take() returns the object and may throw. Source::release(object) gets it back. Threads: each has
// its own.
#pragma once

#include <utility>

namespace zlink {

template <class Object, class Source> class per_thread {
  public:
    static Object &get() {
        if (object_ == nullptr) [[unlikely]]
            begin();
        return *object_;
    }

    // Returns null after the destructors of the thread.
    static Object *get_unless_ended() { return ended_ ? nullptr : &get(); }

  private:
    struct end_of_thread {
        end_of_thread() noexcept = default;
        ~end_of_thread() {
            ended_ = true;
            Source::release(std::exchange(object_, nullptr));
        }
    };

    [[gnu::noinline]] static void begin() {
        object_ = Source::take();
        if (!ended_)
            static thread_local const end_of_thread at_end;
    }

    // Both have no destructor, so they can be read at any time.
    static inline constinit thread_local Object *object_ = nullptr;
    static inline constinit thread_local bool ended_ = false;
};

} // namespace zlink
