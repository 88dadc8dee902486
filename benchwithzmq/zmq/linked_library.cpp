// SPDX-License-Identifier: MPL-2.0
#include "zmq/loaded_library.hpp"

#include "common/fail.hpp"

#include <dlfcn.h>

namespace bench {

// Asks the dynamic linker, not the compiler: &zmq_version may be this program's own jump slot.
const void *library_address() {
    const void *address = dlsym(RTLD_DEFAULT, "zmq_version");
    if (address == nullptr)
        fail("no zmq_version in this process: %s", dlerror());
    return address;
}

} // namespace bench
