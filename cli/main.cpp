// SPDX-License-Identifier: MPL-2.0
// The command `zlink`.
#include <exception>
#include <fcntl.h>
#include <unistd.h>

#include "common/application.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"

namespace {

// A standard descriptor that is closed would become another file's number. It gets one that cannot be used:
// reading or writing fails.
void occupy_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(descriptor, F_GETFD) < 0) [[maybe_unused]]
            const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

int main(int argc, char **argv) {
    occupy_standard_descriptors();
    try {
        return cli::application().run(argc, argv);
    } catch (const cli::failure &error) {
        cli::note(error.what());
        return error.status();
    } catch (const cli::output_closed &) {
        return cli::status_done;
    } catch (const std::exception &error) {
        cli::note(error.what());
        return cli::status_failed;
    }
}
