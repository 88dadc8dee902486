// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/tls_peer.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <memory>
#include <openssl/x509v3.h>
#include <span>
#include <string_view>

namespace zlink::transport {
namespace {

struct failure_row {
    long found;
    tls_failure failure;
};
constexpr auto verification_rows = std::to_array<failure_row>({
    {X509_V_ERR_CERT_HAS_EXPIRED, tls_failure::expired},
    {X509_V_ERR_CERT_NOT_YET_VALID, tls_failure::not_yet_valid},
    {X509_V_ERR_HOSTNAME_MISMATCH, tls_failure::other_host},
    {X509_V_ERR_IP_ADDRESS_MISMATCH, tls_failure::other_host},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, tls_failure::untrusted},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, tls_failure::untrusted},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, tls_failure::untrusted},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, tls_failure::untrusted},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, tls_failure::untrusted},
    {X509_V_ERR_CERT_UNTRUSTED, tls_failure::untrusted},
    {X509_V_ERR_CERT_SIGNATURE_FAILURE, tls_failure::untrusted},
    {X509_V_ERR_OUT_OF_MEM, tls_failure::no_memory},
    {X509_V_ERR_CERT_REVOKED, tls_failure::revoked},
    {X509_V_ERR_UNABLE_TO_GET_CRL, tls_failure::no_revocations},
    {X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER, tls_failure::no_revocations},
    {X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE, tls_failure::no_revocations},
    {X509_V_ERR_CRL_SIGNATURE_FAILURE, tls_failure::no_revocations},
    {X509_V_ERR_CRL_NOT_YET_VALID, tls_failure::no_revocations},
    {X509_V_ERR_CRL_HAS_EXPIRED, tls_failure::no_revocations},
    {X509_V_ERR_ERROR_IN_CRL_LAST_UPDATE_FIELD, tls_failure::no_revocations},
    {X509_V_ERR_ERROR_IN_CRL_NEXT_UPDATE_FIELD, tls_failure::no_revocations},
    {X509_V_ERR_KEYUSAGE_NO_CRL_SIGN, tls_failure::no_revocations},
    {X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION, tls_failure::no_revocations},
    {X509_V_ERR_DIFFERENT_CRL_SCOPE, tls_failure::no_revocations},
    {X509_V_ERR_CRL_PATH_VALIDATION_ERROR, tls_failure::no_revocations},
});
constexpr auto received_rows = std::to_array<failure_row>({
    {SSL_AD_BAD_CERTIFICATE, tls_failure::refused},
    {SSL_AD_UNSUPPORTED_CERTIFICATE, tls_failure::refused},
    {SSL_AD_CERTIFICATE_REVOKED, tls_failure::refused},
    {SSL_AD_CERTIFICATE_EXPIRED, tls_failure::refused},
    {SSL_AD_CERTIFICATE_UNKNOWN, tls_failure::refused},
    {SSL_AD_UNKNOWN_CA, tls_failure::refused},
    {SSL_AD_ACCESS_DENIED, tls_failure::refused},
    {SSL_AD_CERTIFICATE_REQUIRED, tls_failure::refused},
    {SSL_AD_HANDSHAKE_FAILURE, tls_failure::version},
    {SSL_AD_PROTOCOL_VERSION, tls_failure::version},
    {SSL_AD_INSUFFICIENT_SECURITY, tls_failure::version},
    {SSL_AD_NO_APPLICATION_PROTOCOL, tls_failure::protocol_name},
});
constexpr auto sent_rows = std::to_array<failure_row>({
    {SSL_AD_CERTIFICATE_REQUIRED, tls_failure::no_certificate},
    {SSL_AD_HANDSHAKE_FAILURE, tls_failure::version},
    {SSL_AD_PROTOCOL_VERSION, tls_failure::version},
    {SSL_AD_INSUFFICIENT_SECURITY, tls_failure::version},
    {SSL_AD_NO_APPLICATION_PROTOCOL, tls_failure::protocol_name},
});

tls_failure find(std::span<const failure_row> rows, long found, tls_failure otherwise) noexcept {
    const auto row = std::ranges::find(rows, found, &failure_row::found);
    return row != rows.end() ? row->failure : otherwise;
}

