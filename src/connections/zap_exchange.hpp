// SPDX-License-Identifier: MPL-2.0
// zap_exchange: one question of a connection to the application's authenticator, and the answer (RFC 27).
//
// Threads: the I/O thread of the connection. It is one end of a pipe to the socket that the application bound
// to the well-known name, so a question blocks nobody. The handshake decides how long it waits for the
// answer. Ownership: of the connection's handshake, which destroys it from within connection::on_verdict().
// Then what the handler has still to say goes nowhere. A handler that goes away without an answer is an
// answer, too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mailbox.hpp"
#include "pipe/pipe.hpp"
#include "security/zap.hpp"

namespace zlink::connections {

class connection;

class zap_exchange final : private pipe_owner {
  public:
    // `to_handler`: ours from here on. `asker` gets the verdict.
    zap_exchange(pipe_end &to_handler, std::shared_ptr<mailbox> box, connection &asker) noexcept;
    ~zap_exchange();
    zap_exchange(const zap_exchange &) = delete;
    zap_exchange &operator=(const zap_exchange &) = delete;

    // Once. Returns false if there is no memory.
    [[nodiscard]] bool ask(const security::zap::request &about);

  private:
    void on_pipe_event(pipe_end &end, std::uint32_t events) override;
    [[nodiscard]] std::optional<zmtp::verdict> hear(std::uint32_t events) noexcept;
    [[nodiscard]] bool read_reply();

    pipe_end *end_;
    std::shared_ptr<mailbox> box_;
    connection &asker_;
    bool in_reply_ = false; // behind the delimiter
    std::vector<std::string> reply_;
};

} // namespace zlink::connections
