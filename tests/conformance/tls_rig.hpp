// SPDX-License-Identifier: MPL-2.0
// Calls of the tests of tls that do without the rig's certificates. They give 0 or an errno.
#pragma once

#include "security_rig.hpp"

namespace zlink::conformance {

inline int set_text(socket &of, int option, const std::string &value) {
    return zmq_setsockopt(of.handle(), option, value.data(), value.size()) == 0 ? 0 : errno;
}
inline int bind_plainly(socket &of, const std::string &endpoint) {
    return zmq_bind(of.handle(), endpoint.c_str()) == 0 ? 0 : errno;
}
inline int connect_plainly(socket &of, const std::string &endpoint) {
    return zmq_connect(of.handle(), endpoint.c_str()) == 0 ? 0 : errno;
}

inline void own(socket &of, const test::certificate &has) {
    EXPECT_EQ(set_text(of, ZLINK_TLS_CERT, has.pem), 0);
    EXPECT_EQ(set_text(of, ZLINK_TLS_KEY, has.key), 0);
}

} // namespace zlink::conformance
