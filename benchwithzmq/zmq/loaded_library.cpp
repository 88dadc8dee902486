// SPDX-License-Identifier: MPL-2.0
#include "zmq/loaded_library.hpp"

#include "common/fail.hpp"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <string_view>
#include <zmq.h>

namespace bench {
namespace {

std::string resolved(const char *path) {
    char *real = realpath(path, nullptr);
    if (real == nullptr)
        fail("cannot resolve the library's path %s", path);
    std::string file(real);
    std::free(real);
    return file;
}

bool looks_like_messaging_library(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with("libzmq.so") || name.starts_with("libzlink.so");
}

void refuse_second_library(const std::string &file) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const std::size_t start = line.find('/');
        if (start == std::string::npos)
            continue;
        const std::string path = line.substr(start);
        if (path != file && looks_like_messaging_library(path))
            fail("two messaging libraries are loaded: %s and %s", file.c_str(), path.c_str());
    }
}

} // namespace

loaded_library find_loaded_library() {
    Dl_info place{};
    if (dladdr(library_address(), &place) == 0 || place.dli_fname == nullptr)
        fail("cannot tell which library file zmq_version comes from");
    loaded_library found;
    found.file = resolved(place.dli_fname);
    refuse_second_library(found.file);
    int major = 0;
    int minor = 0;
    int patch = 0;
    zmq_version(&major, &minor, &patch);
    found.version = std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
    return found;
}

} // namespace bench
