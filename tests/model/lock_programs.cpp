// SPDX-License-Identifier: MPL-2.0
// Programs of locks and of references: each thread has its turn with plain memory.
#include <cstring>

#include "base/asymmetric_fence.hpp"
#include "base/small_mutex.hpp"
#include "core/turn_lock.hpp"
#include "message/buffer.hpp"
#include "model/programs.hpp"
#include "runtime/handler_slot.hpp"

namespace zlink::model {
namespace {

// A sum that only the owner of a lock touches.
class guarded_sum {
  public:
    void add() noexcept { ++sum_; }
    void judge(int all) const noexcept { require(sum_ == all, "two threads were inside at once"); }

  private:
    int sum_ = 0;
};

template <std::size_t Threads> struct mutex_program {
    static constexpr std::size_t threads = Threads;
    static constexpr int turns = Threads == 2 ? 2 : 1;

    void run(std::size_t) {
        for (int turn = 0; turn < turns; ++turn) {
            mutex_.lock();
            sum_.add();
            turn == 0 ? mutex_.unlock() : mutex_.unlock_to_waiter();
        }
    }
    void finish() { sum_.judge(turns * static_cast<int>(Threads)); }

  private:
    small_mutex mutex_;
    guarded_sum sum_;
};

// A lock without a bias: threads sleep and wake each other.
template <std::size_t Threads> struct turns_program {
    static constexpr std::size_t threads = Threads;

    turns_program() { enable_asymmetric_fence(); }
    void run(std::size_t) {
        require(lock_.enter(), "an open lock says that it is closed");
        sum_.add();
        lock_.leave();
    }
    void finish() { sum_.judge(static_cast<int>(Threads)); }

  private:
    core::turn_lock lock_;
    guarded_sum sum_;
};

// A lock with a bias, and how it ends.
class biased {
  public:
    static constexpr std::size_t threads = 2;
    static constexpr std::size_t favoured = 1;

    biased() {
        enable_asymmetric_fence();
        act_as(favoured);
        for (int turn = 0; turn < many; ++turn) {
            require(lock_.enter(), "an open lock says that it is closed");
            lock_.leave();
        }
        act_as(0);
    }

  protected:
    static constexpr int many = 70;

    void take_turn() noexcept {
        require(lock_.enter(), "an open lock says that it is closed");
        sum_.add();
        lock_.leave();
    }
    core::turn_lock &lock() noexcept { return lock_; }
    guarded_sum &sum() noexcept { return sum_; }

  private:
    core::turn_lock lock_;
    guarded_sum sum_;
};

struct biased_turns : biased {
    void run(std::size_t thread) {
        take_turn();
        if (thread == favoured)
            take_turn();
    }
    void finish() { sum().judge(3); }
};

struct tried_turn : biased {
    void run(std::size_t thread) {
        if (thread == favoured)
            return take_turn();
        if (!lock().try_enter())
            return;
        sum().add();
        lock().leave();
    }
    void finish() {}
};

struct others_in : biased {
    void run(std::size_t thread) {
        if (thread != favoured)
            return take_turn();
        require(lock().enter(), "an open lock says that it is closed");
        sum().add();
        lock().let_others_in();
        sum().add();
        lock().leave();
    }
    void finish() { sum().judge(3); }
};

// The last turn closes the lock. Others then find it closed.
struct closing : biased {
    void run(std::size_t thread) {
        if (!lock().enter())
            return;
        sum().add();
        thread == favoured ? lock().close() : lock().leave();
    }
    void finish() { require(!lock().enter(), "somebody enters a closed lock"); }
};

// Each thread has a reference to a buffer. The last one that lets go releases its memory.
struct references {
    static constexpr std::size_t threads = 3;

    references() : body_(buffer::allocate(8)) {
        std::memset(body_->data(), 7, body_->size());
        body_->retain(2);
    }
    void run(std::size_t) {
        require(body_->data()[0] == 7, "a body has other bytes");
        body_->release();
    }
    void finish() {}

  private:
    buffer *const body_;
};

// A place for one operation of Asio: whoever comes second has other memory.
struct slot {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        for (int turn = 0; turn < 2; ++turn) {
            auto *const place = static_cast<std::size_t *>(slot_.take(sizeof(std::size_t)));
            *place = thread;
            require(*place == thread, "two operations have one place");
            slot_.give(place);
        }
    }
    void finish() {}

  private:
    runtime::slot_of<16> slot_;
};

} // namespace

std::vector<program> lock_programs() {
    return {make_program<mutex_program<2>>("lock.mutex_of_two", 3, 2),
            make_program<mutex_program<3>>("lock.mutex_of_three", 2, 1),
            make_program<turns_program<2>>("lock.turns_of_two", 3, 2),
            make_program<turns_program<3>>("lock.turns_of_three", 2, 1),
            make_program<biased_turns>("lock.biased_turns", 3, 2),
            make_program<tried_turn>("lock.tried_turn", 4, 3),
            make_program<others_in>("lock.others_in", 3, 2),
            make_program<closing>("lock.closing", 3, 2),
            make_program<references>("lock.references", 3, 2),
            make_program<slot>("lock.slot", 4, 3)};
}

} // namespace zlink::model
