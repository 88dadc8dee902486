// SPDX-License-Identifier: MPL-2.0
// An authenticator after ZAP (RFC 27): it admits the keys and users that it was told of. The standard error
// hears of refused peers. It has a thread of its own from start() until the context ends. Its destructor
// shuts a context down that has not ended.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "common/messaging.hpp"

namespace cli {

class zap_server {
  public:
    zap_server() = default;
    ~zap_server();
    zap_server(const zap_server &) = delete;
    zap_server &operator=(const zap_server &) = delete;

    void allow_key(const std::string &public_key) { keys_.insert(public_key); }
    void allow_user(const std::string &name, const std::string &password) { users_[name] = password; }
    void start(context &owner);

  private:
    void answer_requests();
    message answer(const message &request) const;
    bool admits(const message &request) const;

    std::set<std::string> keys_;
    std::map<std::string, std::string> users_;
    context *owner_{nullptr};
    void *socket_{nullptr};
    std::thread thread_;
};

} // namespace cli
