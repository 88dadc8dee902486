// SPDX-License-Identifier: MPL-2.0
//
// Authenticators, proxies, and bare tcp connections that speak no ZMTP.
#include "helpers.hpp"

#include "commands.hpp"
#include "names.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace {

constexpr int first_port = 5000;
constexpr int bare_wait_ms = 60;

// Answers requests of ZAP (RFC 27) with one status, until the context ends.
class authenticator : public helper_thread {
  public:
    authenticator(const world &w, void *context, std::string status)
        : api_(w.api), where_(w.where), status_(std::move(status)) {
        socket_ = api_.zmq_socket(context, ZMQ_REP);
        bound_ = api_.zmq_bind(socket_, "inproc://zeromq.zap.01");
        std::thread([this] { answer(); }).detach(); // it lives as long as the process of this script
    }
    int bound() const { return bound_; }
    std::string report() override {
        const std::lock_guard guard(mutex_);
        return requests_.empty() ? "nothing" : requests_;
    }

  private:
    bool receive(std::vector<std::string> &frames) {
        int more = 1;
        while (more) {
            zmq_msg_t message;
            api_.zmq_msg_init(&message);
            if (api_.zmq_msg_recv(&message, socket_, 0) == -1) {
                return false;
            }
            frames.emplace_back(static_cast<const char *>(api_.zmq_msg_data(&message)),
                                api_.zmq_msg_size(&message));
            more = api_.zmq_msg_more(&message);
            api_.zmq_msg_close(&message);
        }
        return true;
    }
    void note(const std::vector<std::string> &frames) {
        const std::lock_guard guard(mutex_);
        std::string text = "[";
        for (std::size_t i = 0; i < frames.size(); i++) {
            // The request's id is the library's own affair. The address over ipc has the process's number.
            const bool process = i == 3 && frames[i].find_first_not_of("0123456789:") == std::string::npos;
            text += (i ? "|" : "") + (i == 1 ? "id" : process ? "process" : escape(where_.mask(frames[i])));
        }
        requests_ += (requests_.empty() ? "" : " ") + text + "]";
    }
    void answer() {
        std::vector<std::string> frames;
        while (receive(frames)) {
            note(frames);
            const std::string id = frames.size() > 1 ? frames[1] : "";
            const std::string reply[] = {status_ == "version" ? "9.9" : "1.0",
                                         status_ == "id" ? "other" : id,
                                         status_ == "version" || status_ == "id" ? "200" : status_,
                                         "text",
                                         status_ == "200" ? "user" : "",
                                         ""};
            for (std::size_t i = 0; i < std::size(reply); i++) {
                api_.zmq_send(socket_, reply[i].data(), reply[i].size(),
                              i + 1 < std::size(reply) ? ZMQ_SNDMORE : 0);
            }
            frames.clear();
        }
        api_.zmq_close(socket_);
    }

    const api_table &api_;
    const places where_;
    const std::string status_;
    void *socket_ = nullptr;
    int bound_ = -1;
    std::mutex mutex_;
    std::string requests_;
};

// zap z0 c0 200: also 300, 400, 500, "version" and "id" for malformed replies
std::string start_authenticator(world &w, const words &line) {
    void *context = w.context(word(line, 2));
    if (w.helpers.contains(word(line, 1)) || !context) {
        throw no_object();
    }
    auto made = std::make_unique<authenticator>(w, context, word(line, 3));
    const std::string text = w.result(made->bound());
    w.helpers.emplace(line[1], std::move(made));
    return text;
}

std::string report(world &w, const words &line) {
    return find_in(w.helpers, word(line, 1))->report();
}

