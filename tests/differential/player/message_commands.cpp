// SPDX-License-Identifier: MPL-2.0
//
// The life of a zmq_msg_t. A message that was never made is no object; one that was closed may be closed
// again.
#include "commands.hpp"
#include "names.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> freed = 0;

void free_body(void *data, void *) {
    std::free(data);
    freed++;
}

message_object &fresh(world &w, const words &line) {
    message_object &entry = w.messages[word(line, 1)];
    if (entry.live) {
        throw no_object();
    }
    return entry;
}

message_object &live(world &w, const words &line, std::size_t index) {
    message_object &entry = find_in(w.messages, word(line, index));
    if (!entry.live) {
        throw no_object();
    }
    return entry;
}

void fill_body(world &w, zmq_msg_t *message) {
    const std::string bytes = make_content(w.messages_made++, 0, w.api.zmq_msg_size(message));
    std::memcpy(w.api.zmq_msg_data(message), bytes.data(), bytes.size());
}

// msg g0: empty
std::string init(world &w, const words &line) {
    message_object &entry = fresh(w, line);
    const int got = w.api.zmq_msg_init(&entry.message);
    entry.live = got == 0;
    return w.result(got);
}

// msg_size g0 40
std::string init_size(world &w, const words &line) {
    message_object &entry = fresh(w, line);
    const auto size = static_cast<std::size_t>(number_word(line, 2));
    const int got = w.api.zmq_msg_init_size(&entry.message, size);
    const std::string text = w.result(got);
    entry.live = got == 0;
    if (entry.live) {
        fill_body(w, &entry.message);
    }
    return text;
}

// msg_foreign g0 40: with zmq_msg_init_data
std::string init_data(world &w, const words &line) {
    message_object &entry = fresh(w, line);
    const auto size = static_cast<std::size_t>(number_word(line, 2));
    void *body = std::malloc(size + 1);
    const int got = w.api.zmq_msg_init_data(&entry.message, body, size, free_body, nullptr);
    const std::string text = w.result(got);
    entry.live = got == 0;
    if (entry.live) {
        fill_body(w, &entry.message);
    }
    return text;
}

std::string init_buffer(world &w, const words &line) {
    message_object &entry = fresh(w, line);
    const auto function = require(w.api.zmq_msg_init_buffer);
    const std::string bytes =
        make_content(w.messages_made++, 0, static_cast<std::size_t>(number_word(line, 2)));
    const int got = function(&entry.message, bytes.data(), bytes.size());
    entry.live = got == 0;
    return w.result(got);
}

std::string close_message(world &w, const words &line) {
    message_object &entry = find_in(w.messages, word(line, 1));
    const std::string text = w.result(w.api.zmq_msg_close(&entry.message));
    entry.live = false;
    return text;
}

std::string copy(world &w, const words &line) {
    return w.result(w.api.zmq_msg_copy(&live(w, line, 1).message, &live(w, line, 2).message));
}

std::string move(world &w, const words &line) {
    return w.result(w.api.zmq_msg_move(&live(w, line, 1).message, &live(w, line, 2).message));
}

std::string show(world &w, const words &line) {
    zmq_msg_t *message = &live(w, line, 1).message;
    const std::string bytes(static_cast<const char *>(w.api.zmq_msg_data(message)),
                            w.api.zmq_msg_size(message));
    return std::to_string(bytes.size()) + " " + w.describe_frame(bytes) + " more " +
           std::to_string(w.api.zmq_msg_more(message)) + " shared " +
           w.result(w.api.zmq_msg_get(message, ZMQ_SHARED));
}

// msg_get g0 1
std::string get(world &w, const words &line) {
    const int property = static_cast<int>(number_word(line, 2));
    const int got = w.api.zmq_msg_get(&live(w, line, 1).message, property);
    return property == ZMQ_SRCFD && got >= 0 ? "fd" : w.result(got);
}

std::string set(world &w, const words &line) {
    return w.result(w.api.zmq_msg_set(&live(w, line, 1).message, static_cast<int>(number_word(line, 2)),
                                      static_cast<int>(number_word(line, 3))));
}

// msg_gets g0 Peer-Address
std::string gets(world &w, const words &line) {
    zmq_msg_t *message = &live(w, line, 1).message;
    const char *text = w.api.zmq_msg_gets(message, unescape(word(line, 2)).c_str());
    return text ? "\"" + escape(w.where.mask(text)) + "\"" : w.pointer_result(text);
}

std::string send(world &w, const words &line) {
    zmq_msg_t *message = &live(w, line, 1).message;
    return w.result(w.api.zmq_msg_send(message, w.socket(word(line, 2)), flags_of(line)));
}

std::string receive(world &w, const words &line) {
    zmq_msg_t *message = &live(w, line, 1).message;
    return w.result(w.api.zmq_msg_recv(message, w.socket(word(line, 2)), flags_of(line)));
}

std::string group(world &w, const words &line) {
    const char *text = require(w.api.zmq_msg_group)(&live(w, line, 1).message);
    return text ? escape(text) : "NULL";
}

std::string set_group(world &w, const words &line) {
    const auto function = require(w.api.zmq_msg_set_group);
    return w.result(function(&live(w, line, 1).message, unescape(word(line, 2)).c_str()));
}

std::string routing_id(world &w, const words &line) {
    const std::uint32_t id = require(w.api.zmq_msg_routing_id)(&live(w, line, 1).message);
    return id ? w.describe_routing_id(id) : "0";
}

std::string set_routing_id(world &w, const words &line) {
    const auto function = require(w.api.zmq_msg_set_routing_id);
    return w.result(function(&live(w, line, 1).message, static_cast<std::uint32_t>(number_word(line, 2))));
}

// frees: how many bodies of zmq_msg_init_data were given back
std::string frees(world &, const words &) {
    return std::to_string(freed.load());
}

constexpr command commands[] = {{"msg", init},
                                {"msg_size", init_size},
                                {"msg_foreign", init_data},
                                {"msg_buffer", init_buffer},
                                {"msg_close", close_message},
                                {"msg_copy", copy},
                                {"msg_move", move},
                                {"msg_show", show},
                                {"msg_get", get},
                                {"msg_set", set},
                                {"msg_gets", gets},
                                {"msg_send", send},
                                {"msg_recv", receive},
                                {"msg_group", group},
                                {"msg_set_group", set_group},
                                {"msg_routing_id", routing_id},
                                {"msg_set_routing_id", set_routing_id},
                                {"frees", frees}};

} // namespace

std::span<const command> message_commands() {
    return commands;
}
