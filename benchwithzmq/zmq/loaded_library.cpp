// SPDX-License-Identifier: MPL-2.0
#include "zmq/loaded_library.hpp"

#include "common/fail.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <openssl/evp.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
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

// Maps the file, so that the number of system calls does not depend on its size.
std::string sha256_of(const std::string &file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    if (descriptor < 0 || fstat(descriptor, &facts) != 0)
        fail("cannot read %s: %s", file.c_str(), std::strerror(errno));
    const auto size = static_cast<std::size_t>(facts.st_size);
    void *const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (bytes == MAP_FAILED || EVP_Digest(bytes, size, digest.data(), &length, EVP_sha256(), nullptr) != 1)
        fail("cannot compute the SHA-256 of %s", file.c_str());
    munmap(bytes, size);
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
        text += "0123456789abcdef"[digest.at(i) >> 4];
        text += "0123456789abcdef"[digest.at(i) & 15];
    }
    return text;
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
    found.sha256 = sha256_of(found.file);
    return found;
}

} // namespace bench
