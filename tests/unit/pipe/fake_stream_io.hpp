// SPDX-License-Identifier: MPL-2.0
// A connection without a stream, which does what the application's thread asks of it.
//
// Threads: the test's. Ownership: the test puts it into the stream slot.
#pragma once

#include "pipe/pipe.hpp"

namespace zlink::message_queue_test {

class fake_stream_io final : public stream_io {
  public:
    std::uint32_t write_out() noexcept override { return 0; }
    direct_write_status write_direct(byte_range, const outgoing_frame &) noexcept override {
        return direct_write_status::untouched;
    }
    std::uint32_t goes_on() noexcept override { return 0; }
    bool write_on_lease(bool begins) noexcept override {
        ++leased_writes;
        begun += begins ? 1 : 0;
        incoming_frame frame;
        while (takes_all && written != nullptr && written->read(frame))
            frame.drop();
        return allows_write_lease;
    }
    std::uint32_t end_write_lease() noexcept override {
        ++ended;
        return 0;
    }
    bool leased() const noexcept override { return with_application; }
    std::uint32_t read_in() noexcept override {
        ++reads;
        return 0;
    }
    int begin_wait(std::uint32_t &) noexcept override {
        with_application = true;
        slept_on = true;
        return some_descriptor;
    }
    std::uint32_t end_wait() noexcept override {
        slept_on = false;
        return 0;
    }
    bool watch_in(int, bool asks, std::uint32_t &) noexcept override {
        if (asks && !with_application) {
            with_application = true;
            ++asked;
        }
        return watched_in_loop = with_application;
    }
    void post_receive(const posted_buffer &) noexcept override {}
    bool end_receive() noexcept override { return false; }
    std::uint32_t release_lease() noexcept override {
        with_application = watched_in_loop = false;
        return 0;
    }

    static constexpr int some_descriptor = 0; // nobody waits on it here
    pipe_end *written = nullptr;              // what write_on_lease() reads
    bool takes_all = true;
    bool allows_write_lease = true;
    bool with_application = false;
    bool slept_on = false;
    bool watched_in_loop = false;
    int asked = 0; // by an event loop
    int reads = 0;
    int leased_writes = 0;
    int begun = 0;
    int ended = 0;
};

} // namespace zlink::message_queue_test
