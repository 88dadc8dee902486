// SPDX-License-Identifier: MPL-2.0
// One-way throughput: the work of the sending and of the receiving end.
//
// 1. The sender greets until the receiver has a message.
// 2. The warm-up ends with a marker. The receiver says through the meeting that it has all of it.
// 3. Nothing is queued now. The sender notes the time and sends the counted messages.
// 4. The last counted message carries the kind `end`. The receiver notes the time of its arrival.
//
// The rate is the number of counted messages by the time between. Sequence numbers show every lost message;
// only a lossy delivery may have gaps, and then the arrived messages count. The window (meeting.hpp) bounds
// memory, or the high-water mark where messages may be dropped.
#pragma once

#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/end.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/settings.hpp"

#include <algorithm>

namespace bench {

template <class End> class stream_sender {
  public:
    stream_sender(End &end, meeting &shared, const settings &wanted, delivery arriving)
        : end_(end), shared_(shared), wanted_(wanted), arriving_(arriving), bound_(wanted.size_bytes),
          body_(make_body(wanted)) {}

    void run() {
        greet();
        send_data(wanted_.warmup_count, wanted_.warmup_ms());
        mark(kind::start, shared_.started);
        shared_.started.wait();
        send_counted();
        shared_.done.wait();
    }

  private:
    void greet() {
        if (arriving_ == delivery::complete)
            send_first(end_, body_);
        else
            repeat(kind::hello, shared_.ready, 1000);
        shared_.ready.wait();
    }

    void send_counted() {
        const std::int64_t before_last = wanted_.message_count < 0 ? -1 : wanted_.message_count - 1;
        shared_.began_ns.store(now_ns(), std::memory_order_release);
        send_data(before_last, wanted_.run_ms);
        shared_.sent.store(sequence_ + 1, std::memory_order_release);
        mark(kind::end, shared_.done);
    }

    // Where a message may be dropped, a marker is sent until the other end has it.
    void mark(kind what, const flag &seen) {
        if (arriving_ == delivery::lossy) {
            repeat(what, seen, 100);
            return;
        }
        body_.stamp(what, sequence_);
        end_.send(body_);
        end_.flush();
    }

    void repeat(kind what, const flag &seen, int pause_us) {
        body_.stamp(what, sequence_);
        while (!seen.is_set()) {
            if (end_.offer(body_))
                end_.flush();
            sleep_us(pause_us);
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
        if (arriving_ == delivery::lossy || shared_.received.has_room(sequence_, bound_))
            return;
        end_.flush();
        shared_.received.wait_for_room(sequence_, bound_);
    }

    End &end_;
    meeting &shared_;
    const settings &wanted_;
    const delivery arriving_;
    const window bound_;
    body body_;
    std::uint64_t sequence_ = 0;
};

template <class End> class stream_receiver {
  public:
    stream_receiver(End &end, meeting &shared, const settings &wanted, delivery arriving)
        : end_(end), shared_(shared), wanted_(wanted), arriving_(arriving), bound_(wanted.size_bytes),
          body_(make_body(wanted)) {}

    void run() {
        while (next() != kind::start)
            ;
        const std::uint64_t before = received_;
        shared_.started.set();
        while (next() != kind::end)
            ;
        const std::int64_t ended_ns = now_ns();
        check_all_arrived();
        const std::uint64_t messages = received_ - before;
        shared_.took_ns =
            std::max<std::int64_t>(ended_ns - shared_.began_ns.load(std::memory_order_acquire), 1);
        shared_.rate = static_cast<double>(messages) * 1e9 / static_cast<double>(shared_.took_ns);
        debug(wanted_, "received %llu messages in %.3f ms, sent %llu with the warm-up",
              static_cast<unsigned long long>(messages), static_cast<double>(shared_.took_ns) / 1e6,
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

    // Takes anything but the expected data message: a marker, the last message, or one after a gap.
    kind other() {
        const kind what = body_.what();
        if (what == kind::hello)
            shared_.ready.set();
        if (what == kind::data || what == kind::end) {
            check_gap();
            count_one();
        }
        return what;
    }

    void check_gap() {
        if (!body_.has_sequence())
            return;
        const std::uint64_t arrived = body_.sequence();
        if (arrived != expected_ && (arriving_ != delivery::lossy || arrived < expected_))
            fail("message %llu arrived where %llu was due", static_cast<unsigned long long>(arrived),
                 static_cast<unsigned long long>(expected_));
        expected_ = arrived;
    }

    void check_all_arrived() const {
        const std::uint64_t sent = shared_.sent.load(std::memory_order_acquire);
        if (arriving_ != delivery::lossy && received_ != sent)
            fail("%llu messages were sent and %llu received", static_cast<unsigned long long>(sent),
                 static_cast<unsigned long long>(received_));
    }

    End &end_;
    meeting &shared_;
    const settings &wanted_;
    const delivery arriving_;
    const window bound_;
    body body_;
    std::uint64_t expected_ = 0; // sequence number that is due
    std::uint64_t received_ = 0;
};

} // namespace bench
