// SPDX-License-Identifier: MPL-2.0
// A connection without a stream, which does what the application's thread asks of it.
//
// Threads: the test's. Ownership: the test seats it.
#pragma once

#include "lane/pipe.hpp"

namespace zlink::lane_test {

class fake_driver final : public pipe_driver {
  public:
    std::uint32_t write_out() noexcept override { return 0; }
    through_status write_through(byte_range, const outgoing_frame &) noexcept override {
        return through_status::untouched;
    }
    std::uint32_t goes_on() noexcept override { return 0; }
    bool relieve(bool begins) noexcept override {
        ++reliefs;
        begun += begins ? 1 : 0;
        incoming_frame frame;
        while (takes_all && written != nullptr && written->read(frame))
            frame.drop();
        return lets_relieve;
    }
    std::uint32_t end_relief() noexcept override {
        ++ended;
        return 0;
    }
    bool handed_over() const noexcept override { return with_application; }
    std::uint32_t read_in() noexcept override {
        ++reads;
        return 0;
    }
    int begin_wait(std::uint32_t &) noexcept override {
        with_application = true;
        return some_descriptor;
    }
    std::uint32_t end_wait() noexcept override { return 0; }
    void offer(const landing_place &) noexcept override {}
    bool settle() noexcept override { return false; }
    std::uint32_t give_back() noexcept override {
        with_application = false;
        return 0;
    }

    static constexpr int some_descriptor = 0; // nobody waits on it here
    pipe_end *written = nullptr;              // what relieve() reads
    bool takes_all = true;
    bool lets_relieve = true;
    bool with_application = false;
    int reads = 0;
    int reliefs = 0;
    int begun = 0;
    int ended = 0;
};

} // namespace zlink::lane_test
