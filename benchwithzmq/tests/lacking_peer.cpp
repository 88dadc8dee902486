// SPDX-License-Identifier: MPL-2.0
// A peer library that can tell its version and begin, and lacks everything else.
extern "C" __attribute__((visibility("default"))) void zmq_version(int *major, int *minor, int *patch) {
    *major = 0;
    *minor = 0;
    *patch = 1;
}

extern "C" __attribute__((visibility("default"))) void *zmq_ctx_new(void) {
    static char context;
    return &context;
}
