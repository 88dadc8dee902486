// SPDX-License-Identifier: MPL-2.0
// web_idle TRANSPORT CONNECTIONS sockets|endpoints
//
// Many connections that rest: a ROUTER in one process, DEALERs in another one. As `sockets` each connection
// has a socket, as `endpoints` one socket has them all. Prints WEB lines with the resident bytes of a
// connection at each end, with and without the free memory of the heap.
#include "common/certificate.hpp"
#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/two_ends.hpp"
#include "scale/program/resources.hpp"
#include "scale/program/shared.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <zlink/options.h>
#include <zmq.h>

namespace {

using bench::fail;

constexpr std::size_t at_once = 64; // connections that are not finished

struct reading {
    std::int64_t before = 0;
    std::int64_t idle = 0;
    std::int64_t trimmed = 0;
};

struct meeting {
    int port = 0; // written by the listener before bound
    bench::flag bound;
    std::atomic<std::size_t> known{0}; // connections that the listener has heard of
    bench::flag listener_done;
    bench::flag client_done;
    reading listener;
    reading client;
};

void check(int code, const char *call) {
    if (code < 0)
        fail("%s: %s", call, zmq_strerror(zmq_errno()));
}

void set_text(void *socket, int option, const std::string &text) {
    check(zmq_setsockopt(socket, option, text.data(), text.size()), "zmq_setsockopt of a text");
}

void set_number(void *socket, int option, int number) {
    check(zmq_setsockopt(socket, option, &number, sizeof number), "zmq_setsockopt of a number");
}

void *make_context(std::size_t sockets) {
    void *const made = zmq_ctx_new();
    check(zmq_ctx_set(made, ZMQ_MAX_SOCKETS, static_cast<int>(sockets)), "zmq_ctx_set");
    return made;
}

void read_memory(reading &into) {
    into.idle = bench::scale::settled_resident_bytes();
    into.trimmed = bench::scale::trimmed_resident_bytes();
}

void listen(meeting &state, const std::string &transport, std::size_t connections) {
    void *const context = make_context(16);
    void *const router = zmq_socket(context, ZMQ_ROUTER);
    set_text(router, ZLINK_TLS_CERT, bench::own_certificate().chain_pem);
    set_text(router, ZLINK_TLS_KEY, bench::own_certificate().key_pem);
    check(zmq_bind(router, (transport + "://*:*").c_str()), "zmq_bind");
    std::array<char, 256> bound{};
    std::size_t size = bound.size();
    check(zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, bound.data(), &size), "zmq_getsockopt");
    state.port = std::atoi(std::strrchr(bound.data(), ':') + 1);
    state.listener.before = bench::scale::trimmed_resident_bytes();
    state.bound.set();
    std::array<char, 256> bytes{};
    for (std::size_t known = 0; known < connections; state.known = ++known) {
        check(zmq_recv(router, bytes.data(), bytes.size(), 0), "zmq_recv of an id");
        check(zmq_recv(router, bytes.data(), bytes.size(), 0), "zmq_recv of a probe");
    }
    read_memory(state.listener);
    state.listener_done.set();
    state.client_done.wait();
}

void *make_client(void *context) {
    void *const made = zmq_socket(context, ZMQ_DEALER);
    if (made == nullptr)
        fail("zmq_socket: %s", zmq_strerror(zmq_errno()));
    set_number(made, ZMQ_PROBE_ROUTER, 1); // the listener hears of each connection
    set_number(made, ZMQ_LINGER, 0);
    set_text(made, ZLINK_TLS_CA, bench::own_certificate().chain_pem);
    set_text(made, ZLINK_TLS_HOSTNAME, "127.0.0.1"); // that of the certificate
    return made;
}

// A DEALER connects to an address once, so each connection has another one of this host.
std::string address(std::size_t of) {
    return "127." + std::to_string(of / 65536) + '.' + std::to_string(of / 256 % 256) + '.' +
           std::to_string(of % 256);
}

void connect(meeting &state, const std::string &transport, std::size_t connections, bool sockets) {
    void *const context = make_context(connections + 16);
    std::vector<void *> clients{make_client(context)};
    clients.reserve(connections);
    state.client.before = bench::scale::trimmed_resident_bytes();
    state.bound.wait();
    for (std::size_t made = 0; made < connections; ++made) {
        while (made > state.known + at_once)
            bench::sleep_ms(1);
        if (sockets && made != 0)
            clients.push_back(make_client(context));
        const std::string endpoint = transport + "://" + address(made + 1) + ':' + std::to_string(state.port);
        check(zmq_connect(clients.back(), endpoint.c_str()), "zmq_connect");
    }
    state.listener_done.wait();
    read_memory(state.client);
    state.client_done.set();
}

void report(const char *end, const reading &read, std::size_t connections) {
    const auto each = [&](std::int64_t bytes) {
        return static_cast<double>(bytes - read.before) / static_cast<double>(connections);
    };
    std::printf("WEB,%s_idle_bytes,%.0f\nWEB,%s_trimmed_bytes,%.0f\n", end, each(read.idle), end,
                each(read.trimmed));
}

} // namespace

int main(int count, char **words) {
    if (count != 4)
        fail("usage: %s TRANSPORT CONNECTIONS sockets|endpoints", words[0]);
    const std::string transport = words[1];
    const auto connections = static_cast<std::size_t>(std::strtoul(words[2], nullptr, 10));
    const std::string as = words[3];
    if (connections == 0 || (as != "sockets" && as != "endpoints"))
        fail("CONNECTIONS is a number from 1 on, and the last word sockets or endpoints");
    bench::own_certificate(); // both ends have the same
    bench::scale::allow_descriptors(connections + 1000);
    const bench::scale::shared<meeting> state;
    bench::run_two_ends(
        true, [&] { listen(*state, transport, connections); },
        [&] { connect(*state, transport, connections, as == "sockets"); });
    report("listener", state->listener, connections);
    report("client", state->client, connections);
}
