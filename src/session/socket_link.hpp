// SPDX-License-Identifier: MPL-2.0
// socket_link: what sessions may say to the socket they work for. It outlives the socket.
//
// Threads: everything from any thread.
#pragma once

#include <memory>

#include "lane/pipe.hpp"
#include "session/closed_reason.hpp"

namespace zlink::session {

class socket_link {
  public:
    virtual ~socket_link() = default;

    // Gives the socket the first end of a pipe whose second end serves a connection. False: the socket is
    // closed; nothing was taken.
    [[nodiscard]] virtual bool adopt(std::shared_ptr<pipe> made, bool local) = 0;
    // A connection (or an attempt at one) ended.
    virtual void count(closed_reason reason) noexcept = 0;
};

} // namespace zlink::session
