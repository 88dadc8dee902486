// SPDX-License-Identifier: MPL-2.0
// What every program of this folder does, whichever library it is for:
//
//   PROGRAM server|client up|down|round_trips TRANSPORT SIZE RUN_MS MARK CERT KEY PORT
//
// `up`: the client sends messages, `down`: the server does, and the other end tells the rate. `round_trips`:
// the server sends each message of the client back, and the client tells the times. MARK is the high-water
// mark in messages. CERT and KEY are files. A program tells its library's version with the one word
// --version.
//
// The end that tells something goes by its own clock: after a fifth of RUN_MS it measures for RUN_MS. The
// other end goes on until it is killed. Threads: one.
#pragma once

#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/fail.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace bench::web {

struct order {
    bool serves = false;
    std::string work;
    std::string transport;
    std::size_t size = 0;
    std::int64_t run_ns = 0;
    int mark = 0;
    std::string certificate; // a file, as the next one
    std::string key;
    std::string port;

    [[nodiscard]] bool sends() const { return work == (serves ? "down" : "up"); }
    [[nodiscard]] bool is_encrypted() const { return transport == "tls" || transport == "wss"; }
    [[nodiscard]] std::int64_t warm_up_ns() const { return run_ns / 5; }
};

inline order read_order(std::span<char *const> words) {
    if (words.size() != 10)
        fail("usage: %s server|client up|down|round_trips TRANSPORT SIZE RUN_MS MARK CERT KEY PORT",
             words[0]);
    const auto number = [&](std::size_t at) {
        const long read = std::strtol(words[at], nullptr, 10);
        if (read <= 0)
            fail("%s is no number from 1 on", words[at]);
        return read;
    };
    order made;
    made.serves = std::string_view(words[1]) == "server";
    made.work = words[2];
    made.transport = words[3];
    made.size = static_cast<std::size_t>(number(4));
    made.run_ns = number(5) * ns_per_ms;
    made.mark = static_cast<int>(number(6));
    made.certificate = words[7];
    made.key = words[8];
    made.port = words[9];
    if (made.work != "up" && made.work != "down" && made.work != "round_trips")
        fail("there is no work '%s'", made.work.c_str());
    return made;
}

inline void report(const char *metric, double value) {
    std::printf("WEB,%s,%.6g\n", metric, value);
    std::fflush(stdout);
}

inline void say_ready() {
    std::puts("READY");
    std::fflush(stdout);
}

// `End` has send(body &) and receive(body &).
template <class End> [[noreturn]] void send_stream(End &to, const order &given) {
    for (body message(given.size);;)
        to.send(message);
}

template <class End> void receive_stream(End &from, const order &given) {
    const std::size_t looks_every = std::max<std::size_t>(1, 2048 / given.size); // at the clock
    body message(given.size);
    const auto receive_for = [&](std::int64_t time_ns) {
        const std::int64_t begin = now_ns();
        std::int64_t now = begin;
        std::size_t count = 0;
        for (; now < begin + time_ns; now = now_ns())
            for (const std::size_t next = count + looks_every; count < next; ++count)
                from.receive(message);
        return static_cast<double>(count) * 1e9 / static_cast<double>(now - begin);
    };
    from.receive(message);
    receive_for(given.warm_up_ns());
    report("messages_per_s", receive_for(given.run_ns));
}

template <class End> [[noreturn]] void answer(End &with, const order &given) {
    for (body message(given.size);;) {
        with.receive(message);
        with.send(message);
    }
}

template <class End> void ask(End &with, const order &given) {
    body message(given.size);
    std::vector<std::int64_t> times;
    const auto ask_for = [&](std::int64_t time_ns) {
        times.clear();
        std::int64_t now = now_ns();
        for (const std::int64_t end = now + time_ns; now < end; now += times.back()) {
            with.send(message);
            with.receive(message);
            times.push_back(now_ns() - now);
        }
    };
    ask_for(given.warm_up_ns());
    ask_for(given.run_ns);
    std::ranges::sort(times);
    report("p50_us", static_cast<double>(times[times.size() / 2]) / 1e3);
    report("p99_us", static_cast<double>(times[times.size() * 99 / 100]) / 1e3);
}

template <class End> void run(End &end, const order &given) {
    if (given.serves)
        say_ready();
    if (given.work == "round_trips")
        given.serves ? answer(end, given) : ask(end, given);
    else
        given.sends() ? send_stream(end, given) : receive_stream(end, given);
    pause(); // a library may drop what was not sent if it closes
}

} // namespace bench::web
