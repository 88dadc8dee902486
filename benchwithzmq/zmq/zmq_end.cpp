// SPDX-License-Identifier: MPL-2.0
#include "zmq/zmq_end.hpp"

#include "common/certificate.hpp"
#include "common/fail.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>

namespace bench {
namespace {

// Two pairs of keys, made for this once with zmq_curve_keypair(); they protect nothing.
constexpr std::string_view server_public_key = ".71ZT!Wi@g6Tza9{A:TY&6dtFj^DCGI{7cDh@WFN";
constexpr std::string_view server_secret_key = "8xTVA2C&h]5[UzjoDK}uP)A=1[8Z!1d5BJ1tAHK4";
constexpr std::string_view client_public_key = "!MID.UdMd(+}[Lbk(MUZEMgzOh6]0B3aCMFe(cr&";
constexpr std::string_view client_secret_key = "J.oJy8uG@Xa(.1#c7MVl)DFfveJ8Tk2N5kMyz$^w";

// Options of zlink (zlink/options.h). The header of another library lacks them.
constexpr int tls_certificate = 10020;
constexpr int tls_key = 10021;
constexpr int tls_authorities = 10023;

} // namespace

zmq_context::zmq_context(const settings &wanted) : handle_(zmq_ctx_new()) {
    if (handle_ == nullptr || zmq_ctx_set(handle_, ZMQ_IO_THREADS, wanted.io_threads) != 0)
        fail("no context with %d I/O threads: %s", wanted.io_threads, zmq_strerror(zmq_errno()));
}

zmq_context::~zmq_context() {
    while (zmq_ctx_term(handle_) != 0) {
        if (zmq_errno() != EINTR)
            fail("zmq_ctx_term: %s", zmq_strerror(zmq_errno()));
    }
}

zmq_end::zmq_end(const zmq_context &context, const end_row &row, const settings &wanted, pace how)
    : socket_(zmq_socket(context.get(), row.socket_type)), row_(row), wanted_(wanted), pace_(how) {
    if (socket_ == nullptr)
        fail_call("zmq_socket");
    set_high_water_mark(ZMQ_SNDHWM, wanted.high_water_mark);
    set_high_water_mark(ZMQ_RCVHWM, wanted.high_water_mark);
    set_int(ZMQ_LINGER, 0);
    if (wanted.send_buffer_bytes >= 0)
        set_int(ZMQ_SNDBUF, wanted.send_buffer_bytes);
    if (wanted.receive_buffer_bytes >= 0)
        set_int(ZMQ_RCVBUF, wanted.receive_buffer_bytes);
    if (!row.own_id.empty())
        set_option(ZMQ_ROUTING_ID, row.own_id.data(), row.own_id.size());
    // Without it a ROUTER silently drops what it cannot send.
    if (row.socket_type == ZMQ_ROUTER)
        set_int(ZMQ_ROUTER_MANDATORY, 1);
    if (row.socket_type == ZMQ_SUB)
        set_option(ZMQ_SUBSCRIBE, "", 0);
}

zmq_end::~zmq_end() {
    if (zmq_close(socket_) != 0)
        fail_call("zmq_close");
}

void zmq_end::be_curve_server() {
    set_int(ZMQ_CURVE_SERVER, 1);
    set_option(ZMQ_CURVE_SECRETKEY, server_secret_key.data(), server_secret_key.size());
}

void zmq_end::be_curve_client() {
    set_option(ZMQ_CURVE_SERVERKEY, server_public_key.data(), server_public_key.size());
    set_option(ZMQ_CURVE_PUBLICKEY, client_public_key.data(), client_public_key.size());
    set_option(ZMQ_CURVE_SECRETKEY, client_secret_key.data(), client_secret_key.size());
}

void zmq_end::be_tls_server() {
    const certificate &own = own_certificate();
    set_option(tls_certificate, own.chain_pem.data(), own.chain_pem.size());
    set_option(tls_key, own.key_pem.data(), own.key_pem.size());
}

void zmq_end::be_tls_client() {
    const std::string &trusted = own_certificate().chain_pem;
    set_option(tls_authorities, trusted.data(), trusted.size());
}

std::string zmq_end::bind(const std::string &endpoint) {
    if (wanted_.secured_by == mechanism::curve)
        be_curve_server();
    if (wanted_.over_tls())
        be_tls_server();
    if (zmq_bind(socket_, endpoint.c_str()) != 0)
        fail("zmq_bind to %s: %s", endpoint.c_str(), zmq_strerror(zmq_errno()));
    char resolved[256];
    std::size_t size = sizeof resolved;
    if (zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, resolved, &size) != 0)
        fail_call("zmq_getsockopt(ZMQ_LAST_ENDPOINT)");
    return resolved;
}

