// SPDX-License-Identifier: MPL-2.0
//
// zmq_getsockopt with more room than the value needs: the size that is answered, and every byte of the
// caller's memory.
#include "option_matrix.h"

enum { ROOM = 24, FILL = 0xaa };

/* One line for each option and size that gives an answer; an answer is shown as the bytes that are not the
 * filling. */
static void show_answers(void *socket, int type, int option, const char *what) {
    for (size_t size = 0; size <= ROOM; size++) {
        unsigned char room[ROOM + 8];
        memset(room, FILL, sizeof room);
        size_t answered = size;
        if (zmq_getsockopt(socket, option, room, &answered) == -1) {
            for (size_t i = 0; i < sizeof room; i++) {
                if (room[i] != FILL) {
                    printf("%s %d: the call fails and writes\n", type_names[type], option);
                    break;
                }
            }
            continue;
        }
        if (option == ZMQ_FD) {
            memset(room, 0, sizeof(int)); /* a number that is no fact */
        }
        printf("%s %s (%d) into %zu bytes: size %zu,", type_names[type], what, option, size, answered);
        for (size_t i = 0; i < sizeof room && room[i] != FILL; i++) {
            printf(" %02x", room[i]);
        }
        printf("\n");
    }
}

int main(void) {
    start();
    static const struct {
        int option;
        const char *name;
    } asked[] = {
        {ZMQ_RCVMORE, "RCVMORE"},         {ZMQ_FD, "FD"},
        {ZMQ_EVENTS, "EVENTS"},           {ZMQ_TYPE, "TYPE"},
        {ZMQ_LINGER, "LINGER"},           {ZMQ_RCVTIMEO, "RCVTIMEO"},
        {ZMQ_IMMEDIATE, "IMMEDIATE"},     {ZMQ_MAXMSGSIZE, "MAXMSGSIZE"},
        {ZMQ_AFFINITY, "AFFINITY"},       {ZMQ_THREAD_SAFE, "THREAD_SAFE"},
        {ZMQ_ROUTING_ID, "ROUTING_ID"},   {ZMQ_LAST_ENDPOINT, "LAST_ENDPOINT"},
        {ZMQ_ZAP_DOMAIN, "ZAP_DOMAIN"},   {ZMQ_PLAIN_USERNAME, "PLAIN_USERNAME"},
        {ZMQ_SOCKS_PROXY, "SOCKS_PROXY"},
    };
    static const int types[] = {ZMQ_DEALER, ZMQ_SUB, ZMQ_ROUTER, ZMQ_STREAM};
    void *context = zmq_ctx_new();
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        void *socket = open_socket(context, types[t]);
        MUST(set_text(socket, ZMQ_ROUTING_ID, "identity"));
        MUST(set_text(socket, ZMQ_PLAIN_USERNAME, "user"));
        char name[ENDPOINT_SIZE];
        snprintf(name, sizeof name, "inproc://%zu", t); /* libzmq forgets the name of a closed socket late */
        MUST(zmq_bind(socket, types[t] == ZMQ_STREAM ? "tcp://127.0.0.1:*" : name));
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            if (asked[i].option != ZMQ_LAST_ENDPOINT || types[t] != ZMQ_STREAM) {
                show_answers(socket, types[t], asked[i].option, asked[i].name);
            }
        }
        zmq_close(socket);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
