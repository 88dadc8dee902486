// SPDX-License-Identifier: MPL-2.0
// The table of certificates: which ones are refused, by whom, and what the monitors hear. Each row holds for
// tls and for wss. No message passes where a certificate is refused.
#include "bare_peer.hpp"
#include "tls_rig.hpp"

#include <filesystem>
#include <fstream>

namespace zlink::conformance {
namespace {

using test::certificate;
using test::certificate_wish;
using test::certificates;
using test::make_certificate;
using test::make_revocations;

std::string refused(int value) {
    return "auth " + std::to_string(value);
}

const certificate &other_authority() {
    static const certificate made = test::make_authority("another authority");
    return made;
}
const certificate &between() {
    static const certificate made = make_certificate(
        {.name = "between", .alternative_names = "", .authority = true}, &certificates().authority);
    return made;
}

// Who vouches for the certificate of a row.
enum class issuer { authority, between, other, itself };

const certificate *find(issuer who) {
    switch (who) {
    case issuer::authority:
        return &certificates().authority;
    case issuer::between:
        return &between();
    case issuer::other:
        return &other_authority();
    case issuer::itself:
        break;
    }
    return nullptr;
}

// `lists`: gives the text of ZLINK_TLS_CRL for the certificate. 0 in `value`: the certificate is good.
struct row {
    const char *name;
    certificate_wish wish = {};
    int value = 0;
    issuer by = issuer::authority;
    std::function<std::string(const certificate &)> lists = {};
};

std::string list_of_authority(const certificate &) {
    return make_revocations(certificates().authority, {});
}
std::string list_with_it(const certificate &made) {
    return make_revocations(certificates().authority, {certificates().client, made});
}
std::string list_that_is_old(const certificate &) {
    return make_revocations(certificates().authority, {}, -30, -1);
}
std::string list_of_tomorrow(const certificate &) {
    return make_revocations(certificates().authority, {}, 2, 30);
}
std::string list_of_another(const certificate &made) {
    return make_revocations(other_authority(), {made});
}
std::string both_lists(const certificate &) {
    return make_revocations(certificates().authority, {}) + make_revocations(between(), {});
}
std::string list_with_between(const certificate &) {
    return make_revocations(certificates().authority, {between()}) + make_revocations(between(), {});
}

std::vector<row> rows() {
    return {
        {"ecdsa"},
        {"rsa", {.rsa = true}},
        {"chain", {}, 0, issuer::between},
        {"expired", {.first_day = -9, .last_day = -1}, ZLINK_TLS_FAILED_EXPIRED},
        {"rsa expired", {.first_day = -9, .last_day = -1, .rsa = true}, ZLINK_TLS_FAILED_EXPIRED},
        {"not yet valid", {.first_day = 2}, ZLINK_TLS_FAILED_NOT_YET_VALID},
        {"self-signed", {}, ZLINK_TLS_FAILED_UNTRUSTED, issuer::itself},
        {"another authority", {}, ZLINK_TLS_FAILED_UNTRUSTED, issuer::other},
        {"not in the list", {}, 0, issuer::authority, list_of_authority},
        {"revoked", {}, ZLINK_TLS_FAILED_REVOKED, issuer::authority, list_with_it},
        {"rsa revoked", {.rsa = true}, ZLINK_TLS_FAILED_REVOKED, issuer::authority, list_with_it},
        {"an old list", {}, ZLINK_TLS_FAILED_NO_CRL, issuer::authority, list_that_is_old},
        {"a list of tomorrow", {}, ZLINK_TLS_FAILED_NO_CRL, issuer::authority, list_of_tomorrow},
        {"a list of another", {}, ZLINK_TLS_FAILED_NO_CRL, issuer::authority, list_of_another},
        {"a chain with both lists", {}, 0, issuer::between, both_lists},
        {"a chain with one list", {}, ZLINK_TLS_FAILED_NO_CRL, issuer::between, list_of_authority},
        {"a chain whose middle is revoked", {}, ZLINK_TLS_FAILED_REVOKED, issuer::between, list_with_between},
    };
}

certificate make(const row &one) {
    certificate made = make_certificate(one.wish, find(one.by));
    if (one.by == issuer::between)
        made.pem += between().pem;
    return made;
}

class certificates_of : public ::testing::TestWithParam<const char *> {
  protected:
    [[nodiscard]] std::string any_port() const { return std::string(GetParam()) + "://127.0.0.1:*"; }
    static void trust(socket &of) { of.set(ZLINK_TLS_CA, certificates().authority.pem); }
    static void set_lists(socket &of, const row &one, const certificate &made) {
        if (one.lists)
            of.set(ZLINK_TLS_CRL, one.lists(made));
    }
    // `refuses`: the monitor of who looks at the certificate.
    static void expect(const row &one, socket &pull, socket &push, handshake_monitor &refuses) {
        if (one.value == 0) {
            EXPECT_EQ(push.send("good"), 0);
            EXPECT_EQ(pull.receive(), "good");
            return;
        }
        EXPECT_EQ(push.send("secret"), 0);
        EXPECT_EQ(refuses.next(), refused(one.value));
        EXPECT_EQ(refuses.next(), refused(one.value)); // it is tried again
        EXPECT_FALSE(pull.ready(ZMQ_POLLIN, 0));
    }
    context owner;
};
INSTANTIATE_TEST_SUITE_P(over, certificates_of, ::testing::Values("tls", "wss"),
                         [](const auto &about) { return std::string(about.param); });

TEST_P(certificates_of, a_server_are_looked_at_by_the_client) {
    for (const row &one : rows()) {
        SCOPED_TRACE(one.name);
        const certificate made = make(one);
        socket pull(owner, ZMQ_PULL);
        socket push(owner, ZMQ_PUSH);
        own(pull, made);
        ASSERT_EQ(bind_plainly(pull, any_port()), 0);
        trust(push);
        set_lists(push, one, made);
        push.set(ZMQ_RECONNECT_IVL, 1);
        handshake_monitor listening(owner, pull);
        handshake_monitor calling(owner, push);
        ASSERT_EQ(connect_plainly(push, pull.last_endpoint()), 0);
        expect(one, pull, push, calling);
        if (one.value != 0) {
            EXPECT_EQ(listening.next(), refused(ZLINK_TLS_FAILED_REFUSED));
        }
    }
}

TEST_P(certificates_of, a_client_are_looked_at_by_the_listener) {
    for (const row &one : rows()) {
        SCOPED_TRACE(one.name);
        const certificate made = make(one);
        socket pull(owner, ZMQ_PULL);
        socket push(owner, ZMQ_PUSH);
        own(pull, certificates().server);
        trust(pull);
        pull.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
        set_lists(pull, one, made);
        ASSERT_EQ(bind_plainly(pull, any_port()), 0);
        trust(push);
        own(push, made);
        push.set(ZMQ_RECONNECT_IVL, 1);
        handshake_monitor listening(owner, pull);
        ASSERT_EQ(connect_plainly(push, pull.last_endpoint()), 0);
        expect(one, pull, push, listening);
    }
}

TEST_P(certificates_of, a_client_without_one_is_refused) {
    socket pull(owner, ZMQ_PULL);
    socket push(owner, ZMQ_PUSH);
    own(pull, certificates().server);
    trust(pull);
    pull.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    ASSERT_EQ(bind_plainly(pull, any_port()), 0);
    trust(push);
    push.set(ZMQ_RECONNECT_IVL, 1);
    handshake_monitor listening(owner, pull);
    ASSERT_EQ(connect_plainly(push, pull.last_endpoint()), 0);
    expect({"none", {}, ZLINK_TLS_FAILED_NO_CERT}, pull, push, listening);
}

TEST_P(certificates_of, another_host_is_refused) {
    for (const char *name : {"DNS:other.example", "IP:127.0.0.2", "DNS:127.0.0.1", ""}) {
        SCOPED_TRACE(name);
        socket pull(owner, ZMQ_PULL);
        socket push(owner, ZMQ_PUSH);
        own(pull,
            make_certificate({.name = "127.0.0.1", .alternative_names = name}, &certificates().authority));
        ASSERT_EQ(bind_plainly(pull, any_port()), 0);
        trust(push);
        push.set(ZMQ_RECONNECT_IVL, 1);
        handshake_monitor calling(owner, push);
        ASSERT_EQ(connect_plainly(push, pull.last_endpoint()), 0);
        expect({name, {}, ZLINK_TLS_FAILED_HOSTNAME}, pull, push, calling);
    }
}

TEST_P(certificates_of, no_pair_are_refused_by_bind_and_connect) {
    const certificate leaf = make_certificate({}, &between());
    const auto &set = certificates();
    struct pair {
        const char *name;
        std::string pem, key, password;
        int of_bind, of_connect;
    };
    const std::string sealed = test::key_text(set.server.key_object.get(), "sesame");
    const pair pairs[] = {
        {"nothing", "", "", "", EINVAL, 0},
        {"no key", set.server.pem, "", "", EINVAL, EINVAL},
        {"no certificate", "", set.server.key, "", EINVAL, EINVAL},
        {"the key of another one", set.server.pem, set.client.key, "", EKEYREJECTED, EKEYREJECTED},
        {"a key of another kind", set.server.pem, make_certificate({.rsa = true}).key, "", EKEYREJECTED,
         EKEYREJECTED},
        {"a chain in the wrong order", between().pem + leaf.pem, leaf.key, "", EKEYREJECTED, EKEYREJECTED},
        {"a sealed key without its password", set.server.pem, sealed, "", EPERM, EPERM},
        {"a sealed key with another password", set.server.pem, sealed, "open", EPERM, EPERM},
        {"a sealed key", set.server.pem, sealed, "sesame", 0, 0},
    };
    for (const pair &one : pairs) {
        SCOPED_TRACE(one.name);
        socket pull(owner, ZMQ_PULL);
        socket push(owner, ZMQ_PUSH);
        for (socket *each : {&pull, &push}) {
            each->set(ZLINK_TLS_CERT, one.pem);
            each->set(ZLINK_TLS_KEY, one.key);
            each->set(ZLINK_TLS_KEY_PASSWORD, one.password);
        }
        trust(push);
        EXPECT_EQ(bind_plainly(pull, any_port()), one.of_bind);
        EXPECT_EQ(connect_plainly(push, std::string(GetParam()) + "://127.0.0.1:1"), one.of_connect);
    }
}

// ---- lists of revoked certificates

TEST_P(certificates_of, a_list_has_to_be_one) {
    socket push(owner, ZMQ_PUSH);
    const std::string good = make_revocations(certificates().authority, {});
    EXPECT_EQ(set_text(push, ZLINK_TLS_CRL, "/nowhere/at/all"), ENOENT);
    EXPECT_EQ(set_text(push, ZLINK_TLS_CRL, certificates().authority.pem), EINVAL);
    EXPECT_EQ(set_text(push, ZLINK_TLS_CRL, "-----BEGIN X509 CRL-----\nno\n-----END X509 CRL-----\n"),
              EINVAL);
    EXPECT_EQ(set_text(push, ZLINK_TLS_CRL, good), 0);
    char text[8192];
    std::size_t size = sizeof text;
    ASSERT_EQ(zmq_getsockopt(push.handle(), ZLINK_TLS_CRL, text, &size), 0);
    EXPECT_EQ(std::string(text), good);
    EXPECT_EQ(set_text(push, ZLINK_TLS_CRL, ""), 0);
    EXPECT_STREQ(zmq_strerror(ZLINK_TLS_FAILED_REVOKED), "A certificate of the peer is revoked");
}

// A file that names a client later holds from the next handshake on. The ticket of the first one does not
// help.
TEST_P(certificates_of, a_list_in_a_file_is_read_again_when_it_has_changed) {
    const std::string path = ::testing::TempDir() + "zlink-crl-" + GetParam() + std::to_string(::getpid());
    const auto write = [&](const std::string &text) {
        std::ofstream(path + ".new") << text;
        std::filesystem::rename(path + ".new", path);
    };
    write(make_revocations(certificates().authority, {}));
    socket pull(owner, ZMQ_PULL);
    own(pull, certificates().server);
    trust(pull);
    pull.set(ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    pull.set(ZLINK_TLS_CRL, path);
    const std::int64_t longest = 100;
    zmq_setsockopt(pull.handle(), ZMQ_MAXMSGSIZE, &longest, sizeof longest);
    ASSERT_EQ(bind_plainly(pull, any_port()), 0);
    socket push(owner, ZMQ_PUSH);
    trust(push);
    own(push, certificates().client);
    push.set(ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ(connect_plainly(push, pull.last_endpoint()), 0);
    EXPECT_EQ(push.send("before"), 0);
    EXPECT_EQ(pull.receive(), "before");
    write(make_revocations(certificates().authority, {certificates().client}));
    EXPECT_EQ(push.send("connections stay"), 0);
    EXPECT_EQ(pull.receive(), "connections stay");
    handshake_monitor listening(owner, pull);
    EXPECT_EQ(push.send(frames{std::string(200, 'x')}), 0); // the listener ends the connection
    EXPECT_EQ(listening.next(), refused(ZLINK_TLS_FAILED_REVOKED));
    EXPECT_EQ(push.send("secret"), 0);
    std::filesystem::remove(path); // what was read last stays in use
    EXPECT_EQ(listening.next(), refused(ZLINK_TLS_FAILED_REVOKED));
    EXPECT_FALSE(pull.ready(ZMQ_POLLIN, 0));
}

} // namespace
} // namespace zlink::conformance
