// SPDX-License-Identifier: MPL-2.0
// proxy: a zmq_proxy_steerable between the two sides of a run, in a thread of its own.
#pragma once

#include <optional>

#include "sim/scenario.hpp"

namespace sim {

class proxy {
  public:
    // Both bind: proxy_front and proxy_back.
    proxy(const plan &of, void *context, int front_type, int back_type);
    // Tells it to end, and waits for that.
    ~proxy();
    proxy(const proxy &) = delete;
    proxy &operator=(const proxy &) = delete;

  private:
    void pass(const plan &of, int front_type, int back_type);

    std::optional<program_context> own_;
    void *context_;
    std::optional<program_socket> steering_;
    std::thread thread_;
};

} // namespace sim
