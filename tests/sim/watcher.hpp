// SPDX-License-Identifier: MPL-2.0
// watcher: counts the events that a monitor tells of a socket.
#pragma once

#include "sim/scenario.hpp"

namespace sim {

class watcher {
  public:
    watcher(void *context, program_socket &of, const plan &like);
    ~watcher();
    watcher(const watcher &) = delete;
    watcher &operator=(const watcher &) = delete;
    // Returns how many of that kind have come until now.
    [[nodiscard]] std::uint64_t count(int event);

  private:
    void read_all();

    program_socket &of_;
    program_socket events_;
    std::map<int, std::uint64_t> counts_;
};

} // namespace sim
