// SPDX-License-Identifier: MPL-2.0
// A small server of HTTP/1.0 for one page. It answers one client after another, each within two seconds, so
// that a slow client keeps the others waiting but not for ever.
#pragma once

#include <functional>
#include <string>

namespace cli {

struct http_answer {
    int status;
    std::string type;
    std::string body;
};

class http_server {
  public:
    // `endpoint`: "tcp://127.0.0.1:9464"; * stands for all addresses, or for a free port. Throws a failure
    // that says why the place cannot be had.
    explicit http_server(const std::string &endpoint);
    ~http_server();
    http_server(const http_server &) = delete;
    http_server &operator=(const http_server &) = delete;

    // With the port that it has.
    std::string endpoint() const;
    // Answers until a signal comes. `path` is that of the request.
    void serve(const std::function<http_answer(const std::string &path)> &answer);

  private:
    void answer_one(int descriptor, const std::function<http_answer(const std::string &)> &answer);

    int descriptor_{-1};
};

} // namespace cli
