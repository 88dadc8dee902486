// SPDX-License-Identifier: MPL-2.0
#include "common/failure.hpp"

#include <cerrno>
#include <cstring>

namespace cli {

failure file_failure(const std::string &act, const std::string &path, int error) {
    const auto advice = [&]() -> std::string {
        switch (error) {
        case ENOENT:
            return act == "read" ? ": is the path right?" : ": make its directory first";
        case ENOTDIR:
            return ": is the path right?";
        case EACCES:
        case EPERM:
            return ": change the mode of the file or its directory, or be another user";
        case EISDIR:
            return ": give a file";
        case ENOSPC:
            return ": free some, or take another device";
        default:
            return "";
        }
    };
    return failure("cannot " + act + " " + path + ": " + std::strerror(error) + advice());
}

} // namespace cli
