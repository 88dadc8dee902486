// SPDX-License-Identifier: MPL-2.0
// The table of transports. A row says what a scheme is: who may use it, and how listeners and streams of it
// are made. The rest of the library asks the row and names no scheme. A new transport is a new row.
//
// Threads: the functions of a row may be called from every thread. Ownership: rows live as long as the
// process; descriptors are returned to the caller. Errors: the errno of the system, or of the API.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_set.hpp"
#include "base/result.hpp"
#include "base/socket_options.hpp"
#include "base/socket_type.hpp"
#include "transport/endpoint.hpp"
#include "transport/opening.hpp"
#include "transport/socket_address.hpp"
#include "transport/socket_setup.hpp"

namespace zlink::transport {

// name: stands for a connection to each address that the name has. unknown: a scheme that has a name in the
// API and does not exist here.
enum class transport_kind : unsigned char { in_process, datagrams, byte_stream, name, unknown };

enum class connection_side : unsigned char { connected, accepted };

// The addresses of one attempt to connect.
struct connect_plan {
    std::vector<socket_address> addresses;   // to be tried, last first
    std::optional<tcp_host_port> to_look_up; // a name whose addresses are to be tried
    std::optional<tcp_host_port> source;
};

struct transport_row {
    std::string_view scheme;
    transport_kind kind;
    socket_types types; // that may use it

    // The scheme of the connections of a name.
    std::string_view connects_by = {};
    // Returns the errors that zmq_connect gives at once; of names and byte streams.
    result<void> (*check_connect)(const std::string &address) = nullptr;

    // All that follows is about byte streams.

    // The descriptor is a tcp connection: it connects later, can be told to confirm, and counts its bytes.
    bool over_tcp = false;
    // For bind. A failed call leaves in `tried` the number of the descriptor that it had opened and has
    // closed.
    result<listening_socket> (*listen)(const std::string &address, const socket_options &options,
                                       int &tried) = nullptr;
    // For one attempt to connect. Looks no names up.
    result<connect_plan> (*plan)(const std::string &address, const socket_options &options) = nullptr;
    // Returns a socket for a connection that is still to be made.
    result<int> (*open)(const socket_address &peer, const connect_plan &plan,
                        const socket_options &options) = nullptr;
    // Checks and prepares what the connections of an endpoint share; before bind and connect. Null: there is
    // nothing.
    result<void> (*prepare)(connection_side side, const std::string &address,
                            socket_options &options) = nullptr;
    // Returns the exchanges before ZMTP, in their order. `address`: of the endpoint. Null: there are none.
    opening_list (*openings)(connection_side side, const std::string &address,
                             const socket_options &options) = nullptr;
    // Returns the exchanges that are left of a connection that another endpoint of the port has accepted.
    // Null: endpoints share no port.
    opening_list (*resumed)(const std::string &address, const socket_options &options,
                            std::vector<std::uint8_t> received) = nullptr;
    // Sets the options of an established connection.
    void (*tune)(int descriptor, const socket_options &options) noexcept = nullptr;
    // May the peer of an accepted connection come in, as the accept filters say?
    bool (*passes_filters)(int descriptor, const socket_options &options) = nullptr;
    // Returns the endpoint that has this address, as ZMQ_LAST_ENDPOINT gives it.
    std::string (*endpoint_text)(const socket_address &address) = nullptr;
    // Returns the Peer-Address of a message's metadata.
    std::string (*peer_address)(int descriptor) = nullptr;
    // Returns the endpoint that events of a connect name. Null: the one that was asked for.
    std::string (*event_text)(const std::string &address, const socket_options &options) = nullptr;
    // Returns another text of the same endpoint, for zmq_disconnect; empty: there is none. Asks the name
    // service. Null: every endpoint has one text.
    std::string (*resolved_text)(const std::string &address, const socket_options &options) = nullptr;
};

struct endpoint {
    const transport_row *transport;
    std::string address; // what follows "://"

    [[nodiscard]] transport_kind kind() const noexcept { return transport->kind; }
};

// EINVAL: no scheme or no address; EPROTONOSUPPORT: unknown scheme; ENOCOMPATPROTO: a scheme that this type
// of socket cannot use.
result<endpoint> parse_endpoint(std::string_view text, socket_type type);

// Null: there is no such scheme.
[[nodiscard]] const transport_row *find_transport(std::string_view scheme) noexcept;

// "scheme://address".
[[nodiscard]] std::string text_of(const endpoint &of);
// The endpoints of both ends as events tell them; empty when there is none.
[[nodiscard]] std::string local_endpoint_text(const transport_row &of, int descriptor);
[[nodiscard]] std::string remote_endpoint_text(const transport_row &of, int descriptor);

} // namespace zlink::transport
