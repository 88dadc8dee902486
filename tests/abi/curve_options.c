// SPDX-License-Identifier: MPL-2.0
//
// Keys of CURVE as options, in every form and length; how they and the options of PLAIN choose the mechanism;
// and key pairs as text.
#include "security.h"

static void show_state(void *socket) {
    printf("  mechanism %d, plain server %d, curve server %d\n", get_int(socket, ZMQ_MECHANISM),
           get_int(socket, ZMQ_PLAIN_SERVER), get_int(socket, ZMQ_CURVE_SERVER));
}

static void get_all_sizes(void *socket, int option) {
    for (size_t size = 0; size <= 64; size++) {
        unsigned char value[64];
        size_t given = size;
        if (zmq_getsockopt(socket, option, value, &given) == 0) {
            printf("  option %d with %zu: %zu ", option, size, given);
            print_body(value, given);
            printf("\n");
        }
    }
}

static void set_key(void *socket, int option, const char *what, const void *value, size_t size) {
    MUST(set_int(socket, ZMQ_PLAIN_SERVER, 0));
    int result = zmq_setsockopt(socket, option, value, size);
    printf("option %d, %s -> %s\n", option, what, result ? errno_name(zmq_errno()) : "ok");
    show_state(socket);
    get_all_sizes(socket, option);
}

static void keys(void *context) {
    void *socket = open_socket(context, ZMQ_DEALER);
    static const char zeros[32] = {0};
    static const char text_and_more[] = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7x";
    static const char foreign[] = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf~";
    for (int option = ZMQ_CURVE_PUBLICKEY; option <= ZMQ_CURVE_SERVERKEY; option++) {
        get_all_sizes(socket, option);
        set_key(socket, option, "text", server_public, 40);
        set_key(socket, option, "text with its end", server_public, 41);
        set_key(socket, option, "text and more", text_and_more, 41);
        set_key(socket, option, "foreign text", foreign, 40);
        set_key(socket, option, "short text", server_public, 39);
        set_key(socket, option, "bytes", "abcdefghijklmnopqrstuvwxyz012345", 32);
        set_key(socket, option, "zeros", zeros, 32);
        set_key(socket, option, "31 bytes", zeros, 31);
        set_key(socket, option, "nothing", "", 0);
        set_key(socket, option, "null", NULL, 0);
    }
    zmq_close(socket);
}

static void choices(void *context) {
    void *socket = open_socket(context, ZMQ_DEALER);
    show_state(socket);
    static const int values[] = {1, 0, 1, 2, -1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        printf("curve server %d -> %d\n", values[i], set_int(socket, ZMQ_CURVE_SERVER, values[i]));
        show_state(socket);
    }
    SHOW(set_text(socket, ZMQ_CURVE_SECRETKEY, server_secret));
    show_state(socket);
    SHOW(set_text(socket, ZMQ_CURVE_SERVERKEY, server_public));
    show_state(socket);
    SHOW(set_int(socket, ZMQ_PLAIN_SERVER, 1));
    show_state(socket);
    SHOW(set_text(socket, ZMQ_CURVE_PUBLICKEY, client_public));
    show_state(socket);
    SHOW(set_text(socket, ZMQ_PLAIN_USERNAME, "admin"));
    show_state(socket);
    SHOW(set_int(socket, ZMQ_CURVE_SERVER, 1));
    show_state(socket);
    zmq_close(socket);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    SECTION("keys");
    keys(context);
    SECTION("choices");
    choices(context);
    SECTION("key pairs");
    SHOW(zmq_has("curve"));
    char public_key[41] = "", secret_key[41] = "", derived[41] = "";
    SHOW(zmq_curve_keypair(public_key, secret_key));
    printf("lengths %zu and %zu\n", strlen(public_key), strlen(secret_key));
    SHOW(zmq_curve_public(derived, secret_key));
    printf("derived as made: %d\n", strcmp(derived, public_key) == 0);
    SHOW(zmq_curve_public(derived, client_secret));
    printf("known: %s\n", derived);
    SHOW(zmq_ctx_term(context));
    return 0;
}