void zmq_end::connect(const std::string &endpoint) {
    if (wanted_.secured_by == mechanism::curve)
        be_curve_client();
    if (wanted_.over_tls())
        be_tls_client();
    if (zmq_connect(socket_, endpoint.c_str()) != 0)
        fail("zmq_connect to %s: %s", endpoint.c_str(), zmq_strerror(zmq_errno()));
}

bool zmq_end::offer(const body &message) {
    const bool taken =
        (row_.peer_id.empty() ||
         zmq_send(socket_, row_.peer_id.data(), row_.peer_id.size(), ZMQ_SNDMORE) >= 0) &&
        zmq_send(socket_, message.data(), message.size(), 0) == static_cast<int>(message.size());
    // libzmq refuses the routing id of somebody unknown, a peer may refuse the whole message.
    if (!taken && (row_.peer_id.empty() || zmq_errno() != EHOSTUNREACH))
        fail_call("zmq_send of the first message");
    return taken;
}

void zmq_end::send_id() {
    if (zmq_send(socket_, row_.peer_id.data(), row_.peer_id.size(), ZMQ_SNDMORE) < 0)
        fail_call("zmq_send of the routing id");
}

bool zmq_end::receive_id(int flags) {
    const int size = zmq_recv(socket_, id_.data(), id_.size(), flags);
    return size == static_cast<int>(row_.peer_id.size()) ||
           check_nothing_there(size, row_.peer_id.size(), flags);
}

void zmq_end::check_id() {
    if (std::memcmp(id_.data(), row_.peer_id.data(), row_.peer_id.size()) != 0)
        fail("a message came from another routing id");
}

bool zmq_end::check_nothing_there(int received, std::size_t due, int flags) {
    if (received >= 0)
        fail("a frame of %d bytes arrived where one of %zu was due", received, due);
    if (zmq_errno() != EAGAIN || (flags & ZMQ_DONTWAIT) == 0)
        fail_call("zmq_recv");
    return false;
}

void zmq_end::receive_polled(body &message) {
    for (;;) {
        if (!readable_) {
            zmq_pollitem_t item{socket_, 0, ZMQ_POLLIN, 0};
            if (zmq_poll(&item, 1, -1) != 1 || item.revents != ZMQ_POLLIN)
                fail_call("zmq_poll");
        }
        const bool got = receive_message(message, ZMQ_DONTWAIT);
        // In lock-step a second message cannot be there: asking for it would only measure the question.
        readable_ = got && pace_ == pace::streaming;
        if (got)
            return;
    }
}

void zmq_end::check_last_frame() {
    int more = 0;
    std::size_t size = sizeof more;
    if (zmq_getsockopt(socket_, ZMQ_RCVMORE, &more, &size) != 0)
        fail_call("zmq_getsockopt(ZMQ_RCVMORE)");
    if (more != 0)
        fail("a message has frames after its body");
}

void zmq_end::set_option(int option, const void *value, std::size_t size) {
    if (zmq_setsockopt(socket_, option, value, size) != 0)
        fail("zmq_setsockopt of option %d: %s", option, zmq_strerror(zmq_errno()));
}

void zmq_end::set_int(int option, int value) {
    set_option(option, &value, sizeof value);
}

// A peer may know no 0 for "no limit": then one that the sender's window never reaches.
void zmq_end::set_high_water_mark(int option, int value) {
    constexpr int never_reached = 1'000'000;
    if (value != 0 || zmq_setsockopt(socket_, option, &value, sizeof value) != 0)
        set_int(option, value != 0 ? value : never_reached);
}

void zmq_end::fail_call(const char *call) const {
    fail("%s: %s", call, zmq_strerror(zmq_errno()));
}

} // namespace bench
