// SPDX-License-Identifier: MPL-2.0
// web_zlink: zlink over tcp, tls, ws and wss. PUSH to PULL, and REQ to REP (work.hpp). web_peer is the same
// with a library that is loaded: BENCH_PEER_LIBRARY names it.
#include "web/program/work.hpp"
#include "zmq/loaded_library.hpp"

#include <zlink/options.h>
#include <zmq.h>

namespace {

using bench::body;
using bench::fail;
using bench::web::order;

class zlink_end {
  public:
    explicit zlink_end(const order &given)
        : context_(zmq_ctx_new()), socket_(zmq_socket(context_, type_of(given))) {
        check(zmq_setsockopt(socket_, ZMQ_SNDHWM, &given.mark, sizeof given.mark));
        check(zmq_setsockopt(socket_, ZMQ_RCVHWM, &given.mark, sizeof given.mark));
        constexpr int linger = 0;
        check(zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof linger));
        const std::string endpoint = given.transport + "://127.0.0.1:" + given.port +
                                     (given.transport == "ws" || given.transport == "wss" ? "/" : "");
        if (given.is_encrypted() && given.serves) {
            set_text(ZLINK_TLS_CERT, given.certificate);
            set_text(ZLINK_TLS_KEY, given.key);
        } else if (given.is_encrypted()) {
            set_text(ZLINK_TLS_CA, given.certificate);
        }
        check(given.serves ? zmq_bind(socket_, endpoint.c_str()) : zmq_connect(socket_, endpoint.c_str()));
    }
    zlink_end(const zlink_end &) = delete;
    zlink_end &operator=(const zlink_end &) = delete;
    ~zlink_end() {
        zmq_close(socket_);
        zmq_ctx_term(context_);
    }

    void send(const body &message) { check(zmq_send(socket_, message.data(), message.size(), 0)); }
    void receive(body &message) {
        const int size = zmq_recv(socket_, message.data(), message.size(), 0);
        check(size);
        if (static_cast<std::size_t>(size) != message.size())
            fail("a message of %d bytes came instead of one of %zu", size, message.size());
    }

  private:
    static int type_of(const order &given) {
        if (given.work == "round_trips")
            return given.serves ? ZMQ_REP : ZMQ_REQ;
        return given.sends() ? ZMQ_PUSH : ZMQ_PULL;
    }
    static void check(int code) {
        if (code < 0)
            fail("a call of the library: %s", zmq_strerror(zmq_errno()));
    }
    void set_text(int option, const std::string &text) {
        check(zmq_setsockopt(socket_, option, text.data(), text.size()));
    }

    void *context_;
    void *socket_;
};

} // namespace

int main(int count, char **arguments) {
    const std::span<char *const> words(arguments, static_cast<std::size_t>(count));
    if (words.size() == 2 && std::string_view(words[1]) == "--version") {
        std::puts(bench::find_loaded_library().version.c_str());
        return 0;
    }
    const order given = bench::web::read_order(words);
    zlink_end end(given);
    bench::web::run(end, given);
}
