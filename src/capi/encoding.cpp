// SPDX-License-Identifier: MPL-2.0
// Z85 and the keys of CURVE as text.
#include <cstring>

#include "base/z85.hpp"
#include "capi/handles.hpp"

using namespace zlink;
using namespace zlink::capi;

extern "C" {

char *zmq_z85_encode(char *dest, const uint8_t *data, size_t size) {
    const auto written = z85_encode(std::span(data, size), std::span(dest, z85_encoded_size(size)));
    if (!written) {
        errno = written.code();
        return nullptr;
    }
    dest[*written] = '\0';
    return dest;
}

uint8_t *zmq_z85_decode(uint8_t *dest, const char *string) {
    const std::string_view text(string);
    const auto written = z85_decode(text, std::span(dest, z85_decoded_size(text.size())));
    if (!written) {
        errno = written.code();
        return nullptr;
    }
    return dest;
}

// There is no CURVE in this library: the answer of a libzmq built without it.
int zmq_curve_keypair(char *, char *) {
    return fail(ENOTSUP);
}
int zmq_curve_public(char *, const char *) {
    return fail(ENOTSUP);
}

} // extern "C"
