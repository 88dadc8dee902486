// SPDX-License-Identifier: MPL-2.0
// ws_port: several endpoints of ws, or of wss, that share a port and differ by their paths. Each of them has
// a claim. Their descriptors are copies of one that listens, so each may accept a connection that asks for
// the path of another one. It hands that connection over.
//
// Threads: any; a mutex of the process guards the claims. Ownership: the listening_socket owns its claim. A
// receiver runs with the mutex: it may only post. Errors: EADDRINUSE.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/descriptor_guard.hpp"
#include "transport/stream_layer.hpp"

namespace zlink::transport {

// A connection whose request has been read.
struct handed_connection {
    descriptor_guard descriptor;
    std::unique_ptr<stream_layer> layer; // of wss; else null
    std::vector<std::uint8_t> received;  // behind that layer
};

class ws_claim {
  public:
    using receiver = std::function<void(handed_connection)>; // may throw std::bad_alloc

    // `tcp_text`: "tcp://host:port" of a socket that listens. `rules`: what all at the port have in common.
    // With wss that is who shows which certificate, and who is let in: no path is a way around that.
    // EADDRINUSE: the path is taken. Throws std::bad_alloc.
    static result<std::shared_ptr<ws_claim>> make(std::string tcp_text, std::string path, std::string rules,
                                                  int descriptor);
    // Returns a copy of the descriptor that listens there for another path. EADDRINUSE: none does, or it is
    // the same path.
    static result<int> share(const std::string &tcp_text, const std::string &path, const std::string &rules);
    // Gives the connection to who has the path. `tcp_text`: of its own address. Returns false, and leaves the
    // connection, if nobody has. Throws std::bad_alloc.
    static bool pass_on(const std::string &tcp_text, const std::string &path, const std::string &rules,
                        const std::function<handed_connection()> &take);

    ws_claim(std::string tcp_text, std::string path, std::string rules, int descriptor)
        : tcp_text_(std::move(tcp_text)), path_(std::move(path)), rules_(std::move(rules)),
          descriptor_(descriptor) {}
    ws_claim(const ws_claim &) = delete;
    ws_claim &operator=(const ws_claim &) = delete;
    ~ws_claim() { end(); }
    // Do other paths listen at the port, too?
    [[nodiscard]] bool shares_port() const noexcept;
    // Sets who gets the connections that others have accepted.
    void receive_by(receiver to);
    // Nothing is passed on after it. Before the descriptor is closed.
    void end() noexcept;

  private:
    const std::string tcp_text_;
    const std::string path_;
    const std::string rules_;
    const int descriptor_;
    receiver to_; // guarded by the mutex of all claims
};

} // namespace zlink::transport
