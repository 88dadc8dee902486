// SPDX-License-Identifier: MPL-2.0
// zap_exchange: one question of a connection to the application's authenticator, and the answer (RFC 27).
//
// Threads: the I/O thread of the connection. It is one end of a pipe to the socket that the application bound
// to the well-known name, so asking blocks nobody; how long an answer is waited for is the handshake's to
// say. Ownership: of the connection, which may destroy it from within on_verdict(); then what the handler has
// still to say goes nowhere. A handler that goes away without an answer is an answer, too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mailbox.hpp"
#include "pipe/pipe.hpp"
#include "security/zap.hpp"

namespace zlink::connections {

class verdict_listener {
  public:
    virtual void on_verdict(zmtp::verdict found) = 0;

  protected:
    ~verdict_listener() = default;
};

class zap_exchange final : private pipe_owner {
  public:
    // `to_handler`: ours from here on.
    zap_exchange(pipe_end &to_handler, std::shared_ptr<mailbox> box, verdict_listener &listener) noexcept;
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
    verdict_listener &listener_;
    bool in_reply_ = false; // behind the delimiter
    std::vector<std::string> reply_;
};

} // namespace zlink::connections
