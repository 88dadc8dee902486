// SPDX-License-Identifier: MPL-2.0
// endpoint: the place where a process shows its counters to Prometheus, if ZLINK_METRICS names one.
//
// Threads: any; a thread of its own answers. Life: from the first context with a socket to the end of the
// last one, which all hold it. A child of fork(2) has none of its parent's, and may have its own.
// Errors: a place that cannot be had is told of on stderr, and the process goes on without it.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "metrics/page_server.hpp"

namespace zlink::metrics {

class endpoint {
  public:
    // Null: ZLINK_METRICS names no place, or one that cannot be had. Throws std::bad_alloc.
    [[nodiscard]] static std::shared_ptr<endpoint> of_process();

    explicit endpoint(const std::string &place);
    ~endpoint();
    endpoint(const endpoint &) = delete;
    endpoint &operator=(const endpoint &) = delete;

  private:
    page_server server_;
    const int descriptor_; // of the listener
    std::thread thread_;
};

} // namespace zlink::metrics
