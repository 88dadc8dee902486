// SPDX-License-Identifier: MPL-2.0
#include "common/messaging.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <thread>
#include <utility>
#include <zmq.h>

#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct advice {
    int error;
    const char *text;
};

constexpr advice advices[] = {
    {EADDRINUSE,
     "the address is in use: stop the program that has it (ss -tlnp, ss -xlp) or take another one"},
    {EADDRNOTAVAIL,
     "no interface of this machine has that address: \"ip address\" lists them, * stands for all"},
    {EPROTONOSUPPORT,
     "the transport is unknown: write tcp://HOST:PORT, ipc://PATH, tls://HOST:PORT or ws://HOST:PORT"},
    {ENOCOMPATPROTO, "this socket type does not work over that transport"},
    {EINVAL, "the endpoint is not well formed: write tcp://HOST:PORT, ipc://PATH or inproc://NAME"},
    {ENODEV, "there is no such address or interface: \"ip address\" lists them, * stands for all"},
    {EACCES,
     "permission denied: ports below 1024 are for root, and a path needs a directory that you may write"},
    {ENOENT, "the directory of the path does not exist: make it first"},
    {ENAMETOOLONG, "the path is too long: a path of ipc has at most 107 bytes"},
    {EMFILE, "no file descriptors are left: raise the limit with \"ulimit -n\" (zlink info shows it)"},
};

// For tls:// and wss://.
constexpr advice tls_advices[] = {
    {EINVAL,
     "who binds there needs --tls-cert FILE and --tls-key FILE, and who connects needs somebody to trust "
     "(--tls-ca FILE); or the endpoint is not HOST:PORT"},
    {EKEYREJECTED, "--tls-key belongs to another certificate than --tls-cert"},
    {EPERM, "the key of --tls-key is encrypted: give its password with --tls-key-password"},
};

template <std::size_t size> const char *advice_for(const advice (&rows)[size], int error) {
    for (const advice &row : rows)
        if (row.error == error)
            return row.text;
    return nullptr;
}

[[noreturn]] void fail_with_endpoint(const char *act, const std::string &endpoint) {
    const int error = zmq_errno();
    const bool is_tls = endpoint.starts_with("tls://") || endpoint.starts_with("wss://");
    const char *text = is_tls ? advice_for(tls_advices, error) : nullptr;
    if (text == nullptr)
        text = advice_for(advices, error);
    throw failure(concat("cannot ", act, " ", endpoint, ": ", text != nullptr ? text : zmq_strerror(error)));
}

// After a signal, for sockets whose linger is shorter.
constexpr int grace_ms = 1000;

// EFSM: it is not the socket's turn.
bool would_wait(int error) {
    return error == EAGAIN || error == EINTR || error == EFSM;
}

} // namespace

const std::vector<socket_type> &socket_types() {
    static const std::vector<socket_type> rows{
        {"PAIR", ZMQ_PAIR, true, true},        {"PUB", ZMQ_PUB, true, false},
        {"SUB", ZMQ_SUB, false, true},         {"REQ", ZMQ_REQ, true, true},
        {"REP", ZMQ_REP, true, true},          {"DEALER", ZMQ_DEALER, true, true},
        {"ROUTER", ZMQ_ROUTER, true, true},    {"PULL", ZMQ_PULL, false, true},
        {"PUSH", ZMQ_PUSH, true, false},       {"XPUB", ZMQ_XPUB, true, true},
        {"XSUB", ZMQ_XSUB, true, true},        {"STREAM", ZMQ_STREAM, true, true},
        {"CLIENT", ZMQ_CLIENT, true, true},    {"SERVER", ZMQ_SERVER, true, true},
        {"PEER", ZMQ_PEER, true, true},        {"CHANNEL", ZMQ_CHANNEL, true, true},
        {"RADIO", ZMQ_RADIO, true, false},     {"DISH", ZMQ_DISH, false, true},
        {"SCATTER", ZMQ_SCATTER, true, false}, {"GATHER", ZMQ_GATHER, false, true},
        {"DGRAM", ZMQ_DGRAM, true, true},
    };
    return rows;
}

