// SPDX-License-Identifier: MPL-2.0
// Many TCP connections into one ROUTER. The other ends are plain sockets of another process
// (plain_peers.hpp).
#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/two_ends.hpp"
#include "scale/program/library.hpp"
#include "scale/program/plain_peers.hpp"
#include "scale/program/resources.hpp"
#include "scale/program/scenarios.hpp"
#include "scale/program/shared.hpp"

#include <array>
#include <cstdio>
#include <zmq.h>

namespace bench::scale {
namespace {

constexpr std::size_t at_once = 64;
constexpr std::size_t message_bytes = 64;

struct readings {
    std::int64_t resident = 0;
    std::int64_t kernel = 0;
};

struct common_state {
    char endpoint[256] = {};     // written by the server before bound
    flag bound;                  // server
    flag connected;              // client
    flag measured;               // server: idle memory has been read
    flag done;                   // server: everything has been read
    std::int64_t connect_ns = 0; // client, before connected
    readings before;             // server, as what follows
    readings idle;
    readings used;
    readings trimmed;
};

readings read_now() {
    return {settled_resident_bytes(), kernel_bytes()};
}

void answer_all(socket &server, std::size_t connections) {
    std::array<char, 256> id{};
    body message(message_bytes);
    for (std::size_t answered = 0; answered < connections; ++answered) {
        const std::size_t id_size = server.receive(id.data(), id.size());
        server.receive(message);
        server.send(id.data(), id_size, ZMQ_SNDMORE);
        server.send(message);
    }
}

void serve(common_state &state, std::size_t connections) {
    const context owner;
    socket server(owner, ZMQ_ROUTER);
    std::snprintf(state.endpoint, sizeof state.endpoint, "%s", server.bind("tcp://127.0.0.1:*").c_str());
    state.before = {trimmed_resident_bytes(), kernel_bytes()};
    state.bound.set();
    state.connected.wait();
    server.touch(); // the application's side knows of all connections too
    state.idle = read_now();
    state.measured.set();
    answer_all(server, connections);
    state.used = read_now();
    state.trimmed = {trimmed_resident_bytes(), kernel_bytes()};
    state.done.set();
}

void connect_all(common_state &state, std::size_t connections) {
    plain_peers peers;
    state.bound.wait();
    const std::int64_t begin = now_ns();
    peers.connect(state.endpoint, connections, at_once);
    state.connect_ns = now_ns() - begin;
    state.connected.set();
    state.measured.wait();
    peers.exchange(message_bytes, at_once);
    state.done.wait();
}

double per(std::int64_t bytes, std::size_t connections) {
    return static_cast<double>(bytes) / static_cast<double>(connections);
}

} // namespace

void measure_connections(const parameters &given) {
    const auto connections = static_cast<std::size_t>(given.number("connections", 1, 25'000));
    allow_descriptors(connections + 200);
    const shared<common_state> state;
    run_two_ends(
        true, [&] { serve(*state, connections); }, [&] { connect_all(*state, connections); });
    given.report("accepted_per_s",
                 static_cast<double>(connections) * 1e9 / static_cast<double>(state->connect_ns));
    given.report("idle_bytes", per(state->idle.resident - state->before.resident, connections));
    given.report("used_bytes", per(state->used.resident - state->before.resident, connections));
    given.report("used_trimmed_bytes", per(state->trimmed.resident - state->before.resident, connections));
    given.report("kernel_bytes", per(state->idle.kernel - state->before.kernel, connections));
}

} // namespace bench::scale
