/* SPDX-License-Identifier: MPL-2.0 */
/* ROUTER/DEALER: the server knows its clients by their names, and answers whom it wants. */
#include "example.h"

int main(void) {
    char endpoint[64], name[256], text[256];
    void *context = zmq_ctx_new();
    void *server = zmq_socket(context, ZMQ_ROUTER);
    void *client = zmq_socket(context, ZMQ_DEALER);
    bind_somewhere(server, endpoint);
    CHECK(zmq_setsockopt(client, ZMQ_ROUTING_ID, "anna", 4));
    CHECK(zmq_connect(client, endpoint));

    CHECK(zmq_send(client, "two questions", 13, 0));
    receive_text(server, name); /* the first frame is the client's name */
    receive_text(server, text);
    printf("%s has %s\n", name, text);
    for (int answer = 1; answer <= 2; ++answer) {
        CHECK(zmq_send(server, "anna", 4, ZMQ_SNDMORE));
        CHECK(zmq_send(server, "an answer", 9, 0));
        receive_text(client, text);
        printf("%s\n", text);
    }

    zmq_close(client);
    zmq_close(server);
    zmq_ctx_term(context);
    return 0;
}
