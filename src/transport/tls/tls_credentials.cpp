// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/tls_credentials.hpp"

#include <cerrno>
#include <utility>

#include "base/wipe.hpp"

namespace zlink::transport {

tls_credentials::~tls_credentials() {
    wipe(from_.key);
    wipe(from_.password);
}

// The stamps are taken before the files are read: what changes meanwhile is read once more.
result<std::shared_ptr<const tls_credentials::loaded>> tls_credentials::load(source &from) {
    from.certificate_stamp = stamp_of(from.certificate);
    from.key_stamp = stamp_of(from.key);
    auto made = std::make_shared<loaded>();
    if (from.certificate.empty() && from.key.empty())
        return std::shared_ptr<const loaded>(std::move(made));
    if (from.certificate.empty() || from.key.empty())
        return error{EINVAL};
    auto chain = read_certificates(from.certificate);
    if (!chain)
        return error{chain.code()};
    auto key = read_key(from.key, from.password);
    if (!key)
        return error{key.code()};
    const openssl_errors_kept errors;
    if (X509_check_private_key(chain->front().get(), key->get()) != 1)
        return error{EKEYREJECTED};
    made->chain = *std::move(chain);
    made->key = *std::move(key);
    return std::shared_ptr<const loaded>(std::move(made));
}

result<void> tls_credentials::set(const tls_options &options) {
    source fresh{options.certificate, options.key, options.key_password, {}, {}};
    auto found = load(fresh);
    if (found) {
        const std::lock_guard lock(mutex_);
        wipe(from_.key); // copies of short texts stay where a swap has moved them from
        wipe(from_.password);
        from_ = std::as_const(fresh);
        loaded_ = *std::move(found);
    }
    wipe(fresh.key);
    wipe(fresh.password);
    return found ? result<void>() : error{found.code()};
}

std::shared_ptr<const tls_credentials::loaded> tls_credentials::current() {
    const std::lock_guard lock(mutex_);
    if (stamp_of(from_.certificate) == from_.certificate_stamp && stamp_of(from_.key) == from_.key_stamp)
        return loaded_;
    const auto before = std::pair(from_.certificate_stamp, from_.key_stamp);
    if (auto found = load(from_))
        loaded_ = *std::move(found);
    else
        std::tie(from_.certificate_stamp, from_.key_stamp) = before;
    return loaded_;
}

} // namespace zlink::transport