std::string escaped(std::string_view name) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string plain;
    for (const char each : name) {
        const auto byte = static_cast<unsigned char>(each);
        if (byte > 0x20 && byte < 0x7f && byte != ',' && byte != '\\') {
            plain.push_back(each);
            continue;
        }
        plain += "\\x";
        plain.push_back(digits[byte >> 4U]);
        plain.push_back(digits[byte & 0xfU]);
    }
    return plain;
}

std::string_view text_of_string(const ASN1_STRING *text) noexcept {
    return {reinterpret_cast<const char *>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(std::max(ASN1_STRING_length(text), 0))};
}

std::string address_text(std::string_view bytes) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int family = bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6;
    const bool known = bytes.size() == sizeof(in_addr) || bytes.size() == sizeof(in6_addr);
    if (!known || ::inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr)
        return escaped(bytes);
    return text.data();
}

// Returns an empty text for a kind that is not shown.
std::string text_of_name(const GENERAL_NAME &name) {
    switch (name.type) {
    case GEN_DNS:
        return "DNS:" + escaped(text_of_string(name.d.dNSName));
    case GEN_EMAIL:
        return "email:" + escaped(text_of_string(name.d.rfc822Name));
    case GEN_URI:
        return "URI:" + escaped(text_of_string(name.d.uniformResourceIdentifier));
    case GEN_IPADD:
        return "IP:" + address_text(text_of_string(name.d.iPAddress));
    default:
        return {};
    }
}

} // namespace

tls_failure failure_of_verification(long found) noexcept {
    return find(verification_rows, found, tls_failure::bad_certificate);
}

tls_failure failure_of_received_alert(int alert) noexcept {
    return find(received_rows, alert, tls_failure::protocol);
}

tls_failure failure_of_sent_alert(int alert) noexcept {
    return find(sent_rows, alert, tls_failure::protocol);
}

std::string subject_of(const X509 *certificate) {
    const bio_handle text(BIO_new(BIO_s_mem()));
    if (!text || X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) < 0)
        return {};
    char *data = nullptr;
    const long size = BIO_get_mem_data(text.get(), &data);
    return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string alternative_names_of(const X509 *certificate) {
    const std::unique_ptr<GENERAL_NAMES, openssl_deleter<GENERAL_NAMES_free>> names(
        static_cast<GENERAL_NAMES *>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    std::string all;
    for (int at = 0; names && at < sk_GENERAL_NAME_num(names.get()); ++at) {
        const std::string one = text_of_name(*sk_GENERAL_NAME_value(names.get(), at));
        if (!one.empty())
            all += (all.empty() ? "" : ",") + one;
    }
    return all;
}

std::string fingerprint_of(const X509 *certificate) {
    constexpr std::string_view digits = "0123456789abcdef";
    const std::unique_ptr<EVP_MD, openssl_deleter<EVP_MD_free>> digest(
        EVP_MD_fetch(openssl_library(), "SHA256", nullptr));
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned int size = 0;
    if (!digest || X509_digest(certificate, digest.get(), bytes.data(), &size) != 1)
        return {};
    std::string text;
    for (const unsigned char byte : std::span(bytes).first(size)) {
        text.push_back(digits[byte >> 4U]);
        text.push_back(digits[byte & 0xfU]);
    }
    return text;
}

tls_session::properties facts_of_peer(const SSL *of) {
    const openssl_errors_kept errors;
    tls_session::properties facts;
    facts.emplace_back("Tls-Version", SSL_get_version(of));
    if (const SSL_CIPHER *const cipher = SSL_get_current_cipher(of))
        facts.emplace_back("Tls-Cipher", SSL_CIPHER_get_name(cipher));
    const unsigned char *name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(of, &name, &size);
    if (size != 0)
        facts.emplace_back("Tls-Alpn", std::string(reinterpret_cast<const char *>(name), size));
    if (const X509 *const certificate = SSL_get0_peer_certificate(of)) {
        facts.emplace_back("Tls-Subject", subject_of(certificate));
        facts.emplace_back("Tls-Alternative-Names", alternative_names_of(certificate));
        facts.emplace_back("Tls-Fingerprint", fingerprint_of(certificate));
    }
    return facts;
}

} // namespace zlink::transport
