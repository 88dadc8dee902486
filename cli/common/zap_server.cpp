// SPDX-License-Identifier: MPL-2.0
#include "common/zap_server.hpp"

#include <array>
#include <zmq.h>

#include "common/output.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

enum request_frame { version, sequence, domain, address, identity, mechanism, credentials };

bool receive_all(void *from, message &into) {
    into.clear();
    zmq_msg_t frame;
    bool more = true;
    while (more) {
        zmq_msg_init(&frame);
        int size = zmq_msg_recv(&frame, from, 0);
        while (size < 0 && zmq_errno() == EINTR)
            size = zmq_msg_recv(&frame, from, 0);
        if (size < 0)
            return false;
        into.emplace_back(static_cast<const char *>(zmq_msg_data(&frame)), zmq_msg_size(&frame));
        more = zmq_msg_more(&frame) != 0;
        zmq_msg_close(&frame);
    }
    return true;
}

void send_all(void *to, const message &frames) {
    for (std::size_t index = 0; index < frames.size(); ++index)
        zmq_send(to, frames[index].data(), frames[index].size(), index + 1 < frames.size() ? ZMQ_SNDMORE : 0);
}

} // namespace

zap_server::~zap_server() {
    if (!thread_.joinable())
        return;
    // A context that is ending or has ended has no handle, and has interrupted the thread already.
    if (owner_->handle() != nullptr)
        zmq_ctx_shutdown(owner_->handle());
    thread_.join();
}

void zap_server::start(context &owner) {
    owner_ = &owner;
    socket_ = zmq_socket(owner.handle(), ZMQ_REP);
    if (socket_ == nullptr || zmq_bind(socket_, "inproc://zeromq.zap.01") != 0)
        fail_with_errno("start the authenticator");
    thread_ = std::thread([this] { answer_requests(); });
}

void zap_server::answer_requests() {
    message request;
    while (receive_all(socket_, request))
        send_all(socket_, answer(request));
    zmq_close(socket_);
}

message zap_server::answer(const message &request) const {
    const std::string number = request.size() > sequence ? request[sequence] : "";
    if (admits(request))
        return {"1.0", number, "200", "OK", request[mechanism] == "PLAIN" ? request[credentials] : "", ""};
    note(concat("refused a peer from ", request.size() > address ? request[address] : "an unknown address",
                ": its key or password is not allowed"));
    return {"1.0", number, "400", "not allowed", "", ""};
}

bool zap_server::admits(const message &request) const {
    if (request.size() <= credentials || request[version] != "1.0")
        return false;
    if (request[mechanism] == "PLAIN" && request.size() == credentials + 2) {
        const auto user = users_.find(request[credentials]);
        return user != users_.end() && user->second == request[credentials + 1];
    }
    if (request[mechanism] != "CURVE" || request[credentials].size() != 32)
        return false;
    std::array<char, 41> key{};
    zmq_z85_encode(key.data(), reinterpret_cast<const std::uint8_t *>(request[credentials].data()), 32);
    return keys_.contains(key.data());
}

} // namespace cli
