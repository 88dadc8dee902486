// SPDX-License-Identifier: MPL-2.0
//
// Context options: defaults, every number with many values, before and after sockets exist.
#include "support.h"

#include <limits.h>

static const int values[] = {INT_MIN, -2, -1, 0, 1, 2, 3, 15, 16, 1023, 65535, 65536, INT_MAX};

/* Sets every value, then the old one back; says what was held after each. */
static void try_values(void *context, int option) {
    int before = zmq_ctx_get(context, option);
    bool readable = before != -1;
    printf("option %d:", option);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        errno = 0;
        int result = zmq_ctx_set(context, option, values[i]);
        printf(" %d=%s", values[i], result == -1 ? errno_name(zmq_errno()) : "ok");
        if (result == 0 && readable) {
            printf("(%d)", zmq_ctx_get(context, option));
        }
    }
    if (readable) {
        zmq_ctx_set(context, option, before);
    }
    printf("\n");
}

/* An option that cannot be set is one word. */
static bool refuses_all(void *context, int option) {
    int refused = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        refused += zmq_ctx_set(context, option, values[i]) == -1 && zmq_errno() == EINVAL;
    }
    return refused == sizeof values / sizeof *values;
}

/* Those that would start odd threads (priorities, processors) are only read; 9 and 10 are draft or set by
 * text. */
static bool is_plain(int option) {
    return (option < 3 || option > 10) || option == ZMQ_MAX_MSGSZ || option == ZMQ_MSG_T_SIZE;
}

int main(void) {
    start();
    SECTION("defaults");
    void *context = zmq_ctx_new();
    for (int option = -1; option <= 100; option++) {
        errno = 0;
        int value = zmq_ctx_get(context, option);
        if (value != -1) {
            printf("%d: %d\n", option, value);
        } else if (zmq_errno() != EINVAL) {
            printf("%d: -1, %s\n", option, zmq_errno() ? errno_name(zmq_errno()) : "no error");
        }
    }
    SECTION("values before the first socket");
    for (int option = -1; option <= 80; option++) {
        if (!is_plain(option)) {
            continue;
        }
        if (zmq_ctx_get(context, option) == -1 && refuses_all(context, option)) {
            printf("option %d: refused\n", option);
        } else {
            try_values(context, option);
        }
    }
    SHOW(zmq_ctx_set(context, ZMQ_SOCKET_LIMIT, -1));
    SHOW(zmq_ctx_set(context, ZMQ_THREAD_SCHED_POLICY, -1));
    SHOW(zmq_ctx_set(context, ZMQ_THREAD_AFFINITY_CPU_ADD, -1));
    SHOW(zmq_ctx_set(context, ZMQ_THREAD_AFFINITY_CPU_REMOVE, -1));
    SHOW(zmq_ctx_set(context, ZMQ_THREAD_AFFINITY_CPU_REMOVE, 1));
    SHOW(zmq_ctx_set(context, ZMQ_THREAD_NAME_PREFIX, -1));
    SHOW(zmq_ctx_set(context, ZMQ_THREAD_NAME_PREFIX, 0));
    SHOW(zmq_ctx_set(context, ZMQ_THREAD_NAME_PREFIX, 7));

    SECTION("values after the first socket");
    void *socket = open_socket(context, ZMQ_PAIR);
    for (int option = 1; option <= 80; option++) {
        if (is_plain(option) && zmq_ctx_get(context, option) != -1) {
            try_values(context, option);
        }
    }
    MUST(zmq_close(socket));

    SECTION("what sockets inherit");
    SHOW(zmq_ctx_set(context, ZMQ_IPV6, 1));
    SHOW(zmq_ctx_set(context, ZMQ_BLOCKY, 0));
    SHOW(zmq_ctx_set(context, ZMQ_MAX_MSGSZ, 5000));
    for (int type = ZMQ_PAIR; type <= ZMQ_STREAM; type++) {
        socket = zmq_socket(context, type);
        int64_t limit = 0;
        size_t size = sizeof limit;
        zmq_getsockopt(socket, ZMQ_MAXMSGSIZE, &limit, &size);
        printf("%s: IPV6 %d, LINGER %d, MAXMSGSIZE %lld\n", type_names[type], get_int(socket, ZMQ_IPV6),
               get_int(socket, ZMQ_LINGER), (long long)limit);
        zmq_close(socket);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
