/* SPDX-License-Identifier: MPL-2.0 */
/* REQ/REP: a client asks, a server answers. The two sockets could be in two programs. */
#include "example.h"

int main(void) {
    char endpoint[64], text[256];
    void *context = zmq_ctx_new();
    void *server = zmq_socket(context, ZMQ_REP);
    void *client = zmq_socket(context, ZMQ_REQ);
    bind_somewhere(server, endpoint);
    CHECK(zmq_connect(client, endpoint));

    CHECK(zmq_send(client, "Hello", 5, 0));
    receive_text(server, text);
    CHECK(zmq_send(server, "World", 5, 0));
    printf("asked: %s\n", text);
    receive_text(client, text);
    printf("answered: %s\n", text);

    zmq_close(client);
    zmq_close(server);
    zmq_ctx_term(context);
    return 0;
}
