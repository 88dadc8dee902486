// SPDX-License-Identifier: MPL-2.0
//
// Contexts, waiting, and functions that need no object.
#include "books.hpp"
#include "commands.hpp"
#include "names.hpp"

#include <cstring>

namespace {

constexpr int rounds_of_settling = 3;

int context_option_word(const words &line, std::size_t index) {
    const auto option = context_option(word(line, index));
    if (!option) {
        throw bad_line();
    }
    return *option;
}

// ctx c0
std::string make_context(world &w, const words &line) {
    if (w.contexts.contains(word(line, 1))) {
        throw no_object();
    }
    void *made = w.api.zmq_ctx_new();
    if (made) {
        w.contexts[line[1]] = made;
    }
    return w.pointer_result(made);
}

// ctx_set c0 IO_THREADS 2
std::string set_context(world &w, const words &line) {
    return w.result(w.api.zmq_ctx_set(w.context(word(line, 1)), context_option_word(line, 2),
                                      static_cast<int>(number_word(line, 3))));
}

// ctx_get c0 IO_THREADS
std::string get_context(world &w, const words &line) {
    return w.result(w.api.zmq_ctx_get(w.context(word(line, 1)), context_option_word(line, 2)));
}

// ctx_set_ext c0 THREAD_NAME_PREFIX text abc; or a size and a number
std::string set_context_ext(world &w, const words &line) {
    void *context = w.context(word(line, 1));
    const int option = context_option_word(line, 2);
    const auto function = require(w.api.zmq_ctx_set_ext);
    if (word(line, 3) == "text") {
        const std::string text = line.size() > 4 ? unescape(line[4]) : "";
        return w.result(function(context, option, text.data(), text.size()));
    }
    const int value = static_cast<int>(number_word(line, 4));
    char bytes[16] = {};
    std::memcpy(bytes, &value, sizeof value);
    const auto size = static_cast<std::size_t>(number_word(line, 3));
    return w.result(function(context, option, bytes, size < sizeof bytes ? size : sizeof bytes));
}

// ctx_get_ext c0 THREAD_NAME_PREFIX 20
std::string get_context_ext(world &w, const words &line) {
    void *context = w.context(word(line, 1));
    const auto function = require(w.api.zmq_ctx_get_ext);
    std::string bytes(static_cast<std::size_t>(number_word(line, 3)), '\0');
    std::size_t size = bytes.size();
    const int got = function(context, context_option_word(line, 2), bytes.data(), &size);
    const std::string text = w.result(got);
    return got == -1 ? text : text + " size " + std::to_string(size) + " " + escape(bytes.substr(0, size));
}

// shutdown c0
std::string shut_down(world &w, const words &line) {
    return w.result(w.api.zmq_ctx_shutdown(w.context(word(line, 1))));
}

// term c0: sockets that are open keep the call from returning
std::string terminate(world &w, const words &line) {
    void *context = w.context(word(line, 1));
    const int got = w.api.zmq_ctx_term(context);
    const std::string text = w.result(got);
    if (got == 0) {
        w.contexts.erase(line[1]);
    }
    return text;
}

// settle 3: lets the library do what it has to do, and every socket take notice
std::string settle(world &w, const words &line) {
    const long duration_ms = static_cast<long>(number_word(line, 1));
    for (int round = 0; round < rounds_of_settling; round++) {
        pause_ms(duration_ms / rounds_of_settling);
        for (const auto &[name, socket] : w.sockets) {
            int events = 0;
            std::size_t size = sizeof events;
            w.api.zmq_getsockopt(socket.handle, ZMQ_EVENTS, &events, &size);
        }
    }
    return "ok";
}

std::string sleep_for(world &, const words &line) {
    pause_ms(static_cast<long>(number_word(line, 1)));
    return "ok";
}

// has curve
std::string has(world &w, const words &line) {
    return w.result(w.api.zmq_has(unescape(word(line, 1)).c_str()));
}

std::string strerror_of(world &w, const words &line) {
    const char *text = w.api.zmq_strerror(static_cast<int>(number_word(line, 1)));
    return text ? escape(text) : "NULL";
}

// z85_encode some%20bytes
std::string encode(world &w, const words &line) {
    const std::string bytes = line.size() > 1 ? unescape(line[1]) : "";
    std::string text(bytes.size() * 5 / 4 + 6, '\0');
    const char *made =
        w.api.zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
    return made ? escape(made) : w.pointer_result(made);
}

// z85_decode some text
std::string decode(world &w, const words &line) {
    const std::string text = line.size() > 1 ? unescape(line[1]) : "";
    std::string bytes(text.size() + 5, '\0');
    const auto *made = w.api.zmq_z85_decode(reinterpret_cast<std::uint8_t *>(bytes.data()), text.c_str());
    return made ? escape(bytes.substr(0, text.size() / 5 * 4)) : w.pointer_result(made);
}

// curve_public <secret key as Z85>
std::string public_key(world &w, const words &line) {
    char key[41] = {};
    const int got = w.api.zmq_curve_public(key, unescape(word(line, 1)).c_str());
    return w.result(got) + (got == 0 ? " " + escape(key) : "");
}

// curve_keypair: do the two keys fit?
std::string key_pair(world &w, const words &) {
    char key[41] = {};
    char secret[41] = {};
    char derived[41] = {};
    const std::string text = w.result(w.api.zmq_curve_keypair(key, secret));
    w.api.zmq_curve_public(derived, secret);
    return text + (std::string(key) == derived ? " a pair of " : " no pair of ") +
           std::to_string(std::string(key).size());
}

std::string make_counter(world &w, const words &line) {
    void *made = w.api.zmq_atomic_counter_new();
    if (made && !w.counters.emplace(word(line, 1), made).second) {
        w.api.zmq_atomic_counter_destroy(&made);
        throw no_object();
    }
    return w.pointer_result(made);
}

// counter_do k0 set 4; inc, dec, value
std::string use_counter(world &w, const words &line) {
    void *counter = find_in(w.counters, word(line, 1));
    const std::string &what = word(line, 2);
    if (what == "set") {
        w.api.zmq_atomic_counter_set(counter, static_cast<int>(number_word(line, 3)));
        return "ok";
    }
    if (what == "inc") {
        return std::to_string(w.api.zmq_atomic_counter_inc(counter));
    }
    if (what == "dec") {
        return std::to_string(w.api.zmq_atomic_counter_dec(counter));
    }
    return std::to_string(w.api.zmq_atomic_counter_value(counter));
}

std::string books(world &w, const words &) {
    return state_of_books(w);
}

constexpr command commands[] = {{"ctx", make_context},
                                {"ctx_set", set_context},
                                {"ctx_get", get_context},
                                {"ctx_set_ext", set_context_ext},
                                {"ctx_get_ext", get_context_ext},
                                {"shutdown", shut_down},
                                {"term", terminate},
                                {"settle", settle},
                                {"sleep", sleep_for},
                                {"has", has},
                                {"strerror", strerror_of},
                                {"z85_encode", encode},
                                {"z85_decode", decode},
                                {"curve_public", public_key},
                                {"curve_keypair", key_pair},
                                {"books", books},
                                {"counter", make_counter},
                                {"counter_do", use_counter}};

} // namespace

std::span<const command> context_commands() {
    return commands;
}
