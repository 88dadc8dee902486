// SPDX-License-Identifier: MPL-2.0
//
// zmq_z85_encode and zmq_z85_decode.
#include "support.h"

static const unsigned char example[] = {0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b};

static void encode(size_t size) {
    char text[16];
    memset(text, '~', sizeof text);
    const char *result = zmq_z85_encode(text, example, size);
    printf("encode %zu: %s", size, result == text ? "dest" : errno_name(zmq_errno()));
    if (result) {
        printf(" \"%s\" %zu", text, strlen(text));
    }
    printf("\n");
}

static void decode(const char *text) {
    unsigned char bytes[16];
    memset(bytes, '~', sizeof bytes);
    const unsigned char *result = zmq_z85_decode(bytes, text);
    printf("decode \"%s\": %s", text, result == bytes ? "dest" : errno_name(zmq_errno()));
    for (size_t i = 0; result && i < strlen(text) / 5 * 4 + 1; i++) {
        printf(" %02x", bytes[i]);
    }
    printf("\n");
}

int main(void) {
    start();
    for (size_t size = 0; size <= sizeof example; size++) {
        encode(size);
    }
    static const char *const texts[] = {"HelloWorld", "Hello",  "00000", "%nSc0", "%nSc1", "#####",
                                        "Hell",       "HelloW", "",      "Hel o", "Hel~o", "hel\x7fo"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        decode(texts[i]);
    }
    return 0;
}
