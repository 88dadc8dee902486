// SPDX-License-Identifier: MPL-2.0
// Which endpoints share a context of OpenSSL, and that they share no session.
#include "transport/tls/tls_rules.hpp"

#include "tls_ends.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <openssl/param_build.h>

namespace zlink::transport {
namespace {

tls_rules client_rules() {
    tls_rules rules;
    rules.authorities = certificates().authority.pem;
    rules.min_version = TLS1_3_VERSION;
    return rules;
}

tls_credentials::loaded loaded(const test::certificate &from) {
    tls_credentials::loaded made;
    made.chain = *read_certificates(from.pem);
    made.key = *read_key(from.key, "");
    return made;
}

shared_ssl_context found(const tls_rules &rules, const tls_credentials::loaded &own = {}) {
    auto made = find_ssl_context(rules, own);
    EXPECT_TRUE(made) << made.code();
    return made ? *std::move(made) : nullptr;
}

class text_file {
  public:
    explicit text_file(const std::string &text) {
        std::string pattern = std::filesystem::temp_directory_path() / "zlink-tls-rules-XXXXXX";
        ::close(::mkstemp(pattern.data()));
        path_ = pattern;
        write(text);
    }
    ~text_file() { std::filesystem::remove(path_); }
    text_file(const text_file &) = delete;
    void write(const std::string &text) const { std::ofstream(path_) << text; }
    [[nodiscard]] const std::string &path() const { return path_; }

