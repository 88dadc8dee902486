// SPDX-License-Identifier: MPL-2.0
#include "security/mechanisms.hpp"

#include "security/curve_client.hpp"
#include "security/curve_server.hpp"
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

// Null: no random numbers are to be had.
std::unique_ptr<zmtp::mechanism> make_curve(const security_options &options) {
    if (!curve::ready())
        return nullptr;
    if (options.as_server)
        return std::make_unique<curve_server>(options.curve_secret_key,
                                              !options.zap_enforce_domain || options.zap_domain.empty());
    return std::make_unique<curve_client>(curve::key_pair{options.curve_public_key, options.curve_secret_key},
                                          options.curve_server_key);
}

} // namespace

std::unique_ptr<zmtp::mechanism> make_mechanism(const security_options &options) {
    switch (options.mechanism) {
    case mechanism_type::null:
        return make_null(options);
    case mechanism_type::plain:
        return make_plain(options);
    case mechanism_type::curve:
        return make_curve(options);
    case mechanism_type::gssapi:
        break;
    }
    return nullptr;
}

} // namespace zlink::security
