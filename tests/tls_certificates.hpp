// SPDX-License-Identifier: MPL-2.0
// Certificates for tests. They are made when a test runs, so none of them expires in the tree.
//
// Threads: any. Ownership: a certificate holds its OpenSSL objects. Time: days from now.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <gtest/gtest.h>

namespace zlink::test {

struct certificate {
    std::shared_ptr<X509> object;
    std::shared_ptr<EVP_PKEY> key_object;
    std::string pem;
    std::string key; // PEM
};

struct certificate_wish {
    std::string name = "localhost";
    std::string alternative_names = "DNS:localhost,IP:127.0.0.1,IP:::1"; // empty: none
    int first_day = -1;
    int last_day = 30;
    bool authority = false;
    bool rsa = false;
};

inline std::string text_of(BIO *memory) {
    char *data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    return {data, static_cast<std::size_t>(size)};
}

inline std::string key_text(EVP_PKEY *key, const std::string &password = {}) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
    const auto *letters = reinterpret_cast<const unsigned char *>(password.data());
    EXPECT_EQ(PEM_write_bio_PrivateKey(memory.get(), key, password.empty() ? nullptr : EVP_aes_128_cbc(),
                                       letters, static_cast<int>(password.size()), nullptr, nullptr),
              1);
    return text_of(memory.get());
}

inline void add_extension(X509 *to, X509 *issuer, int kind, const std::string &value) {
    X509V3_CTX about;
    X509V3_set_ctx(&about, issuer, to, nullptr, nullptr, 0);
    X509_EXTENSION *const made = X509V3_EXT_conf_nid(nullptr, &about, kind, value.c_str());
    ASSERT_NE(made, nullptr) << value;
    EXPECT_EQ(X509_add_ext(to, made, -1), 1);
    X509_EXTENSION_free(made);
}

// Without an issuer it is self-signed.
inline certificate make_certificate(const certificate_wish &wish, const certificate *issuer = nullptr) {
    static long serial = 0;
    certificate made;
    made.key_object.reset(wish.rsa ? EVP_RSA_gen(2048U) : EVP_EC_gen("P-256"), EVP_PKEY_free);
    made.object.reset(X509_new(), X509_free);
    X509 *const object = made.object.get();
    X509_set_version(object, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(object), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(object), wish.first_day * 86400L);
    X509_gmtime_adj(X509_getm_notAfter(object), wish.last_day * 86400L);
    X509_set_pubkey(object, made.key_object.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(object), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char *>(wish.name.c_str()), -1, -1, 0);
    X509 *const by = issuer != nullptr ? issuer->object.get() : object;
    X509_set_issuer_name(object, X509_get_subject_name(by));
    add_extension(object, by, NID_basic_constraints, wish.authority ? "critical,CA:TRUE" : "CA:FALSE");
    if (!wish.alternative_names.empty())
        add_extension(object, by, NID_subject_alt_name, wish.alternative_names);
    EVP_PKEY *const signer = issuer != nullptr ? issuer->key_object.get() : made.key_object.get();
    EXPECT_GT(X509_sign(object, signer, EVP_sha256()), 0);
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
    EXPECT_EQ(PEM_write_bio_X509(memory.get(), object), 1);
    made.pem = text_of(memory.get());
    made.key = key_text(made.key_object.get());
    return made;
}

inline certificate make_authority(const std::string &name = "test authority") {
    return make_certificate({.name = name, .alternative_names = "", .authority = true});
}

// Returns a list of what an authority has revoked, as PEM.
inline std::string make_revocations(const certificate &authority, const std::vector<certificate> &revoked,
                                    int first_day = -1, int last_day = 30) {
    const std::unique_ptr<X509_CRL, decltype(&X509_CRL_free)> list(X509_CRL_new(), X509_CRL_free);
    const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> time(ASN1_TIME_new(), ASN1_TIME_free);
    X509_CRL_set_version(list.get(), 1);
    X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(authority.object.get()));
    X509_gmtime_adj(time.get(), last_day * 86400L);
    X509_CRL_set1_nextUpdate(list.get(), time.get());
    X509_gmtime_adj(time.get(), first_day * 86400L);
    X509_CRL_set1_lastUpdate(list.get(), time.get());
    for (const certificate &one : revoked) {
        X509_REVOKED *const row = X509_REVOKED_new();
        X509_REVOKED_set_serialNumber(row, X509_get_serialNumber(one.object.get()));
        X509_REVOKED_set_revocationDate(row, time.get());
        EXPECT_EQ(X509_CRL_add0_revoked(list.get(), row), 1);
    }
    X509_CRL_sort(list.get());
    EXPECT_GT(X509_CRL_sign(list.get(), authority.key_object.get(), EVP_sha256()), 0);
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
    EXPECT_EQ(PEM_write_bio_X509_CRL(memory.get(), list.get()), 1);
    return text_of(memory.get());
}

// An authority, and a server and a client that it vouches for. They are made once for a program.
struct certificate_set {
    certificate authority = make_authority();
    certificate server = make_certificate({}, &authority);
    certificate client =
        make_certificate({.name = "a client", .alternative_names = "URI:test:client"}, &authority);
};
inline const certificate_set &certificates() {
    static const certificate_set made;
    return made;
}

} // namespace zlink::test