// Moves messages between two sockets that belong to the helper from now on.
class proxy : public helper_thread {
  public:
    proxy(const world &w, void *context, void *front, void *back, void *capture, const std::string &name)
        : api_(w.api) {
        control_ = api_.zmq_socket(context, ZMQ_PAIR);
        void *controlled = api_.zmq_socket(context, ZMQ_PAIR);
        const std::string endpoint = "inproc://proxy-" + name;
        api_.zmq_bind(controlled, endpoint.c_str());
        api_.zmq_connect(control_, endpoint.c_str());
        thread_ = std::thread([=, this] {
            const int got = api_.zmq_proxy_steerable(front, back, capture, controlled);
            ended_ = got == -1 ? "-1 " + errno_name(api_.zmq_errno()) : std::to_string(got);
            for (void *each : {front, back, capture, controlled}) {
                if (each) {
                    const int none = 0;
                    api_.zmq_setsockopt(each, ZMQ_LINGER, &none, sizeof none);
                    api_.zmq_close(each);
                }
            }
        });
    }
    ~proxy() override {
        if (thread_.joinable()) {
            thread_.detach();
        }
    }
    // After TERMINATE nobody listens, and the next order would wait for ever.
    bool listens() const { return listens_; }
    int tell(const std::string &order) {
        listens_ = order != "TERMINATE";
        return api_.zmq_send(control_, order.data(), order.size(), 0);
    }
    // Waits for the end of the proxy.
    std::string report() override {
        if (thread_.joinable()) {
            thread_.join();
            api_.zmq_close(control_);
        }
        return ended_;
    }

  private:
    const api_table &api_;
    void *control_ = nullptr;
    bool listens_ = true;
    std::thread thread_;
    std::string ended_;
};

// proxy x0 c0 s0 s1 [s2]
std::string start_proxy(world &w, const words &line) {
    void *context = w.context(word(line, 2));
    if (w.helpers.contains(word(line, 1)) || !context) {
        throw no_object();
    }
    void *front = w.socket_entry(word(line, 3)).handle;
    void *back = w.socket_entry(word(line, 4)).handle;
    void *capture = line.size() > 5 ? w.socket_entry(line[5]).handle : nullptr;
    for (std::size_t i = 3; i < line.size(); i++) {
        w.sockets.erase(line[i]);
    }
    w.helpers.emplace(line[1], std::make_unique<proxy>(w, context, front, back, capture, line[1]));
    return "ok";
}

// proxy_tell x0 PAUSE
std::string tell_proxy(world &w, const words &line) {
    auto *found = dynamic_cast<proxy *>(find_in(w.helpers, word(line, 1)).get());
    if (!found || !found->listens()) {
        throw no_object();
    }
    return w.result(found->tell(word(line, 2)));
}

// bare n0 tcp:1: a connection of the system, kept among the descriptors
std::string connect_bare(world &w, const words &line) {
    const std::string &token = word(line, 2);
    const auto index = token.starts_with("tcp:") ? number(token.substr(4)) : std::nullopt;
    if (!index || w.descriptors.contains(word(line, 1))) {
        throw no_object();
    }
    sockaddr_in target = {};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(first_port + *index));
    inet_pton(AF_INET, w.where.host().c_str(), &target.sin_addr);
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(made, reinterpret_cast<const sockaddr *>(&target), sizeof target) == -1) {
        close(made);
        return "refused";
    }
    w.descriptors[line[1]] = made;
    return "ok";
}

std::string send_bare(world &w, const words &line) {
    const int descriptor = find_in(w.descriptors, word(line, 1));
    const std::string bytes = line.size() > 2 ? unescape(line[2]) : "";
    return std::to_string(send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

// bare_recv n0: what came until nothing came for a while
std::string receive_bare(world &w, const words &line) {
    const int descriptor = find_in(w.descriptors, word(line, 1));
    std::string bytes;
    for (;;) {
        pollfd item = {descriptor, POLLIN, 0};
        char part[4096];
        const ssize_t got = poll(&item, 1, bare_wait_ms) > 0 ? recv(descriptor, part, sizeof part, 0) : -2;
        if (got <= 0) {
            return describe_bytes(bytes) + (got == 0 ? " end" : got == -1 ? " reset" : "");
        }
        bytes.append(part, static_cast<std::size_t>(got));
    }
}

std::string close_bare(world &w, const words &line) {
    close(find_in(w.descriptors, word(line, 1)));
    w.descriptors.erase(line[1]);
    return "ok";
}

constexpr command commands[] = {{"zap", start_authenticator}, {"report", report},
                                {"proxy", start_proxy},       {"proxy_tell", tell_proxy},
                                {"bare", connect_bare},       {"bare_send", send_bare},
                                {"bare_recv", receive_bare},  {"bare_close", close_bare}};

} // namespace

std::span<const command> helper_commands() {
    return commands;
}
