// SPDX-License-Identifier: MPL-2.0
//
// Known transports of other kinds, and unknown ones, with each socket type: the error of bind and of connect.
#include "support.h"

int main(void) {
    start();
    static const char *const endpoints[] = {
        "udp://127.0.0.1:5556", "udp://*:5556",  "udp://x",   "nothing://x",
        "tcp6://[::1]:1",       "unix:///tmp/x", "inproc:/x", "ipc:/x"};
    void *context = zmq_ctx_new();
    for (int type = ZMQ_PAIR; type <= ZMQ_STREAM; type++) {
        SECTION("%s", type_names[type]);
        void *socket = open_socket(context, type);
        for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++) {
            int bound = zmq_bind(socket, endpoints[i]);
            printf("%s: bind %s", endpoints[i], bound == -1 ? errno_name(zmq_errno()) : "ok");
            int connected = zmq_connect(socket, endpoints[i]);
            printf(", connect %s\n", connected == -1 ? errno_name(zmq_errno()) : "ok");
        }
        zmq_close(socket);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
