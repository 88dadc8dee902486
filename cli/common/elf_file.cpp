// SPDX-License-Identifier: MPL-2.0
#include "common/elf_file.hpp"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>

namespace cli {

elf_file elf_file::read(const std::string &path) {
    elf_file told;
    std::ifstream file(path, std::ios::binary), own("/proc/self/exe", std::ios::binary);
    ElfW(Ehdr) header{}, own_header{};
    file.read(reinterpret_cast<char *>(&header), sizeof header);
    own.read(reinterpret_cast<char *>(&own_header), sizeof own_header);
    told.is_elf = file.gcount() >= EI_NIDENT && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    told.is_native = told.is_elf && header.e_ident[EI_CLASS] == own_header.e_ident[EI_CLASS] &&
                     header.e_machine == own_header.e_machine;
    if (!told.is_native || header.e_phentsize != sizeof(ElfW(Phdr)))
        return told;
    told.is_static = true;
    file.seekg(static_cast<std::streamoff>(header.e_phoff));
    ElfW(Phdr) part{};
    for (int index = 0; index < header.e_phnum && file.read(reinterpret_cast<char *>(&part), sizeof part);
         ++index)
        if (part.p_type == PT_INTERP)
            told.is_static = false;
    return told;
}

bool elf_file::is_privileged(const std::string &path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0)
        return false;
    return (found.st_mode & (S_ISUID | S_ISGID)) != 0 ||
           getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

std::vector<std::string> elf_file::loaded_by(pid_t process) {
    std::vector<std::string> files;
    bool whole = false;
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto path = line.find('/');
        if (path != line.npos && (files.empty() || files.back() != line.substr(path)))
            files.push_back(line.substr(path));
        // The stack is above every library. The list of a process that ends stops before it.
        whole = whole || line.ends_with("[stack]");
    }
    return whole ? files : std::vector<std::string>{};
}

} // namespace cli
