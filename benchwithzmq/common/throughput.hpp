// SPDX-License-Identifier: MPL-2.0
// One-way throughput: what the sending and the receiving end do, over any kind of end.
//
// An End has send(body), flush(), offer(body) (a send that says false when the peer is not known yet) and
// receive(body), which fails by itself on a wrong size or shape. The rate is messages received divided by the
// time from the start marker's reception to the end marker's. Sequence numbers show every lost message; only
// where the pattern is documented to drop (PUB at a set high-water mark) are gaps allowed, and then what
// arrived is what counts. Memory is bounded by the window (meeting.hpp), or by the high-water mark where
// messages may be dropped.
#pragma once

#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/settings.hpp"

#include <algorithm>

namespace bench {

template <class End> class stream_sender {
  public:
    stream_sender(End &end, meeting &shared, const settings &wanted, bool may_drop)
        : end_(end), shared_(shared), wanted_(wanted), may_drop_(may_drop), bound_(wanted.size_bytes),
          body_(wanted.size_bytes) {}

    void run() {
        repeat(kind::hello, shared_.ready);
        send_data(wanted_.warmup_count, wanted_.warmup_ms());
        mark(kind::start, shared_.started);
        send_data(wanted_.message_count, wanted_.run_ms);
        shared_.sent.store(sequence_, std::memory_order_release);
        mark(kind::end, shared_.done);
        shared_.done.wait();
    }

  private:
    // Where a message may be dropped, a marker is sent until the other end has it.
    void mark(kind what, const flag &seen) {
        if (may_drop_) {
            repeat(what, seen);
            return;
        }
        body_.stamp(what, 0);
        end_.send(body_);
        end_.flush();
    }

    void repeat(kind what, const flag &seen) {
        while (!seen.is_set()) {
            body_.stamp(what, 0);
            if (end_.offer(body_))
                end_.flush();
            sleep_ms(1);
        }
    }

    void send_data(std::int64_t count, std::int64_t duration_ms) {
        if (count >= 0) {
            for (auto left = static_cast<std::uint64_t>(count); left > 0;) {
                const std::uint64_t batch = std::min(left, bound_.stride());
                send_batch(batch);
                left -= batch;
            }
            return;
        }
        const std::int64_t until = now_ns() + duration_ms * ns_per_ms;
        while (now_ns() < until)
            send_batch(bound_.stride());
    }

    void send_batch(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            body_.stamp(kind::data, sequence_++);
            end_.send(body_);
        }
        if (may_drop_ || shared_.received.has_room(sequence_, bound_))
            return;
        end_.flush();
        shared_.received.wait_for_room(sequence_, bound_);
    }

    End &end_;
    meeting &shared_;
    const settings &wanted_;
    const bool may_drop_;
    const window bound_;
    body body_;
    std::uint64_t sequence_ = 0;
};

template <class End> class stream_receiver {
  public:
    stream_receiver(End &end, meeting &shared, const settings &wanted, bool may_drop)
        : end_(end), shared_(shared), wanted_(wanted), may_drop_(may_drop), bound_(wanted.size_bytes),
          body_(wanted.size_bytes) {}

    void run() {
        while (next() != kind::start)
            ;
        const std::int64_t begin = now_ns();
        const std::uint64_t before = received_;
        shared_.started.set();
        while (next() != kind::end)
            ;
        const std::int64_t end = now_ns();
        check_all_arrived();
        // The end marker is a message like the others, received inside the interval.
        const std::uint64_t messages = received_ - before + 1;
        shared_.rate =
            static_cast<double>(messages) * 1e9 / static_cast<double>(std::max<std::int64_t>(end - begin, 1));
        debug(wanted_, "received %llu messages in %.3f ms, sent %llu with the warm-up",
              static_cast<unsigned long long>(messages), static_cast<double>(end - begin) / 1e6,
              static_cast<unsigned long long>(shared_.sent.load()));
        shared_.done.set();
    }

  private:
    kind next() {
        end_.receive(body_);
        if (!body_.is_data(expected_))
            return other();
        count_one();
        return kind::data;
    }

    void count_one() {
        ++expected_;
        if (++received_ % bound_.stride() == 0)
            shared_.received.publish(received_);
    }

    // Anything but the expected data message: a marker, or a gap.
    kind other() {
        const kind what = body_.what();
        if (what == kind::hello)
            shared_.ready.set();
        if (what != kind::data)
            return what;
        if (!may_drop_ || body_.sequence() < expected_)
            fail("message %llu arrived where %llu was due", static_cast<unsigned long long>(body_.sequence()),
                 static_cast<unsigned long long>(expected_));
        expected_ = body_.sequence();
        count_one();
        return kind::data;
    }

    void check_all_arrived() const {
        const std::uint64_t sent = shared_.sent.load(std::memory_order_acquire);
        if (!may_drop_ && received_ != sent)
            fail("%llu messages were sent and %llu received", static_cast<unsigned long long>(sent),
                 static_cast<unsigned long long>(received_));
    }

    End &end_;
    meeting &shared_;
    const settings &wanted_;
    const bool may_drop_;
    const window bound_;
    body body_;
    std::uint64_t expected_ = 0; // sequence number that is due
    std::uint64_t received_ = 0;
};

} // namespace bench
