// SPDX-License-Identifier: MPL-2.0
// A check of the names in the environment that begin with BENCH_.
#pragma once

namespace bench {

// Fails on an unknown name that begins with BENCH_, and tells the nearest known one: a typing error must not
// measure something else.
void refuse_unknown_environment();

} // namespace bench
