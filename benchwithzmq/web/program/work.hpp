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
// The first byte of a message says what it is. The receiver counts from the first of the measured messages to
// the last message. An end that has nothing left to do stays until its standard input ends: a library may
// drop what was not sent when it closes. Threads: one.
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

inline void wait_for_end_of_input() {
    char byte = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
}

// `End` has send(body &) and receive(body &).
template <class End> void send_for(End &to, body &message, kind what, std::int64_t time_ns) {
    const std::size_t looks_every = std::max<std::size_t>(1, 2048 / message.size()); // at the clock
    message.stamp(what, 0);
    for (const std::int64_t end = now_ns() + time_ns; now_ns() < end;)
        for (std::size_t sent = 0; sent < looks_every; ++sent)
            to.send(message);
}

template <class End> void send_stream(End &to, const order &given) {
    body message(given.size);
    send_for(to, message, kind::hello, given.warm_up_ns());
    send_for(to, message, kind::data, given.run_ns);
    message.stamp(kind::end, 0);
    to.send(message);
}

template <class End> void receive_stream(End &from, const order &given) {
    body message(given.size);
    do {
        from.receive(message);
    } while (message.what() == kind::hello);
    const std::int64_t begin = now_ns();
    double count = 0;
    for (; message.what() == kind::data; ++count)
        from.receive(message);
    report("messages_per_s", count * 1e9 / static_cast<double>(now_ns() - begin));
}

template <class End> void answer(End &with, const order &given) {
    body message(given.size);
    do {
        with.receive(message);
        with.send(message);
    } while (message.what() != kind::end);
}

template <class End> void ask(End &with, const order &given) {
    body message(given.size);
    std::vector<std::int64_t> times;
    const auto ask_for = [&](kind what, std::int64_t time_ns) {
        message.stamp(what, 0);
        std::int64_t now = now_ns();
        for (const std::int64_t end = now + time_ns; now < end;) {
            with.send(message);
            with.receive(message);
            times.push_back(now_ns() - now);
            now += times.back();
        }
    };
    ask_for(kind::hello, given.warm_up_ns());
    times.clear();
    ask_for(kind::data, given.run_ns);
    message.stamp(kind::end, 0);
    with.send(message);
    with.receive(message);
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
    wait_for_end_of_input();
}

} // namespace bench::web
