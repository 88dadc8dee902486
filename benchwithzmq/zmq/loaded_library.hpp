// SPDX-License-Identifier: MPL-2.0
// Which library file this process really runs on.
//
// Fails when a second messaging library is mapped: then nobody could say which one was measured.
#pragma once

#include <string>

namespace bench {

struct loaded_library {
    std::string file; // symbolic links resolved
    std::string version;
    std::string sha256; // of the file, in hexadecimal digits
};

loaded_library find_loaded_library();

// An address inside the library that zmq_* calls of this program end in. Defined once per kind of program:
// where the library is linked (linked_library.cpp) and where it is loaded by name (peer/peer_library.cpp).
const void *library_address();

} // namespace bench
