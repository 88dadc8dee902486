// SPDX-License-Identifier: MPL-2.0
// Making the sockets of tcp and ipc and setting what the options ask for.
//
// Threads: any. Ownership: descriptors are returned to the caller, non-blocking and close-on-exec.
// Errors: the errno of the system.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/socket_options.hpp"
#include "transport/endpoint.hpp"
#include "transport/socket_address.hpp"
#include "transport/stream.hpp"

namespace zlink::transport {

class ws_claim;

// A socket that listens, and what has to be removed when it ends.
struct listening_socket {
    int descriptor = -1;
    std::string endpoint; // as ZMQ_LAST_ENDPOINT gives it
    // The socket file and the directory made for a wildcard; empty for others. The file of a path that was
    // given stays, as with libzmq: the next bind replaces it.
    std::string path;
    std::string directory;
    std::shared_ptr<ws_claim> claim; // to a path at the port; null for others than ws and wss
};

// Failed calls leave in `tried` the number of the descriptor that they had opened and have closed again.
result<listening_socket> listen_tcp(const std::string &address, const socket_options &options, int &tried);
result<listening_socket> listen_ipc(const std::string &address, const socket_options &options, int &tried);
// Closes the descriptor and removes its file.
void stop_listening(listening_socket &listener) noexcept;

// A socket for a connection that is still to be made; bound to the source address where there is one.
result<int> open_tcp(const socket_address &peer, const std::optional<tcp_host_port> &source,
                     const socket_options &options);
result<int> open_ipc(const socket_options &options);

// A socket of that kind (SOCK_STREAM, SOCK_DGRAM) with what the options say of it.
result<int> open_socket(int kind, int family, const socket_options &options);

// The address that a socket is bound to.
result<socket_address> own_address(int descriptor);
// AF_UNSPEC if the descriptor is no socket.
[[nodiscard]] int family_of(int descriptor) noexcept;

// Set the options of an established connection, and what the environment asks for (runtime/tuning.hpp).
void tune_tcp(int descriptor, const socket_options &options) noexcept;
void tune_ipc(int descriptor, const socket_options &options) noexcept;
// Returns the limits for one read and one write. A socket option overrides the environment.
[[nodiscard]] transfer_rules transfer_rules_of(const socket_options &options);
// May this peer come in, as the accept filters say?
[[nodiscard]] bool passes_tcp_filters(int descriptor, const socket_options &options);
[[nodiscard]] bool passes_ipc_filters(int descriptor, const socket_options &options);

// "127.0.0.1" for tcp, "localhost:uid:gid:pid" for ipc: the Peer-Address of a message's metadata.
[[nodiscard]] std::string tcp_peer_address(int descriptor);
[[nodiscard]] std::string ipc_peer_address(int descriptor);

} // namespace zlink::transport
