// SPDX-License-Identifier: MPL-2.0
#include "core/curve_keys.hpp"

#include <cerrno>

#include "base/z85.hpp"
#include "security/curve_box.hpp"

namespace zlink::core {
namespace {

namespace curve = security::curve;

curve_key_text text_of(const curve::key &key) {
    curve_key_text text{};
    [[maybe_unused]] const auto written = z85_encode(key, text); // there is room
    return text;
}

} // namespace

result<curve_key_texts> make_curve_keys() {
    if (!curve::ready())
        return error{ENOTSUP};
    curve::key_pair made = curve::make_key_pair();
    const curve_key_texts texts{text_of(made.public_key), text_of(made.secret_key)};
    curve::wipe(made.secret_key);
    return texts;
}

result<curve_key_text> curve_public_key(std::string_view secret_key) {
    curve::key secret;
    if (!curve::ready())
        return error{ENOTSUP};
    if (secret_key.size() != z85_encoded_size(secret.size()) || !z85_decode(secret_key, secret))
        return error{EINVAL};
    const curve_key_text text = text_of(curve::public_key_of(secret));
    curve::wipe(secret);
    return text;
}

} // namespace zlink::core
