// SPDX-License-Identifier: MPL-2.0
//
// Sends and receives, by every function that the interface has for them.
#include "commands.hpp"
#include "names.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

constexpr std::size_t largest_frame = 1 << 18;
constexpr std::size_t most_vectors = 16;

// A zmq_msg_t that is closed at the end.
class owned_message {
  public:
    explicit owned_message(const api_table &api) : api_(api) { api_.zmq_msg_init(&message_); }
    owned_message(const api_table &api, const std::string &bytes) : api_(api) {
        api_.zmq_msg_init_size(&message_, bytes.size());
        std::memcpy(api_.zmq_msg_data(&message_), bytes.data(), bytes.size());
    }
    ~owned_message() { api_.zmq_msg_close(&message_); }
    owned_message(const owned_message &) = delete;
    owned_message &operator=(const owned_message &) = delete;
    zmq_msg_t *get() { return &message_; }
    std::string bytes() {
        return {static_cast<const char *>(api_.zmq_msg_data(&message_)), api_.zmq_msg_size(&message_)};
    }

  private:
    const api_table &api_;
    zmq_msg_t message_;
};

int send_frame(world &w, std::string_view how, void *socket, const std::string &bytes, int flags) {
    if (how == "send") {
        return w.api.zmq_send(socket, bytes.data(), bytes.size(), flags);
    }
    if (how == "csend") {
        // Constant data must outlive the message: the script's end frees it.
        auto *kept = new std::string(bytes);
        return w.api.zmq_send_const(socket, kept->data(), kept->size(), flags);
    }
    owned_message message(w.api, bytes);
    return how == "osend" ? w.api.zmq_sendmsg(socket, message.get(), flags)
                          : w.api.zmq_msg_send(message.get(), socket, flags);
}

// send s0 40,=text,@0 dontwait more: one message; csend, msend and osend use other functions
std::string send_message(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const words frames = split(word(line, 2), ',');
    const int flags = flags_of(line);
    const unsigned number_of_message = w.messages_made++;
    std::string text;
    for (std::size_t i = 0; i < frames.size(); i++) {
        const std::string bytes = w.frame_bytes(frames[i], number_of_message, i);
        const bool last = i + 1 == frames.size();
        const int sent = send_frame(w, line[0], socket, bytes, last ? flags : flags | ZMQ_SNDMORE);
        text += (i ? " " : "") + w.result(sent);
        if (sent == -1) {
            break;
        }
    }
    return text;
}

// send_null s0 4: no pointer, but a size
std::string send_null(world &w, const words &line) {
    const auto size = static_cast<std::size_t>(number_word(line, 2));
    return w.result(w.api.zmq_send(w.socket(word(line, 1)), nullptr, size, flags_of(line)));
}

// send_vector s0 40,7
std::string send_vector(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const words frames = split(word(line, 2), ',');
    const unsigned number_of_message = w.messages_made++;
    std::vector<std::string> bytes;
    for (std::size_t i = 0; i < frames.size(); i++) {
        bytes.push_back(w.frame_bytes(frames[i], number_of_message, i));
    }
    std::vector<iovec> vectors;
    for (std::string &each : bytes) {
        vectors.push_back({each.data(), each.size()});
    }
    return w.result(w.api.zmq_sendiov(socket, vectors.data(), vectors.size(), flags_of(line)));
}

// recv_vector s0 3
std::string receive_vector(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    iovec vectors[most_vectors] = {};
    std::size_t count = static_cast<std::size_t>(number_word(line, 2)) % most_vectors;
    const int got = w.api.zmq_recviov(socket, vectors, &count, flags_of(line));
    std::string text = w.result(got) + " count " + std::to_string(count);
    for (std::size_t i = 0; got != -1 && i < count && i < most_vectors; i++) {
        text += " " + w.describe_frame({static_cast<const char *>(vectors[i].iov_base), vectors[i].iov_len});
        std::free(vectors[i].iov_base);
    }
    return text;
}

// Facts that a message of the draft types carries beside its body.
std::string envelope(world &w, zmq_msg_t *message, socket_object *entry) {
    std::string text;
    if (w.api.zmq_msg_routing_id) {
        if (const std::uint32_t id = w.api.zmq_msg_routing_id(message)) {
            text += w.describe_routing_id(id) + " ";
            if (entry) {
                entry->last_routing_id = id;
            }
        }
    }
    if (w.api.zmq_msg_group) {
        if (const char *group = w.api.zmq_msg_group(message); group && *group) {
            text += "group " + escape(group) + " ";
        }
    }
    return text;
}

// One whole message as "[frame|frame]". Returns false if there was none.
bool receive_whole(world &w, void *socket, socket_object *entry, int flags, bool old, std::string &text) {
    std::vector<std::string> frames;
    for (;;) {
        owned_message message(w.api);
        const int got = old ? w.api.zmq_recvmsg(socket, message.get(), flags)
                            : w.api.zmq_msg_recv(message.get(), socket, flags);
        text += frames.empty() ? (got == -1 ? "" : "[") : "|";
        if (got == -1) {
            text += w.result(got);
            return false;
        }
        const std::string bytes = message.bytes();
        text += envelope(w, message.get(), entry) + w.describe_frame(bytes);
        if (static_cast<std::size_t>(got) != bytes.size()) {
            text += " but " + std::to_string(got) + " returned";
        }
        frames.push_back(bytes);
        if (!w.api.zmq_msg_more(message.get())) {
            text += "]";
            if (entry) {
                entry->last_message = std::move(frames);
            }
            return true;
        }
    }
}

