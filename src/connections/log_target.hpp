// SPDX-License-Identifier: MPL-2.0
// log_target: where the lines of the log go: a file, or stderr. A write never waits, raises no signal and
// reaches nothing but what was meant.
//
// Threads: any. Ownership: none; a file is opened for each line. So it may be moved away, and a program may
// close descriptors that it does not know.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace zlink::connections {

class log_target {
  public:
    // Empty: stderr. To be made before the library has sockets of the system: one of them may get the number
    // of a stderr that is closed.
    explicit log_target(std::string file);

    // Returns whether all of it was written. A file that cannot be opened is reported once on stderr.
    bool write(const std::string &line) noexcept;

  private:
    bool write_to(int descriptor, bool is_socket, const std::string &line) noexcept;
    bool write_to_stderr(const std::string &line) noexcept;
    void report(int code) noexcept;

    const std::string file_;
    dev_t stderr_device_ = 0; // of stderr, at the beginning
    ino_t stderr_inode_ = 0;
    std::atomic<bool> reported_{false};
    std::atomic<bool> torn_{false}; // the last line has no end
};

} // namespace zlink::connections
