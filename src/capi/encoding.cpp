// SPDX-License-Identifier: MPL-2.0
// Z85 and the keys of CURVE as text.
#include <cstring>

#include "base/z85.hpp"
#include "capi/handles.hpp"
#include "core/curve_keys.hpp"

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

int zmq_curve_keypair(char *z85_public_key, char *z85_secret_key) {
    const uncancelled meanwhile;
    const auto made = core::make_curve_keys();
    if (!made)
        return fail(made.code());
    std::memcpy(z85_public_key, made->public_key.data(), made->public_key.size());
    std::memcpy(z85_secret_key, made->secret_key.data(), made->secret_key.size());
    return 0;
}

int zmq_curve_public(char *z85_public_key, const char *z85_secret_key) {
    const uncancelled meanwhile;
    const auto made = core::curve_public_key(z85_secret_key);
    if (!made)
        return fail(made.code());
    std::memcpy(z85_public_key, made->data(), made->size());
    return 0;
}

} // extern "C"