socket_object *entry_of(world &w, const std::string &name) {
    const auto found = w.sockets.find(name);
    return found == w.sockets.end() ? nullptr : &found->second;
}

// recv s0 dontwait: one message; orecv uses zmq_recvmsg
std::string receive(world &w, const words &line) {
    std::string text;
    receive_whole(w, w.socket(word(line, 1)), entry_of(w, line[1]), flags_of(line), line[0] == "orecv", text);
    return text;
}

// recvall s0 10: up to 10 messages, without waiting; recvall s0 10 wait: as long as ZMQ_RCVTIMEO for each
std::string receive_all(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const long long limit = number_word(line, 2);
    const int flags = has_word(line, "wait") ? 0 : ZMQ_DONTWAIT;
    std::string text;
    for (long long i = 0; i < limit; i++) {
        text += i ? " " : "";
        if (!receive_whole(w, socket, entry_of(w, line[1]), flags, false, text)) {
            break;
        }
    }
    return text;
}

// recv1 s0 16 dontwait: one frame into a buffer of 16 bytes
std::string receive_frame(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const auto room = static_cast<std::size_t>(number_word(line, 2));
    if (room > largest_frame) {
        throw bad_line();
    }
    std::string bytes(room + 16, '\x5a');
    const int got = w.api.zmq_recv(socket, bytes.data(), room, flags_of(line));
    std::string text = w.result(got);
    if (got == -1) {
        return text;
    }
    int more = 0;
    std::size_t size = sizeof more;
    w.api.zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
    const std::size_t kept = std::min(room, static_cast<std::size_t>(got));
    const std::string_view shown = std::string_view(bytes).substr(0, kept);
    const bool hidden = more != 0 && is_part_of_id(shown, static_cast<std::size_t>(got));
    text += " " + (hidden ? "<part>" : w.describe_frame(shown)) + (more ? " more" : "");
    return bytes.substr(kept) == std::string(bytes.size() - kept, '\x5a') ? text
                                                                          : text + " wrote behind the frame";
}

// fill s0 100 20: messages of 20 bytes, without waiting, until one is refused or 100 are sent
std::string fill(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const long long limit = number_word(line, 2);
    for (long long i = 0; i < limit; i++) {
        const std::string bytes = w.frame_bytes(word(line, 3), w.messages_made++, 0);
        const int sent = w.api.zmq_send(socket, bytes.data(), bytes.size(), ZMQ_DONTWAIT);
        if (sent == -1) {
            return std::to_string(i) + " and then " + w.result(sent);
        }
    }
    return std::to_string(limit);
}

// reply s0 40: to the peer that the last message of the socket came from, with its envelope
std::string reply(world &w, const words &line) {
    socket_object &entry = w.socket_entry(word(line, 1));
    const std::string bytes = w.frame_bytes(word(line, 2), w.messages_made++, 0);
    std::string text;
    std::size_t envelope_size = entry.last_message.size() > 1 ? 1 : 0;
    if (entry.last_message.size() > 2 && entry.last_message[1].empty()) {
        envelope_size = 2;
    }
    for (std::size_t i = 0; i < envelope_size; i++) {
        const std::string &frame = entry.last_message[i];
        const int sent =
            w.api.zmq_send(entry.handle, frame.data(), frame.size(), ZMQ_SNDMORE | flags_of(line));
        text += w.result(sent) + " ";
        if (sent == -1) {
            return text;
        }
    }
    owned_message message(w.api, bytes);
    if (entry.last_routing_id && w.api.zmq_msg_set_routing_id) {
        text += w.result(w.api.zmq_msg_set_routing_id(message.get(), entry.last_routing_id)) + " ";
    }
    return text + w.result(w.api.zmq_msg_send(message.get(), entry.handle, flags_of(line)));
}

// gsend s0 A 40: to the group A
std::string send_to_group(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const auto set_group = require(w.api.zmq_msg_set_group);
    owned_message message(w.api, w.frame_bytes(word(line, 3), w.messages_made++, 0));
    const std::string text = w.result(set_group(message.get(), unescape(word(line, 2)).c_str()));
    return text + " " + w.result(w.api.zmq_msg_send(message.get(), socket, flags_of(line)));
}

// psend s0 0 40: to the peer with the routing id that was met first
std::string send_to_peer(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const auto set_id = require(w.api.zmq_msg_set_routing_id);
    const auto place = static_cast<std::size_t>(number_word(line, 2));
    const std::uint32_t id = place < w.routing_ids.size() ? w.routing_ids[place] : 1;
    owned_message message(w.api, w.frame_bytes(word(line, 3), w.messages_made++, 0));
    const std::string text = w.result(set_id(message.get(), id));
    return text + " " + w.result(w.api.zmq_msg_send(message.get(), socket, flags_of(line)));
}

constexpr command commands[] = {{"send", send_message},
                                {"csend", send_message},
                                {"msend", send_message},
                                {"osend", send_message},
                                {"send_null", send_null},
                                {"send_vector", send_vector},
                                {"recv_vector", receive_vector},
                                {"recv", receive},
                                {"orecv", receive},
                                {"recvall", receive_all},
                                {"recv1", receive_frame},
                                {"fill", fill},
                                {"reply", reply},
                                {"gsend", send_to_group},
                                {"psend", send_to_peer}};

} // namespace

std::span<const command> traffic_commands() {
    return commands;
}
