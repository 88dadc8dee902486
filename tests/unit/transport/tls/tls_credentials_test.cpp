// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/tls_credentials.hpp"

#include <gtest/gtest.h>
#include <openssl/ui.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tls_certificates.hpp"
#include "transport/tls/tls_peer.hpp"

namespace zlink::transport {
namespace {

using test::certificates;

class folder {
  public:
    folder() {
        std::string pattern = std::filesystem::temp_directory_path() / "zlink-tls-XXXXXX";
        EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
        path_ = pattern;
    }
    ~folder() { std::filesystem::remove_all(path_); }
    folder(const folder &) = delete;
    [[nodiscard]] std::string put(const std::string &name, const std::string &text) const {
        const std::string fresh = path_ / (name + ".new");
        std::ofstream(fresh) << text;
        std::filesystem::rename(fresh, path_ / name);
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

int set_code(const std::string &certificate, const std::string &key, const std::string &password = {}) {
    tls_options options;
    options.certificate = certificate;
    options.key = key;
    options.key_password = password;
    tls_credentials made;
    return made.set(options).code();
}

std::string subject(tls_credentials &of) {
    return subject_of(of.current()->chain.front().get());
}

TEST(tls_credentials, says_what_is_wrong) {
    const auto &server = certificates().server;
    const std::string locked = test::key_text(server.key_object.get(), "sesame");
    EXPECT_EQ(set_code("", ""), 0);
    EXPECT_EQ(set_code(server.pem, server.key), 0);
    EXPECT_EQ(set_code(server.pem, ""), EINVAL);
    EXPECT_EQ(set_code("", server.key), EINVAL);
    EXPECT_EQ(set_code(server.pem, certificates().client.key), EKEYREJECTED);
    EXPECT_EQ(set_code(server.pem, locked), EPERM);
    EXPECT_EQ(set_code(server.pem, locked, "wrong"), EPERM);
    EXPECT_EQ(set_code(server.pem, locked, "sesame"), 0);
    EXPECT_EQ(set_code("/nowhere/at/all", server.key), ENOENT);
    EXPECT_EQ(set_code(server.pem, "/nowhere/at/all"), ENOENT);
    EXPECT_EQ(set_code("/dev/zero", server.key), EINVAL);
    EXPECT_EQ(set_code(server.key, server.key), EINVAL);
    EXPECT_EQ(set_code(server.pem, server.pem), EINVAL);
    EXPECT_EQ(set_code(server.pem.substr(0, server.pem.size() / 2), server.key), EINVAL);
    EXPECT_EQ(set_code(server.pem + server.pem.substr(0, server.pem.size() / 2), server.key), EINVAL);
    EXPECT_EQ(set_code(server.pem, server.key.substr(0, server.key.size() / 2)), EINVAL);
}

bool asked = false;
int note_question(UI *, UI_STRING *) {
    asked = true;
    return 0;
}

// OpenSSL asks the terminal for a password if it is left to itself.
TEST(tls_credentials, asks_nobody_for_the_password_of_a_certificate) {
    std::string encrypted = certificates().server.pem;
    encrypted.insert(encrypted.find('\n') + 1, "Proc-Type: 4,ENCRYPTED\n"
                                               "DEK-Info: AES-128-CBC,000102030405060708090A0B0C0D0E0F\n\n");
    tls_credentials used;
    tls_options options;
    options.certificate = encrypted;
    options.key = certificates().server.key;
    const std::unique_ptr<UI_METHOD, openssl_deleter<UI_destroy_method>> terminal(UI_create_method("test"));
    UI_method_set_reader(terminal.get(), note_question);
    UI_set_default_method(terminal.get());
    EXPECT_EQ(used.set(options).code(), EINVAL);
    UI_set_default_method(UI_OpenSSL());
    EXPECT_FALSE(asked);
}

TEST(tls_credentials, reads_files) {
    const folder files;
    const std::string certificate = files.put("cert", certificates().server.pem);
    const std::string key = files.put("key", certificates().server.key);
    EXPECT_EQ(set_code(certificate, key), 0);
    EXPECT_EQ(set_code(certificate, certificates().server.key), 0);
    EXPECT_EQ(set_code(files.put("empty", ""), key), EINVAL);
    EXPECT_EQ(set_code(files.put("text", "no certificate"), key), EINVAL);
}

// Between two changes the pair does not fit, and the old one stays in use.
TEST(tls_credentials, follows_files_that_change) {
    const folder files;
    tls_options options;
    options.certificate = files.put("cert", certificates().server.pem);
    options.key = files.put("key", certificates().server.key);
    tls_credentials used;
    ASSERT_TRUE(used.set(options));
    const auto first = used.current();
    EXPECT_EQ(used.current(), first);
    const auto fresh = test::make_certificate({.name = "renewed"}, &certificates().authority);
    (void)files.put("cert", fresh.pem);
    EXPECT_EQ(subject(used), "CN=localhost");
    (void)files.put("key", fresh.key);
    EXPECT_EQ(subject(used), "CN=renewed");
    (void)files.put("cert", "half of a cert");
    EXPECT_EQ(subject(used), "CN=renewed");
    std::filesystem::remove(options.certificate);
    EXPECT_EQ(subject(used), "CN=renewed");
}

TEST(tls_credentials, keeps_what_there_was_when_a_set_fails) {
    tls_options options;
    options.certificate = certificates().server.pem;
    options.key = certificates().server.key;
    tls_credentials used;
    ASSERT_TRUE(used.set(options));
    options.key = certificates().client.key;
    EXPECT_EQ(used.set(options).code(), EKEYREJECTED);
    EXPECT_EQ(subject(used), "CN=localhost");
}

// A name must not look like two.
TEST(tls_peer, writes_strange_names_so_that_they_cannot_be_taken_for_others) {
    const auto strange = test::make_certificate({.name = "a, b+c", .alternative_names = "URI:x%2cDNS:evil"});
    EXPECT_EQ(subject_of(strange.object.get()), "CN=a\\, b\\+c");
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *text = ASN1_IA5STRING_new();
    ASN1_STRING_set(text, "a,DNS:evil\0\\", 12);
    GENERAL_NAME_set0_value(name, GEN_DNS, text);
    sk_GENERAL_NAME_push(names, name);
    const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
    EXPECT_EQ(X509_add1_ext_i2d(made.get(), NID_subject_alt_name, names, 0, 0), 1);
    GENERAL_NAMES_free(names);
    EXPECT_EQ(alternative_names_of(made.get()), "DNS:a\\x2cDNS:evil\\x00\\x5c");
}

} // namespace
} // namespace zlink::transport
