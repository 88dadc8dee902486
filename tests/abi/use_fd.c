// SPDX-License-Identifier: MPL-2.0
//
// USE_FD: a socket of the application that listens already, tcp and ipc.
#include "plain.h"

#include <fcntl.h>
#include <sys/un.h>

static int ipc_listen(const char *path) {
    struct sockaddr_un address = {0};
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    MUST(descriptor);
    unlink(path);
    MUST(bind(descriptor, (struct sockaddr *)&address, sizeof address));
    MUST(listen(descriptor, 8));
    return descriptor;
}

static void deliver(void *context, void *pull, const char *endpoint) {
    for (int i = 0; i < 3; i++) {
        void *push = open_socket(context, ZMQ_PUSH);
        MUST(zmq_connect(push, endpoint));
        MUST(zmq_send(push, "hello", 5, 0));
        expect("pull", pull);
        zmq_close(push);
    }
}

static void show_open(const char *label, int descriptor) {
    WAIT_UNTIL(fcntl(descriptor, F_GETFD) == -1);
    printf("%s: the descriptor is %s\n", label, fcntl(descriptor, F_GETFD) == -1 ? "closed" : "open");
}

static void tcp(void *context, const char *address) {
    char endpoint[ENDPOINT_SIZE];
    int listener = plain_listen(endpoint);
    SECTION("tcp, bound to %s", address ? address : "its own endpoint");
    void *pull = open_socket(context, ZMQ_PULL);
    SHOW(set_int(pull, ZMQ_USE_FD, listener));
    printf("reads back: %d\n", get_int(pull, ZMQ_USE_FD) == listener);
    SHOW(zmq_bind(pull, address ? address : endpoint));
    show_last_endpoint("last endpoint", pull);
    deliver(context, pull, endpoint);
    SHOW(zmq_unbind(pull, endpoint));
    show_open("unbound", listener);
    zmq_close(pull);
}

static void ipc(void *context) {
    SECTION("ipc");
    char path[64], endpoint[ENDPOINT_SIZE], last[ENDPOINT_SIZE] = "";
    size_t size = sizeof last;
    snprintf(path, sizeof path, "/tmp/zlink-abi-%d", (int)getpid());
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path);
    int listener = ipc_listen(path);
    void *pull = open_socket(context, ZMQ_PULL);
    SHOW(set_int(pull, ZMQ_USE_FD, listener));
    SHOW(zmq_bind(pull, endpoint));
    MUST(zmq_getsockopt(pull, ZMQ_LAST_ENDPOINT, last, &size));
    printf("last endpoint is the one given: %d\n", strcmp(last, endpoint) == 0);
    deliver(context, pull, endpoint);
    zmq_close(pull);
    show_open("closed", listener);
    printf("the file %s\n", access(path, F_OK) == 0 ? "stays" : "is gone");
    unlink(path);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    tcp(context, NULL);
    tcp(context, "tcp://127.0.0.1:*");
    ipc(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