std::vector<std::string> socket_type_names() {
    std::vector<std::string> names;
    for (const auto &row : socket_types())
        names.emplace_back(row.name);
    return names;
}

const socket_type &find_socket_type(std::string_view name) {
    const std::string text(name);
    for (const auto &row : socket_types())
        if (strcasecmp(row.name, text.c_str()) == 0)
            return row;
    throw failure(concat("\"", name, "\" is no socket type"), status_usage);
}

// The library looks at a port when it connects, and goes on trying.
void check_port(const std::string &endpoint) {
    const auto scheme = endpoint.find("://");
    if (scheme == endpoint.npos || endpoint.starts_with("ipc:") || endpoint.starts_with("inproc:"))
        return;
    const std::string address = endpoint.substr(0, endpoint.find('/', scheme + 3));
    const std::string port = address.substr(address.rfind(':') + 1);
    if (port.empty() || port.find_first_not_of("0123456789") != port.npos)
        return; // the library says what is wrong
    constexpr unsigned long most = 65535;
    if (const auto number = std::strtoul(port.c_str(), nullptr, 10); number == 0 || number > most)
        throw failure(concat("cannot connect to ", endpoint, ": the port is a number from 1 to ", most));
}

void fail_with_errno(const std::string &act) {
    throw failure(concat("cannot ", act, ": ", zmq_strerror(zmq_errno())));
}

context::context() : handle_(zmq_ctx_new()) {
    if (handle_ == nullptr)
        fail_with_errno("make a context");
}

// Reached without end() after a failure. What was not sent is not waited for: the process ends.
context::~context() {
    if (handle_ != nullptr)
        zmq_ctx_shutdown(handle_);
}

// The thread is left behind if a signal comes first.
bool context::end() {
    const int done = eventfd(0, EFD_CLOEXEC);
    std::thread([handle = std::exchange(handle_, nullptr), done] {
        while (zmq_ctx_term(handle) != 0 && zmq_errno() == EINTR) {
        }
        eventfd_write(done, 1);
    }).detach();
    pollfd items[] = {{done, POLLIN, 0}, {stop_signal::descriptor(), POLLIN, 0}};
    const bool is_stopped = stop_signal::came();
    while (poll(items, is_stopped ? 1 : 2, is_stopped ? grace_ms : -1) < 0 && errno == EINTR) {
    }
    return items[0].revents != 0;
}

socket::socket(context &owner, int type) : type_(type), handle_(zmq_socket(owner.handle(), type)) {
    if (handle_ == nullptr)
        fail_with_errno("make a socket");
}

socket::~socket() {
    close();
}

void socket::close() {
    if (handle_ != nullptr)
        zmq_close(handle_);
    handle_ = nullptr;
}

void socket::set(int option, int value, const char *name) {
    if (zmq_setsockopt(handle_, option, &value, sizeof value) != 0)
        fail_with_errno(concat("set ", name, " to ", value));
}

void socket::set(int option, std::string_view value, const char *name) {
    if (zmq_setsockopt(handle_, option, value.data(), value.size()) != 0)
        fail_with_errno(concat("set ", name));
}

int socket::get(int option) const {
    int value = 0;
    std::size_t size = sizeof value;
    if (zmq_getsockopt(handle_, option, &value, &size) != 0)
        fail_with_errno("read an option of the socket");
    return value;
}

std::string socket::last_endpoint() const {
    std::array<char, 1024> text{};
    std::size_t size = text.size();
    if (zmq_getsockopt(handle_, ZMQ_LAST_ENDPOINT, text.data(), &size) != 0)
        fail_with_errno("read the endpoint of the socket");
    return text.data();
}

void socket::bind(const std::string &endpoint) {
    if (zmq_bind(handle_, endpoint.c_str()) != 0)
        fail_with_endpoint("bind", endpoint);
}

void socket::connect(const std::string &endpoint) {
    check_port(endpoint);
    if (zmq_connect(handle_, endpoint.c_str()) != 0)
        fail_with_endpoint("connect to", endpoint);
}

