// SPDX-License-Identifier: MPL-2.0
//
// Sets and reads option numbers with every size and many values; a line for each option and size, short where
// all answers are the same.
#pragma once
#include "support.h"

#include <limits.h>

enum { LAST_OPTION = 130, RESULTS = 16, RESULT_SIZE = 64 };

struct results {
    int count;
    char what[RESULTS][RESULT_SIZE];
    char got[RESULTS][RESULT_SIZE];
};

static inline void print_results(const struct results *list) {
    bool same = true;
    for (int i = 1; i < list->count; i++) {
        same = same && strcmp(list->got[i], list->got[0]) == 0;
    }
    if (same) {
        printf(" always %s\n", list->got[0]);
        return;
    }
    for (int i = 0; i < list->count; i++) {
        printf(" %s=%s", list->what[i], list->got[i]);
    }
    printf("\n");
}

/* The value an option holds, as "size:number", or the error; the number of a descriptor is no fact. */
static inline void describe_get(char *text, void *socket, int option, size_t size) {
    unsigned char value[16] = {0};
    size_t given = size;
    if (zmq_getsockopt(socket, option, value, &given) == -1) {
        snprintf(text, RESULT_SIZE, "%s", errno_name(zmq_errno()));
        return;
    }
    int64_t wide = 0;
    int narrow = 0;
    memcpy(&narrow, value, sizeof narrow);
    memcpy(&wide, value, sizeof wide);
    if (option == ZMQ_FD) {
        narrow = narrow >= 0;
    }
    snprintf(text, RESULT_SIZE, "%zu:%lld", given, given == 8 ? (long long)wide : (long long)narrow);
}

static inline void describe_set(char *text, void *socket, int option, long long number, size_t size) {
    unsigned char value[16] = {0};
    memcpy(value, &number, sizeof number);
    if (zmq_setsockopt(socket, option, value, size) == -1) {
        snprintf(text, RESULT_SIZE, "%s", errno_name(zmq_errno()));
        return;
    }
    char held[RESULT_SIZE];
    describe_get(held, socket, option, size == 8 ? 8 : 4);
    snprintf(text, RESULT_SIZE, "ok(%.50s)", held);
}

static inline void set_all(void *context, int type, int option) {
    static const long long values[] = {INT_MIN, -2, -1, 0, 1, 2, 3, 100, 300, 70000, 10000000, INT_MAX};
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 8};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        void *socket = open_socket(context, type);
        struct results list = {0};
        bool whole = sizes[s] == 4 || sizes[s] == 8;
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            if (whole || (values[v] >= 0 && values[v] < 3)) {
                snprintf(list.what[list.count], RESULT_SIZE, "%lld", values[v]);
                describe_set(list.got[list.count++], socket, option, values[v], sizes[s]);
            }
        }
        printf("%s %d set with size %zu:", type_names[type], option, sizes[s]);
        print_results(&list);
        zmq_close(socket);
    }
}

static inline void get_all(void *context, int type, int option) {
    void *socket = zmq_socket(context, type);
    struct results list = {0};
    for (size_t size = 0; size <= 9; size++) {
        snprintf(list.what[list.count], RESULT_SIZE, "%zu", size);
        describe_get(list.got[list.count++], socket, option, size);
    }
    printf("%s %d get with size:", type_names[type], option);
    print_results(&list);
    zmq_close(socket);
}

static inline int type_by_name(const char *name) {
    for (int type = 0; type < 12; type++) {
        if (strcmp(type_names[type], name) == 0) {
            return type;
        }
    }
    printf("FAILED no socket type %s\n", name);
    exit(1);
}
