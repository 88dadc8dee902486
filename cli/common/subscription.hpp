// SPDX-License-Identifier: MPL-2.0
// A SUB socket for the commands that watch: its options, and a loop that ends with a signal, a time or a
// count.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/endpoints.hpp"

namespace cli {

struct subscription_options {
    std::vector<std::string> words; // the endpoint, then topics
    endpoint_options socket;
    bool bind{false};
    std::optional<std::uint64_t> topic_bytes, count;
    std::optional<double> timeout, duration;

    // ENDPOINT, TOPIC, --bind, --count, --timeout, --duration.
    void declare(arguments &declared);
    void declare_topic_bytes(arguments &declared);
    std::vector<std::string> topics() const;
    const std::string &endpoint() const;
};

class subscription {
  public:
    explicit subscription(const subscription_options &options);

    // Gives each message to `take`. `tick` is called when nothing is left, and at the times that it returns
    // (ns, 0: no time). Throws a failure if nothing came within --timeout.
    void watch(const std::function<void(const message &)> &take, const std::function<std::uint64_t()> &tick);
    // Likewise, with a report every `interval_s` and at the end.
    void watch_and_report(const std::function<void(const message &)> &take, double interval_s,
                          const std::function<void(double seconds)> &report);
    // The first frame, or the first bytes of the message. A message of one frame belongs to the subscription
    // that it begins with.
    std::string topic_of(const message &frames) const;
    std::uint64_t received() const { return received_; }
    // The exit status of a command that ends now: a signal before --count was reached is a failure.
    int status() const;

  private:
    bool is_over(std::uint64_t now) const;

    const subscription_options &options_;
    std::vector<std::string> topics_;
    context context_;
    std::unique_ptr<zap_server> authenticator_;
    socket socket_;
    std::uint64_t received_{0}, ends_{0};
};

} // namespace cli
