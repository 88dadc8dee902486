// SPDX-License-Identifier: MPL-2.0
#include "common/certificate.hpp"

#include "common/fail.hpp"

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace bench {
namespace {

constexpr long lifetime_s = 24L * 3600;

struct release {
    void operator()(EVP_PKEY *key) const { EVP_PKEY_free(key); }
    void operator()(X509 *made) const { X509_free(made); }
    void operator()(BIO *bytes) const { BIO_free(bytes); }
    void operator()(X509_EXTENSION *part) const { X509_EXTENSION_free(part); }
};
using key_pointer = std::unique_ptr<EVP_PKEY, release>;
using x509_pointer = std::unique_ptr<X509, release>;

void require(bool done, const char *what) {
    if (!done)
        fail("no certificate for tls: %s", what);
}

void add_extension(X509 &made, int kind, const char *value) {
    const std::unique_ptr<X509_EXTENSION, release> part(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value));
    require(part && X509_add_ext(&made, part.get(), -1) == 1, value);
}

x509_pointer self_signed(EVP_PKEY &key) {
    x509_pointer made(X509_new());
    require(made && X509_set_version(made.get(), 2) == 1 &&
                ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1) == 1 &&
                X509_gmtime_adj(X509_getm_notBefore(made.get()), -lifetime_s) != nullptr &&
                X509_gmtime_adj(X509_getm_notAfter(made.get()), lifetime_s) != nullptr &&
                X509_set_pubkey(made.get(), &key) == 1,
            "its fields");
    X509_NAME *const name = X509_get_subject_name(made.get());
    const auto *const text = reinterpret_cast<const unsigned char *>("zlink comparison");
    require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
                X509_set_issuer_name(made.get(), name) == 1,
            "its name");
    add_extension(*made, NID_subject_alt_name, "IP:127.0.0.1");
    add_extension(*made, NID_basic_constraints, "critical,CA:TRUE");
    require(X509_sign(made.get(), &key, EVP_sha256()) != 0, "its signature");
    return made;
}

template <class Write> std::string to_pem(Write write) {
    const std::unique_ptr<BIO, release> bytes(BIO_new(BIO_s_mem()));
    require(bytes && write(bytes.get()) == 1, "its text");
    char *begin = nullptr;
    const long size = BIO_get_mem_data(bytes.get(), &begin);
    return {begin, static_cast<std::size_t>(size)};
}

certificate make() {
    const key_pointer key(EVP_EC_gen("P-256"));
    require(key != nullptr, "its key");
    const x509_pointer made = self_signed(*key);
    return {to_pem([&](BIO *to) { return PEM_write_bio_X509(to, made.get()); }), to_pem([&](BIO *to) {
                return PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
            })};
}

} // namespace

const certificate &own_certificate() {
    static const certificate made = make();
    return made;
}

} // namespace bench
