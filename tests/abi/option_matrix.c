// SPDX-License-Identifier: MPL-2.0
//
// Every option number on one socket type (named by the argument): what setting and reading gives for all
// sizes and many values. Left out are those on which the two libraries differ by intent; api_table_test.cpp
// holds them, too:
#include "option_matrix.h"

static const struct {
    int first, last;
    const char *reason;
} left_out[] = {
    {62, 65, "GSSAPI, which the packaged library has and zlink not"},
    {85, 88, "VMCI: refused by the packaged library, kept by zlink"},
    {90, 91, "GSSAPI"},
    {97, 97, "drafts, refused by the packaged library: ROUTER_NOTIFY"},
    {101, 107, "drafts: batch sizes, WSS_*"},
    {110, 124, "drafts, or newer than the packaged library"},
};

static bool is_left_out(int option) {
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (option >= left_out[i].first && option <= left_out[i].last) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    start();
    int type = type_by_name(argc > 1 ? argv[1] : "PAIR");
    void *context = zmq_ctx_new();
    for (int option = -1; option <= LAST_OPTION; option++) {
        if (!is_left_out(option)) {
            get_all(context, type, option);
            set_all(context, type, option);
        }
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
