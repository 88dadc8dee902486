// SPDX-License-Identifier: MPL-2.0
// Which mechanism the options of a socket ask for.
//
// Threads: pure functions.
#pragma once

#include "base/socket_options.hpp"
#include "zmtp/mechanism.hpp"

#include <memory>

namespace zlink::security {

// Null: the library does not have that mechanism, and no connection may come to be.
[[nodiscard]] std::unique_ptr<zmtp::mechanism> make_mechanism(const security_options &options);

} // namespace zlink::security