std::uint32_t socket::connect_peer(const std::string &endpoint) {
    check_port(endpoint);
    const std::uint32_t number = zmq_connect_peer(handle_, endpoint.c_str());
    if (number == 0)
        fail_with_endpoint("connect to", endpoint);
    return number;
}

void socket::subscribe(const std::string &topic) {
    if (type_ != ZMQ_DISH)
        set(ZMQ_SUBSCRIBE, topic, "the subscription");
    else if (zmq_join(handle_, topic.c_str()) != 0)
        fail_with_errno(concat("join the group \"", printable(topic), "\" (at most 255 bytes, each once)"));
}

bool socket::receive(message &into) {
    into.clear();
    zmq_msg_t frame;
    bool more = true;
    while (more) {
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, handle_, into.empty() ? ZMQ_DONTWAIT : 0) < 0) {
            zmq_msg_close(&frame);
            if (into.empty() && would_wait(zmq_errno()))
                return false;
            if (zmq_errno() == EINTR)
                continue;
            fail_with_errno("receive");
        }
        into.emplace_back(static_cast<const char *>(zmq_msg_data(&frame)), zmq_msg_size(&frame));
        more = zmq_msg_more(&frame) != 0;
        if (!more)
            add_address(frame, into);
        zmq_msg_close(&frame);
    }
    return true;
}

void socket::add_address(zmq_msg_t &last, message &frames) const {
    if (type_ == ZMQ_SERVER || type_ == ZMQ_PEER)
        frames.insert(frames.begin(), std::to_string(zmq_msg_routing_id(&last)));
    if (type_ == ZMQ_DISH)
        frames.insert(frames.begin(), zmq_msg_group(&last));
}

bool socket::send_addressed(const message &frames) {
    if (frames.size() != 2)
        throw failure(
            type_ == ZMQ_RADIO
                ? "a message of RADIO is a group and one frame: give the group with --topic, or two frames"
                : "a message of SERVER and PEER is the number of the peer and one frame");
    zmq_msg_t one;
    if (zmq_msg_init_buffer(&one, frames[1].data(), frames[1].size()) != 0)
        fail_with_errno("make a message");
    const bool is_named =
        type_ == ZMQ_RADIO
            ? zmq_msg_set_group(&one, frames[0].c_str()) == 0
            : zmq_msg_set_routing_id(
                  &one, static_cast<std::uint32_t>(std::strtoul(frames[0].c_str(), nullptr, 10))) == 0;
    const bool is_sent = is_named && zmq_msg_send(&one, handle_, ZMQ_DONTWAIT) >= 0;
    const int error = zmq_errno();
    zmq_msg_close(&one);
    if (!is_named)
        throw failure(concat("\"", printable(frames[0]), "\" is no ",
                             type_ == ZMQ_RADIO ? "group (at most 255 bytes)" : "number of a peer"));
    if (!is_sent && error == EHOSTUNREACH)
        throw failure("cannot send: no peer has that number (the first frame)");
    if (!is_sent && !would_wait(error))
        fail_with_errno("send");
    return is_sent;
}

bool socket::send(const message &frames) {
    if (type_ == ZMQ_SERVER || type_ == ZMQ_PEER || type_ == ZMQ_RADIO)
        return send_addressed(frames);
    for (std::size_t index = 0; index < frames.size(); ++index) {
        const auto &frame = frames[index];
        const int more = index + 1 < frames.size() ? ZMQ_SNDMORE : 0;
        while (zmq_send(handle_, frame.data(), frame.size(), more | (index == 0 ? ZMQ_DONTWAIT : 0)) < 0) {
            if (index == 0 && would_wait(zmq_errno()))
                return false;
            if (zmq_errno() == EHOSTUNREACH)
                throw failure("cannot send: no peer has that routing id (the first frame)");
            if (zmq_errno() != EINTR)
                fail_with_errno("send");
        }
    }
    return true;
}

} // namespace cli
