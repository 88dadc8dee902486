// SPDX-License-Identifier: MPL-2.0
// web_nng: nng over tcp, tls, ws and wss. push to pull, and req to rep (work.hpp).
#include "web/program/work.hpp"

#include <nng/nng.h>
#include <nng/protocol/pipeline0/pull.h>
#include <nng/protocol/pipeline0/push.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/protocol/reqrep0/req.h>
#include <nng/supplemental/tls/tls.h>

namespace {

using bench::body;
using bench::fail;
using bench::web::order;

void check(int code, const char *call) {
    if (code != 0)
        fail("%s: %s", call, nng_strerror(code));
}

class nng_end {
  public:
    explicit nng_end(const order &given) {
        open(given);
        // A protocol that has no such buffer refuses the option. The greatest buffer is 8192 messages.
        (void)nng_socket_set_int(socket_, NNG_OPT_SENDBUF, std::min(given.mark, 8192));
        (void)nng_socket_set_int(socket_, NNG_OPT_RECVBUF, std::min(given.mark, 8192));
        check(nng_socket_set_size(socket_, NNG_OPT_RECVMAXSZ, 0), "nng_socket_set_size");
        given.serves ? listen(given) : dial(given);
    }
    nng_end(const nng_end &) = delete;
    nng_end &operator=(const nng_end &) = delete;
    ~nng_end() { nng_close(socket_); }

    void send(body &message) { check(nng_send(socket_, message.data(), message.size(), 0), "nng_send"); }
    void receive(body &message) {
        std::size_t size = message.size();
        check(nng_recv(socket_, message.data(), &size, 0), "nng_recv");
        if (size != message.size())
            fail("a message of %zu bytes came instead of one of %zu", size, message.size());
    }

  private:
    void open(const order &given) {
        if (given.work == "round_trips")
            check(given.serves ? nng_rep0_open(&socket_) : nng_req0_open(&socket_), "open");
        else
            check(given.sends() ? nng_push0_open(&socket_) : nng_pull0_open(&socket_), "open");
    }
    static std::string address(const order &given) {
        const std::string scheme = given.transport == "tls" ? "tls+tcp" : given.transport;
        return scheme + "://127.0.0.1:" + given.port;
    }
    static nng_tls_config *make_tls(const order &given) {
        nng_tls_config *made = nullptr;
        check(nng_tls_config_alloc(&made, given.serves ? NNG_TLS_MODE_SERVER : NNG_TLS_MODE_CLIENT), "tls");
        if (given.serves) {
            check(nng_tls_config_cert_key_file(made, (given.key + ".joined").c_str(), nullptr), "its key");
        } else {
            check(nng_tls_config_ca_file(made, given.certificate.c_str()), "its authority");
            check(nng_tls_config_server_name(made, "localhost"), "its name");
            check(nng_tls_config_auth_mode(made, NNG_TLS_AUTH_MODE_REQUIRED), "its rule");
        }
        return made;
    }
    void listen(const order &given) {
        nng_listener listener;
        check(nng_listener_create(&listener, socket_, address(given).c_str()), "nng_listener_create");
        if (given.is_encrypted())
            check(nng_listener_set_ptr(listener, NNG_OPT_TLS_CONFIG, make_tls(given)), "nng_listener_set");
        check(nng_listener_start(listener, 0), "nng_listener_start");
    }
    void dial(const order &given) {
        nng_dialer dialer;
        check(nng_dialer_create(&dialer, socket_, address(given).c_str()), "nng_dialer_create");
        if (given.is_encrypted())
            check(nng_dialer_set_ptr(dialer, NNG_OPT_TLS_CONFIG, make_tls(given)), "nng_dialer_set");
        check(nng_dialer_start(dialer, 0), "nng_dialer_start");
    }

    nng_socket socket_ = NNG_SOCKET_INITIALIZER;
};

} // namespace

int main(int count, char **arguments) {
    const std::span<char *const> words(arguments, static_cast<std::size_t>(count));
    if (words.size() == 2 && std::string_view(words[1]) == "--version") {
        std::puts(nng_version());
        return 0;
    }
    const order given = bench::web::read_order(words);
    nng_end end(given);
    bench::web::run(end, given);
}
