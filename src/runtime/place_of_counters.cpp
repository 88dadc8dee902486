// SPDX-License-Identifier: MPL-2.0
#include "runtime/place_of_counters.hpp"

#include <cstdlib>

#include "runtime/tuning.hpp"

namespace zlink::runtime {

// A program that runs with more rights than its caller does not listen to the caller.
counters::placement place_of_counters() {
    const char *const directory = ::secure_getenv("ZLINK_RUNTIME_DIR");
    return {process_tuning().counters, directory != nullptr ? directory : ""};
}

} // namespace zlink::runtime
