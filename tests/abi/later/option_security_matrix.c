// SPDX-License-Identifier: MPL-2.0
//
// The option numbers that option_matrix.c leaves out because the features behind them come later: security
// mechanisms, VMCI, and the draft numbers that the packaged library refuses. The argument names a socket
// type.
#include "../option_matrix.h"

static const struct {
    int first, last;
} groups[] = {{43, 50}, {55, 55}, {62, 65}, {85, 88}, {90, 91}, {93, 93}, {97, 97}, {101, 107}, {110, 124}};

int main(int argc, char **argv) {
    start();
    int type = type_by_name(argc > 1 ? argv[1] : "STREAM");
    void *context = zmq_ctx_new();
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        for (int option = groups[i].first; option <= groups[i].last; option++) {
            get_all(context, type, option);
            set_all(context, type, option);
        }
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
