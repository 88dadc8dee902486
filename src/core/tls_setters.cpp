// SPDX-License-Identifier: MPL-2.0
#include "core/tls_setters.hpp"

#include <cerrno>
#include <string>

#include "base/wipe.hpp"
#include "transport/tls/tls_credentials.hpp"

namespace zlink::core {
namespace {

void assign(std::string &place, std::string_view value) {
    wipe(place); // the text may get other memory
    place = value;
}

// A part of them may not fit before the next one is set. Then what there was stays in use.
void renew(socket_options &options) {
    if (options.tls.credentials)
        (void)options.tls.credentials->set(options.tls);
}

} // namespace

result<void> set_tls_certificate(socket_options &options, value_bytes value) {
    if (!value.empty())
        if (const auto found = transport::read_certificates(std::string(as_text(value))); !found)
            return error{found.code()};
    options.tls.certificate = as_text(value);
    renew(options);
    return {};
}

// The password may be set later, and is checked then by bind and connect.
result<void> set_tls_key(socket_options &options, value_bytes value) {
    std::string text(as_text(value));
    const int code = text.empty() ? 0 : transport::read_key(text, options.tls.key_password).code();
    if (code == 0 || code == EPERM) {
        assign(options.tls.key, text);
        renew(options);
    }
    wipe(text);
    return code == 0 || code == EPERM ? result<void>() : error{code};
}

result<void> set_tls_key_password(socket_options &options, value_bytes value) {
    assign(options.tls.key_password, as_text(value));
    renew(options);
    return {};
}

result<void> set_tls_authorities(socket_options &options, value_bytes value) {
    if (!value.empty())
        if (const auto found = transport::read_certificates(std::string(as_text(value))); !found)
            return error{found.code()};
    options.tls.authorities = as_text(value);
    return {};
}

result<void> set_tls_revocations(socket_options &options, value_bytes value) {
    if (!value.empty())
        if (const auto found = transport::read_revocations(std::string(as_text(value))); !found)
            return error{found.code()};
    options.tls.revocations = as_text(value);
    return {};
}

} // namespace zlink::core
