// SPDX-License-Identifier: MPL-2.0
// page_server: a small server of HTTP/1.1 (RFC 9112) for pages that are made when they are asked for. The
// library serves its counters with it, and so does the command `zlink metrics`.
//
// Threads: run() and run_for() belong to one thread, stop() to any. Errors: std::runtime_error with a text.
// Limits: 8 KiB a request, two seconds for each, and 16 clients; others wait.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace zlink::metrics {

struct page {
    unsigned status; // as HTTP numbers them
    std::string type;
    std::string body;
};

class page_server {
  public:
    using maker = std::function<page(const std::string &path)>; // may throw: then the answer is 500

    // Listens. `endpoint`: "tcp://127.0.0.1:9464"; * stands for all addresses, or for a free port. Throws
    // std::invalid_argument for another form, std::runtime_error if the place cannot be had.
    page_server(const std::string &endpoint, maker make);
    ~page_server();
    page_server(const page_server &) = delete;
    page_server &operator=(const page_server &) = delete;

    [[nodiscard]] std::string endpoint() const; // with the port that it has
    [[nodiscard]] int descriptor() const;       // of the listener
    void run();                                 // until stop()
    void run_for(std::chrono::milliseconds time);
    void stop();

  private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace zlink::metrics
