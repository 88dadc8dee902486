// SPDX-License-Identifier: MPL-2.0
#include "security/mechanisms.hpp"

#include "security/plain_client.hpp"
#include "security/plain_server.hpp"
#include "zmtp/null_mechanism.hpp"

namespace zlink::security {

namespace {

// NULL has nobody asked about without a domain: who set none knows of no authenticator.
std::unique_ptr<zmtp::mechanism> make_null(const security_options &options) {
    if (options.zap_domain.empty())
        return std::make_unique<zmtp::null_mechanism>();
    return std::make_unique<zmtp::null_mechanism>(
        zmtp::authentication{.credentials = {}, .optional = !options.zap_enforce_domain});
}

std::unique_ptr<zmtp::mechanism> make_plain(const security_options &options) {
    if (options.as_server)
        return std::make_unique<plain_server>();
    return std::make_unique<plain_client>(options.plain_username, options.plain_password);
}

} // namespace

std::unique_ptr<zmtp::mechanism> make_mechanism(const security_options &options) {
    switch (options.mechanism) {
    case mechanism_type::null:
        return make_null(options);
    case mechanism_type::plain:
        return make_plain(options);
    case mechanism_type::curve:
    case mechanism_type::gssapi:
        break;
    }
    return nullptr;
}

} // namespace zlink::security
