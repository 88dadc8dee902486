// SPDX-License-Identifier: MPL-2.0
#include "transport/ipc_address.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace zlink::transport {

namespace {

constexpr std::size_t path_offset = offsetof(sockaddr_un, sun_path);

bool is_directory(const char *path) noexcept {
    struct stat status {};
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// The beginning of a path for something temporary; empty for the current directory.
std::string temporary_prefix() {
    for (const char *variable : {"TMPDIR", "TEMPDIR", "TMP"}) {
        const char *path = std::getenv(variable);
        if (path != nullptr && is_directory(path)) {
            const std::string prefix(path);
            return prefix.ends_with('/') ? prefix : prefix + '/';
        }
    }
    return {};
}

// A final NUL counts in a path and not in an abstract name.
socket_address unix_address(std::string_view name, bool abstract) noexcept {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + (abstract ? 1 : 0), name.data(), name.size());
    socket_address made;
    std::memcpy(&made.storage, &address, sizeof address);
    made.size = static_cast<socklen_t>(path_offset + name.size() + 1);
    return made;
}

result<ipc_bind_target> make_wildcard() {
    constexpr std::string_view file = "/socket";
    std::string directory = temporary_prefix() + "tmpXXXXXX";
    if (directory.size() + file.size() >= sizeof(sockaddr_un::sun_path)) {
        return error{ENAMETOOLONG};
    }
    if (mkdtemp(directory.data()) == nullptr) {
        return error{errno};
    }
    ipc_bind_target target;
    target.path = directory + std::string(file);
    target.directory = std::move(directory);
    target.address = unix_address(target.path, false);
    return target;
}

} // namespace

result<ipc_bind_target> resolve_ipc_bind(const ipc_name &name) {
    switch (name.kind) {
    case ipc_kind::path:
        return ipc_bind_target{unix_address(name.name, false), name.name, {}};
    case ipc_kind::abstract:
        return ipc_bind_target{unix_address(name.name, true), {}, {}};
    case ipc_kind::wildcard:
        return make_wildcard();
    }
    return error{EINVAL};
}

result<socket_address> resolve_ipc_connect(const ipc_name &name) {
    if (name.kind == ipc_kind::wildcard) {
        return error{EINVAL};
    }
    return unix_address(name.name, name.kind == ipc_kind::abstract);
}

std::string ipc_endpoint_text(const socket_address &address) {
    sockaddr_un from{};
    if (address.family() != AF_UNIX || address.size <= path_offset || address.size > sizeof from) {
        return "ipc://"; // a peer that has no name
    }
    std::memcpy(&from, &address.storage, address.size);
    const std::string_view name(from.sun_path, address.size - path_offset);
    if (name.front() == '\0') {
        return "ipc://@" + std::string(name.substr(1));
    }
    return "ipc://" + std::string(name.substr(0, name.find('\0')));
}

} // namespace zlink::transport
