// SPDX-License-Identifier: MPL-2.0
//
// Timers. Times are told in classes only, since two runs never take the same time.
#include "commands.hpp"
#include "names.hpp"

namespace {

void note_timer(int id, void *argument) {
    static_cast<timers_object *>(argument)->fired.push_back(id);
}

timers_object &timers(world &w, const words &line) {
    return find_in(w.timers, word(line, 1));
}

std::string make(world &w, const words &line) {
    if (w.timers.contains(word(line, 1))) {
        throw no_object();
    }
    void *made = w.api.zmq_timers_new();
    w.timers[line[1]].handle = made;
    return w.pointer_result(made);
}

// timer_add t0 30
std::string add(world &w, const words &line) {
    timers_object &entry = timers(w, line);
    const auto interval_ms = static_cast<std::size_t>(number_word(line, 2));
    const bool without_function = has_word(line, "nothing");
    return w.result(
        w.api.zmq_timers_add(entry.handle, interval_ms, without_function ? nullptr : note_timer, &entry));
}

std::string cancel(world &w, const words &line) {
    return w.result(w.api.zmq_timers_cancel(timers(w, line).handle, static_cast<int>(number_word(line, 2))));
}

std::string set_interval(world &w, const words &line) {
    return w.result(w.api.zmq_timers_set_interval(timers(w, line).handle,
                                                  static_cast<int>(number_word(line, 2)),
                                                  static_cast<std::size_t>(number_word(line, 3))));
}

std::string reset(world &w, const words &line) {
    return w.result(w.api.zmq_timers_reset(timers(w, line).handle, static_cast<int>(number_word(line, 2))));
}

// timer_timeout t0: -1, 0, or the interval in powers of ten
std::string timeout(world &w, const words &line) {
    const long left_ms = w.api.zmq_timers_timeout(timers(w, line).handle);
    if (left_ms == -1) {
        return w.result(-1);
    }
    return left_ms == 0        ? "0"
           : left_ms <= 100    ? "up to 100 ms"
           : left_ms <= 100000 ? "up to 100 s"
                               : "longer";
}

std::string execute(world &w, const words &line) {
    timers_object &entry = timers(w, line);
    entry.fired.clear();
    std::string text = w.result(w.api.zmq_timers_execute(entry.handle)) + " fired";
    for (const int id : entry.fired) {
        text += " " + std::to_string(id);
    }
    return text;
}

std::string destroy(world &w, const words &line) {
    void *handle = timers(w, line).handle;
    const std::string text = w.result(w.api.zmq_timers_destroy(&handle)) + (handle ? " kept" : " cleared");
    w.timers.erase(line[1]);
    return text;
}

constexpr command commands[] = {{"timers", make},           {"timer_add", add},
                                {"timer_cancel", cancel},   {"timer_interval", set_interval},
                                {"timer_reset", reset},     {"timer_timeout", timeout},
                                {"timer_execute", execute}, {"timers_destroy", destroy}};

} // namespace

std::span<const command> timer_commands() {
    return commands;
}
