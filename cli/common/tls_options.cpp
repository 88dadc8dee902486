// SPDX-License-Identifier: MPL-2.0
#include "common/tls_options.hpp"

#include <cerrno>
#include <zlink/options.h>
#include <zmq.h>

#include "common/failure.hpp"
#include "common/secrets.hpp"
#include "common/text.hpp"

namespace cli {

void tls_options::declare(arguments &declared, const std::string &side) {
    side_ = side;
    const auto name = [&](const char *text) { return concat("--", side, text); };
    declared.option(name("tls-cert"), certificate_, "FILE",
                    "The own certificate in PEM; needed by whoever binds tls:// or wss://");
    declared.option(name("tls-key"), key_, "FILE", "Its private key");
    declared.option(name("tls-key-password"), key_password_, "PASSWORD", "Of an encrypted key");
    declared.option(name("tls-ca"), authorities_, "FILE",
                    "The authorities to trust, or a self-signed certificate; without it, the system's");
    declared.option(name("tls-hostname"), host_name_, "NAME",
                    "The name in the server's certificate, if not the endpoint's");
    declared.flag(name("tls-require-client-cert"), wants_client_certificate_,
                  "Let only clients in that have a certificate of --tls-ca");
    declared.flag(name("tls-insecure"), trusts_everybody_, "Trust every server; for tests only");
}

bool tls_options::is_given() const {
    return certificate_ || key_ || key_password_ || authorities_ || host_name_ || wants_client_certificate_ ||
           trusts_everybody_;
}

void tls_options::apply_file(socket &target, int option, const char *name,
                             const std::optional<std::string> &path) const {
    if (!path || zmq_setsockopt(target.handle(), option, path->data(), path->size()) == 0)
        return;
    const auto what = concat("--", side_, name, ": ");
    if (zmq_errno() == EINVAL)
        throw failure(concat(what, *path, " does not have that in PEM: see \"openssl x509 -text -in FILE\""));
    throw failure(what + file_failure("read", *path, zmq_errno()).what());
}

void tls_options::apply(socket &target) const {
    if (certificate_.has_value() != key_.has_value())
        throw failure(concat("--", side_, "tls-cert and --", side_, "tls-key need each other"), status_usage);
    apply_file(target, ZLINK_TLS_CERT, "tls-cert", certificate_);
    apply_file(target, ZLINK_TLS_KEY, "tls-key", key_);
    apply_file(target, ZLINK_TLS_CA, "tls-ca", authorities_);
    if (key_password_)
        target.set(ZLINK_TLS_KEY_PASSWORD, secret_text(*key_password_), "the password of the key");
    if (host_name_)
        target.set(ZLINK_TLS_HOSTNAME, *host_name_, "the name of the server");
    if (wants_client_certificate_)
        target.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1, "ZLINK_TLS_REQUIRE_CLIENT_CERT");
    if (trusts_everybody_)
        target.set(ZLINK_TLS_VERIFY, ZLINK_TLS_VERIFY_NONE, "ZLINK_TLS_VERIFY");
}

void tls_options::fill(zlink::tls_options &to) const {
    to.certificate = certificate_.value_or("");
    to.key = key_.value_or("");
    to.key_password = key_password_ ? secret_text(*key_password_) : "";
    to.authorities = authorities_.value_or("");
    to.host = host_name_.value_or("");
    to.verification = trusts_everybody_ ? ZLINK_TLS_VERIFY_NONE : ZLINK_TLS_VERIFY_PEER;
}

} // namespace cli
