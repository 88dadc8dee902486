// SPDX-License-Identifier: MPL-2.0
// Owners of OpenSSL's objects, the library context that they live in, and a guard for its error queue.
//
// Threads: an object is for one thread at a time, unless OpenSSL counts its references. Ownership: each
// handle holds one reference. The library context is made once per process and never freed, since
// connections may be at work while the process ends.
#pragma once

#include <memory>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace zlink::transport {

template <auto Free> struct openssl_deleter {
    template <class Object> void operator()(Object *object) const noexcept { Free(object); }
};

using ssl_context_handle = std::unique_ptr<SSL_CTX, openssl_deleter<SSL_CTX_free>>;
using ssl_handle = std::unique_ptr<SSL, openssl_deleter<SSL_free>>;
using ssl_session_handle = std::unique_ptr<SSL_SESSION, openssl_deleter<SSL_SESSION_free>>;
using bio_handle = std::unique_ptr<BIO, openssl_deleter<BIO_free>>;
using certificate_handle = std::unique_ptr<X509, openssl_deleter<X509_free>>;
using revocations_handle = std::unique_ptr<X509_CRL, openssl_deleter<X509_CRL_free>>;
using key_handle = std::unique_ptr<EVP_PKEY, openssl_deleter<EVP_PKEY_free>>;
using store_handle = std::unique_ptr<X509_STORE, openssl_deleter<X509_STORE_free>>;

// A library context of our own. The default one would read openssl.cnf, and is the application's to
// configure. Null: no memory.
[[nodiscard]] OSSL_LIB_CTX *openssl_library() noexcept;

// Leaves the error queue of the thread as it was: an application that uses OpenSSL must not find our
// failures.
class openssl_errors_kept {
  public:
    openssl_errors_kept() noexcept { ERR_set_mark(); }
    ~openssl_errors_kept() { ERR_pop_to_mark(); }
    openssl_errors_kept(const openssl_errors_kept &) = delete;
    openssl_errors_kept &operator=(const openssl_errors_kept &) = delete;
};

// openssl_use: the right to use OpenSSL for a handshake, or for what one needs. OpenSSL frees its own data
// when the process ends, while I/O threads may still be at work. The end waits for those who have the right,
// and nobody gets it from then on. The traffic of connections needs none of that data, and goes on.
class openssl_use {
  public:
    openssl_use() noexcept;
    ~openssl_use();
    openssl_use(const openssl_use &) = delete;
    openssl_use &operator=(const openssl_use &) = delete;
    [[nodiscard]] explicit operator bool() const noexcept { return allowed_; }

  private:
    const bool allowed_;
    const openssl_errors_kept errors_;
};

} // namespace zlink::transport
