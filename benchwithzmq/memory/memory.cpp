// SPDX-License-Identifier: MPL-2.0
// comp_memory is a neighbour that takes memory away from a measurement.
//
//   comp_memory hold MIB   holds that many MiB and sleeps
//   comp_memory busy       copies blocks over 256 MiB without a pause
//
// It prints "ready" when it has all its memory. It ends when its stdin closes, on a signal, or with its
// parent.
#include "common/fail.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr std::size_t bytes_per_mib = std::size_t{1} << 20;

// Memory that is used, not only reserved: no byte is zero.
std::unique_ptr<std::byte[]> touched(std::size_t mib) {
    auto *const bytes = new (std::nothrow) std::byte[mib * bytes_per_mib];
    if (bytes == nullptr)
        bench::fail("no memory for %zu MiB", mib);
    std::memset(bytes, 0x5a, mib * bytes_per_mib);
    return std::unique_ptr<std::byte[]>(bytes);
}

[[noreturn]] void copy_without_pause(std::byte *bytes, std::size_t mib) {
    const std::size_t half = mib / 2 * bytes_per_mib;
    for (std::size_t place = 0;; place = (place + bytes_per_mib) % half) {
        std::memcpy(bytes + half + place, bytes + place, bytes_per_mib);
        asm volatile("" : : "r"(bytes) : "memory"); // the compiler must not drop a copy that is never read
    }
}

void wait_until_stdin_closes() {
    char ignored[256];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, ignored, sizeof ignored);
        if (got == 0 || (got < 0 && errno != EINTR))
            return;
    }
}

void say_ready() {
    std::puts("ready");
    std::fflush(stdout);
}

std::size_t mib_in(std::string_view text) {
    constexpr std::size_t most_mib = std::size_t{1} << 20;
    std::size_t mib = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), mib);
    if (error != std::errc() || stopped != text.data() + text.size() || mib == 0 || mib > most_mib)
        bench::fail("MIB is '%s', not a number from 1 to %zu", std::string(text).c_str(), most_mib);
    return mib;
}

} // namespace

int main(int argument_count, char **arguments) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::string_view work = argument_count > 1 ? arguments[1] : "";
    if (work == "hold" && argument_count == 3) {
        const auto held = touched(mib_in(arguments[2]));
        say_ready();
        wait_until_stdin_closes();
    } else if (work == "busy" && argument_count == 2) {
        constexpr std::size_t busy_mib = 256;
        const auto copied = touched(busy_mib);
        say_ready();
        std::thread(copy_without_pause, copied.get(), busy_mib).detach();
        wait_until_stdin_closes();
        std::_Exit(0); // the copying thread has no end of its own
    } else {
        bench::fail("usage: %s hold MIB | busy", arguments[0]);
    }
    return 0;
}