  private:
    std::string path_;
};

// A key with the public half of one certificate and the private half of another.
key_handle forged(const test::certificate &public_half, const test::certificate &private_half) {
    const auto one = *read_key(public_half.key, ""), other = *read_key(private_half.key, "");
    std::array<char, 80> group{};
    std::array<unsigned char, 200> point{};
    std::size_t size = 0;
    BIGNUM *secret = nullptr;
    EXPECT_EQ(EVP_PKEY_get_group_name(one.get(), group.data(), group.size(), nullptr), 1);
    EXPECT_EQ(EVP_PKEY_get_octet_string_param(one.get(), "pub", point.data(), point.size(), &size), 1);
    EXPECT_EQ(EVP_PKEY_get_bn_param(other.get(), "priv", &secret), 1);
    OSSL_PARAM_BLD *const parts = OSSL_PARAM_BLD_new();
    OSSL_PARAM_BLD_push_utf8_string(parts, "group", group.data(), 0);
    OSSL_PARAM_BLD_push_octet_string(parts, "pub", point.data(), size);
    OSSL_PARAM_BLD_push_BN(parts, "priv", secret);
    OSSL_PARAM *const all = OSSL_PARAM_BLD_to_param(parts);
    EVP_PKEY_CTX *const maker = EVP_PKEY_CTX_new_from_name(openssl_library(), "EC", nullptr);
    EVP_PKEY *made = nullptr;
    EXPECT_EQ(EVP_PKEY_fromdata_init(maker), 1);
    EXPECT_EQ(EVP_PKEY_fromdata(maker, &made, EVP_PKEY_KEYPAIR, all), 1);
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(all);
    OSSL_PARAM_BLD_free(parts);
    BN_clear_free(secret);
    return key_handle(made);
}

TEST(tls_rules, a_forged_key_does_not_find_the_context_of_the_right_one) {
    const auto one = test::make_certificate({}, &certificates().authority);
    const auto other = test::make_certificate({}, &certificates().authority);
    const auto right = found(client_rules(), loaded(one));
    EXPECT_EQ(found(client_rules(), loaded(one)), right);
    auto wrong = loaded(one);
    wrong.key = forged(one, other);
    ASSERT_TRUE(wrong.key);
    EXPECT_NE(found(client_rules(), wrong), right);
}

TEST(tls_rules, clients_with_equal_rules_share_a_context) {
    const auto first = found(client_rules());
    EXPECT_EQ(found(client_rules()), first);
    const text_file same(certificates().authority.pem);
    auto by_path = client_rules();
    by_path.authorities = same.path();
    EXPECT_EQ(found(by_path), first); // what was read is equal
}

TEST(tls_rules, every_difference_makes_another_context) {
    const auto first = found(client_rules());
    const std::pair<const char *, std::function<void(tls_rules &)>> changes[] = {
        {"authorities", [](tls_rules &of) { of.authorities = test::make_authority("another").pem; }},
        {"one more authority", [](tls_rules &of) { of.authorities += test::make_authority("more").pem; }},
        {"lists",
         [](tls_rules &of) { of.revocations = test::make_revocations(certificates().authority, {}); }},
        {"system", [](tls_rules &of) { of.trust_system = 1; }},
        {"verification", [](tls_rules &of) { of.verifies = false; }},
        {"version", [](tls_rules &of) { of.min_version = TLS1_2_VERSION; }},
        {"protocol names", [](tls_rules &of) { of.protocols = "\1a"; }},
    };
    std::vector<shared_ssl_context> all{first};
    for (const auto &[name, change] : changes) {
        auto rules = client_rules();
        change(rules);
        const auto other = found(rules);
        EXPECT_EQ(std::ranges::count(all, other), 0) << name;
        EXPECT_EQ(found(rules), other) << name;
        all.push_back(other);
    }
    const auto with_certificate = found(client_rules(), loaded(certificates().client));
    EXPECT_NE(with_certificate, first);
    EXPECT_EQ(found(client_rules(), loaded(certificates().client)), with_certificate);
    EXPECT_NE(found(client_rules(), loaded(certificates().server)), with_certificate);
}

TEST(tls_rules, listeners_share_none) {
    tls_rules rules;
    rules.role = tls_role::server;
    rules.verifies = false;
    rules.min_version = TLS1_3_VERSION;
    const auto own = loaded(certificates().server);
    const auto first = found(rules, own);
    EXPECT_NE(found(rules, own), first); // the keys of tickets are in it
    EXPECT_EQ(find_ssl_context(rules, {}).code(), EINVAL);
}

// The size and the time of the file may stay as they are.
TEST(tls_rules, a_file_that_has_changed_makes_another_context) {
    const text_file file(certificates().authority.pem);
    auto rules = client_rules();
    rules.authorities = file.path();
    const auto first = found(rules);
    const auto time = std::filesystem::last_write_time(file.path());
    file.write(test::make_authority("test authority").pem);
    std::filesystem::last_write_time(file.path(), time);
    EXPECT_NE(found(rules), first);
    file.write("nothing of use");
    EXPECT_EQ(find_ssl_context(rules, {}).code(), EINVAL);
}

TEST(tls_rules, follows_the_files_of_the_system) {
    const text_file file(certificates().authority.pem);
    ASSERT_EQ(::setenv("SSL_CERT_FILE", file.path().c_str(), 1), 0);
    auto rules = client_rules();
    rules.authorities.clear();
    const auto first = found(rules);
    EXPECT_EQ(found(rules), first);
    file.write(certificates().authority.pem + test::make_authority("more").pem);
    EXPECT_NE(found(rules), first);
    ::unsetenv("SSL_CERT_FILE");
    EXPECT_NE(found(rules), first);
}

TEST(tls_rules, nothing_is_kept_after_the_last_endpoint) {
    auto rules = client_rules();
    rules.protocols = "\4last";
    auto one = found(rules);
    SSL_CTX *const seen = one.get();
    ASSERT_EQ(SSL_CTX_up_ref(seen), 1); // so that no other gets this address
    one.reset();
    EXPECT_NE(found(rules).get(), seen);
    SSL_CTX_free(seen);
}

// ---- sessions belong to endpoints

bool resumes(const std::shared_ptr<tls_context> &client, const std::shared_ptr<tls_context> &server) {
    both ends(client, server);
    ends.shake();
    EXPECT_TRUE(ends.open());
    const bool resumed = ends.client->resumed();
    EXPECT_EQ(ends.server->resumed(), resumed);
    read_all(*ends.client); // takes the ticket
    return resumed;
}

TEST(tls_rules, endpoints_that_share_a_context_share_no_session) {
    const auto server = context_of(tls_role::server, server_options());
    const auto one = context_of(tls_role::client, client_options());
    const auto other = context_of(tls_role::client, client_options());
    EXPECT_FALSE(resumes(one, server));
    EXPECT_FALSE(resumes(other, server));
    EXPECT_TRUE(resumes(one, server));
    EXPECT_TRUE(resumes(other, server));
}

TEST(tls_rules, a_listener_takes_no_ticket_of_another_one) {
    const auto client = context_of(tls_role::client, client_options());
    EXPECT_FALSE(resumes(client, context_of(tls_role::server, server_options())));
    EXPECT_FALSE(resumes(client, context_of(tls_role::server, server_options())));
}

TEST(tls_rules, all_that_share_follow_a_renewed_file) {
    const auto fresh = test::make_authority("renewed authority");
    const auto of_fresh = test::make_certificate({}, &fresh);
    auto renewed = server_options();
    renewed.certificate = of_fresh.pem;
    renewed.key = of_fresh.key;
    const auto before = context_of(tls_role::server, server_options());
    const auto after = context_of(tls_role::server, renewed);
    const text_file file(certificates().authority.pem);
    tls_options options;
    options.authorities = file.path();
    const auto one = context_of(tls_role::client, options);
    const auto other = context_of(tls_role::client, options);
    resumes(one, before);
    file.write(fresh.pem + fresh.pem); // of another size
    EXPECT_FALSE(resumes(one, after));
    EXPECT_FALSE(resumes(other, after));
    both stale(other, before);
    stale.shake();
    EXPECT_EQ(stale.client->failure(), tls_failure::untrusted);
}

TEST(tls_rules, a_child_makes_contexts_of_its_own) {
    const auto first = found(client_rules());
    const pid_t child = ::fork();
    if (child == 0) {
        const auto made = find_ssl_context(client_rules(), {});
        ::_exit(made && *made != first ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(found(client_rules()), first);
}

} // namespace
} // namespace zlink::transport
