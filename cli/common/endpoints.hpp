// SPDX-License-Identifier: MPL-2.0
// The options that say where a socket is bound or connected, and with which security and limits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/socket_options.hpp"
#include "common/arguments.hpp"
#include "common/messaging.hpp"
#include "common/secrets.hpp"
#include "common/tls_options.hpp"
#include "common/zap_server.hpp"

namespace cli {

class security_options {
  public:
    // `side` stands before each name, as in --frontend-curve-server.
    void declare(arguments &declared, const std::string &side = "");
    // Throws a failure if the options do not go together.
    void apply(socket &target) const;
    // The same for a connection that this command makes without a socket.
    zlink::socket_options values() const;
    bool is_given() const;
    // The authenticator that the options ask for; the socket's context must outlive it.
    std::unique_ptr<zap_server> start_authenticator(context &owner) const;
    bool is_curve() const { return curve_server_ || server_key_; }
    bool is_plain() const { return plain_server_ || user_name_; }
    const std::optional<std::string> &user_name() const { return user_name_; }
    std::string password() const;
    const tls_options &tls() const { return tls_; }

  private:
    key_pair curve_keys() const;
    void apply_curve(socket &target) const;
    void apply_plain(socket &target) const;
    void check() const;
    // The text with this side's names of the options in it.
    std::string with_names(const std::string &text) const;

    std::string side_;
    tls_options tls_;
    bool curve_server_{false}, plain_server_{false};
    std::optional<std::string> server_key_, public_key_, secret_key_;
    std::optional<std::string> user_name_, password_;
    std::vector<std::string> allowed_keys_, allowed_users_;
};

class endpoint_options {
  public:
    // --bind and --connect.
    void declare(arguments &declared);
    // The limits and the options of security.
    void declare_limits(arguments &declared);
    void connect_to(const std::string &endpoint) { connected_.push_back(endpoint); }
    void bind_to(const std::string &endpoint) { bound_.push_back(endpoint); }

    bool only_connects() const { return bound_.empty(); }
    bool empty() const { return bound_.empty() && connected_.empty(); }
    // Sets the options of the socket.
    void apply(socket &target) const { apply(target, security_); }
    void apply(socket &target, const security_options &security) const;
    // Binds and connects. The address that a wildcard stands for goes to the standard error.
    void attach(socket &target) const;
    // "tcp://a:1, ipc://b", for errors.
    std::string names() const;
    const security_options &security() const { return security_; }

  private:
    std::vector<std::string> bound_, connected_;
    std::optional<std::uint64_t> high_water_mark_;
    std::optional<std::string> routing_id_, socks_;
    bool ipv6_{false};
    security_options security_;
};

} // namespace cli
