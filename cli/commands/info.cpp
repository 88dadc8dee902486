// SPDX-License-Identifier: MPL-2.0
// zlink info: what the library can do, and which limits of the system a program will meet.
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <zmq.h>

#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

using nlohmann::ordered_json;

struct limit {
    std::string name;
    std::string value;
    std::string enough; // what it is for
    std::string hint;   // how to raise it; empty if the value is large
};

constexpr const char *capabilities[] = {"ipc",   "pgm", "tipc", "norm", "curve",   "gssapi", "vmci",
                                        "draft", "tls", "ws",   "wss",  "dns+tcp", "vsock",  "hvsocket"};

std::string read_system(const std::string &name) {
    std::ifstream file("/proc/sys/" + name);
    std::string line;
    if (!std::getline(file, line))
        return "unknown";
    for (auto &character : line)
        if (character == '\t')
            character = ' ';
    return line;
}

std::uint64_t number(const std::string &text) {
    return std::strtoull(text.c_str(), nullptr, 10);
}

limit descriptors() {
    rlimit found{};
    getrlimit(RLIMIT_NOFILE, &found);
    const auto shown = [](rlim_t value) {
        return value == RLIM_INFINITY ? "unlimited" : std::to_string(value);
    };
    limit row{"RLIMIT_NOFILE", shown(found.rlim_cur), "", ""};
    row.enough = concat("open files and connections of a process; hard limit ", shown(found.rlim_max));
    if (found.rlim_cur < 65536)
        row.hint =
            concat("about ", found.rlim_cur > 50 ? found.rlim_cur - 50 : 0, " peers at once; for more: ",
                   found.rlim_max > found.rlim_cur
                       ? concat("ulimit -n ", found.rlim_max < 65536 ? shown(found.rlim_max) : "65536")
                       : std::string("root raises the hard limit (/etc/security/limits.conf)"),
                   ", or LimitNOFILE=65536 for a service");
    return row;
}

limit backlog() {
    limit row{"net.core.somaxconn", read_system("net/core/somaxconn"),
              "connections that may wait to be accepted", ""};
    if (number(row.value) < 1024)
        row.hint = "more peers that connect at once are refused or wait; sysctl -w net.core.somaxconn=4096, "
                   "and ZMQ_BACKLOG";
    return row;
}

limit buffer(const char *name, const char *option) {
    std::string path = name;
    for (auto &character : path)
        if (character == '.')
            character = '/';
    limit row{name, read_system(path), concat("bytes that ", option, " may ask for"), ""};
    if (number(row.value) < 4U << 20)
        row.hint = concat("larger values of ", option, " are cut to this; sysctl -w ", name, "=4194304");
    return row;
}

limit ports() {
    limit row{"net.ipv4.ip_local_port_range", read_system("net/ipv4/ip_local_port_range"), "", ""};
    std::istringstream words(row.value);
    std::uint64_t low = 0, high = 0;
    words >> low >> high;
    const auto count = high >= low && high > 0 ? high - low + 1 : 0;
    row.enough = concat(count, " connections at once from here to one address and port");
    if (count < 28000)
        row.hint = "sysctl -w net.ipv4.ip_local_port_range=\"10000 65535\"";
    return row;
}

std::vector<limit> limits() {
    return {descriptors(), backlog(), buffer("net.core.rmem_max", "ZMQ_RCVBUF"),
            buffer("net.core.wmem_max", "ZMQ_SNDBUF"), ports()};
}

int usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

#if defined(__clang__)
constexpr const char *compiler = "Clang " __clang_version__;
#else
constexpr const char *compiler = "GCC " __VERSION__;
#endif

// Which of the machine's libraries this command runs with.
std::string library_path() {
    Dl_info found{};
    const bool known = dladdr(reinterpret_cast<const void *>(&zmq_version), &found) != 0;
    return known && found.dli_fname != nullptr ? found.dli_fname : "unknown";
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (const auto colon = line.find(": "); line.starts_with("model name") && colon != line.npos)
            return line.substr(colon + 2);
    return "unknown";
}

ordered_json gather() {
    int major = 0, minor = 0, patch = 0;
    zmq_version(&major, &minor, &patch);
    utsname system{};
    uname(&system);
    ordered_json all;
    all["version"] = ZLINK_VERSION;
    all["libzmq_interface"] = concat(major, ".", minor, ".", patch);
    for (const char *name : capabilities)
        all["features"][name] = zmq_has(name) != 0;
    all["build"] = concat(ZLINK_BUILD_TYPE, " of ", compiler, ", library ", library_path());
    all["processors"] = usable_processors();
    all["cpu"] = processor_name();
    all["kernel"] = concat(system.sysname, " ", system.release, " ", system.machine);
    for (const auto &row : limits())
        all["limits"].push_back(
            {{"name", row.name}, {"value", row.value}, {"meaning", row.enough}, {"hint", row.hint}});
    return all;
}

std::string info_for_people(const ordered_json &all) {
    std::ostringstream out;
    out << "zlink       " << all["version"].get<std::string>() << ", with the interface of libzmq "
        << all["libzmq_interface"].get<std::string>() << "\n";
    std::string has, lacks;
    for (const auto &[name, value] : all["features"].items())
        (value.get<bool>() ? has : lacks) += " " + name;
    out << "features   " << has << "\nwithout    " << lacks << "\n";
    out << "build       " << all["build"].get<std::string>() << "\n";
    out << "processors  " << all["processors"].get<int>() << ", " << all["cpu"].get<std::string>()
        << "\nkernel      " << all["kernel"].get<std::string>() << "\n\nlimits\n";
    for (const auto &row : all["limits"]) {
        out << "  " << row["name"].get<std::string>() << " = " << row["value"].get<std::string>()
            << "\n      " << row["meaning"].get<std::string>() << "\n";
        if (const auto hint = row["hint"].get<std::string>(); !hint.empty())
            out << "      hint: " << hint << "\n";
    }
    return out.str();
}

} // namespace

action declare_info(arguments &declared) {
    auto as_json = std::make_shared<bool>(false);
    declared.flag("--json", *as_json, "Print one JSON object");
    return [as_json] {
        const auto all = gather();
        output out;
        out.write(*as_json ? all.dump(2) + "\n" : info_for_people(all));
        out.flush();
        return status_done;
    };
}

} // namespace cli
