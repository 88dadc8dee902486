// SPDX-License-Identifier: MPL-2.0
// zlink run: a program of libzmq on zlink, by LD_PRELOAD of the compatibility library.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.hpp"
#include "common/command.hpp"
#include "common/elf_file.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

namespace fs = std::filesystem;

struct run_options {
    std::vector<std::string> program;
    std::string library;
    bool quiet{false}, verbose{false};
};

// Beside the command as it is installed, or in the build tree.
std::string find_library(const run_options &options) {
    if (!options.library.empty()) {
        if (access(options.library.c_str(), R_OK) != 0)
            throw failure(concat("cannot read ", options.library, ": ", std::strerror(errno)));
        return fs::absolute(options.library).string();
    }
    std::error_code error;
    const fs::path place = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char *candidate : {ZLINK_COMPAT_FROM_COMMAND, "../compat/libzmq.so.5"}) {
        const auto path = (place / candidate).lexically_normal();
        if (access(path.c_str(), R_OK) == 0)
            return path.string();
    }
    throw failure(concat("the library is not beside this command (",
                         (place / ZLINK_COMPAT_FROM_COMMAND).lexically_normal().string(),
                         "): install zlink with its names for libzmq (make install COMPAT=ON), or name "
                         "libzmq.so.5 of zlink with --library"));
}

// The file that execvp would take.
std::string find_program(const std::string &name) {
    if (name.find('/') != name.npos) {
        if (access(name.c_str(), F_OK) != 0)
            throw failure(concat("cannot run ", name, ": ", std::strerror(errno)), 127);
        if (access(name.c_str(), X_OK) != 0 || fs::is_directory(name))
            throw failure(concat("cannot run ", name, ": it is no executable file"), 126);
        return name;
    }
    const char *path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        auto file = (folder.empty() ? "." : folder) + "/" + name;
        if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file))
            return file;
    }
    throw failure(concat("there is no program \"", name, "\" in PATH: check the name, or write its path"),
                  127);
}

// What is known of the program before it runs.
void refuse_hopeless(const std::string &program) {
    const auto file = elf_file::read(program);
    if (file.is_elf && file.is_static)
        throw failure(
            concat(program, " is linked statically: no library can be put under it; link it again with zlink "
                            "(docs/MIGRATING.md)"));
    if (file.is_elf && !file.is_native)
        throw failure(concat(program, " is for another processor than this zlink"));
    if (elf_file::is_privileged(program) && geteuid() != 0)
        throw failure(concat(program,
                             " is set-user-id or has capabilities: the loader ignores LD_PRELOAD for it; "
                             "see docs/MIGRATING.md for the whole machine"));
}

void put_library_first(const std::string &library) {
    if (library.find_first_of(" :") != library.npos)
        throw failure(concat("the path ", library,
                             " has a blank or a colon, which LD_PRELOAD cannot have: move the library"));
    const char *before = std::getenv("LD_PRELOAD");
    const std::string value = before != nullptr && *before != '\0' ? library + ":" + before : library;
    setenv("LD_PRELOAD", value.c_str(), 1);
}

// Two ends for the news that exec failed: the descriptor closes when it does not.
[[noreturn]] void become(const std::string &program, const std::vector<std::string> &words, int news) {
    std::vector<char *> arguments;
    for (const auto &word : words)
        arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    stop_signal::restore();
    execv(program.c_str(), arguments.data());
    const int error = errno;
    [[maybe_unused]] const auto written = write(news, &error, sizeof error);
    _exit(127);
}

struct sighting {
    bool loaded{false};      // the library is among the files of the program
    bool lost{false};        // it was, and then no more: the process became another program
    bool seen{false};        // the program was looked at while it ran
    std::string own_library; // a libzmq of its own that was loaded too
};

class watched_program {
  public:
    watched_program(const run_options &options, const std::string &library)
        : options_(options), library_(fs::canonical(library).string()) {}

    int run() {
        const auto program = find_program(options_.program.front());
        refuse_hopeless(program);
        put_library_first(library_);
        start(program);
        const int status = wait();
        tell();
        if (WIFSIGNALED(status)) {
            note(concat("the program was ended by signal ", WTERMSIG(status), " (",
                        strsignal(WTERMSIG(status)), ")"));
            return 128 + WTERMSIG(status);
        }
        return WEXITSTATUS(status);
    }

  private:
    void start(const std::string &program) {
        int news[2];
        if (pipe2(news, O_CLOEXEC) != 0)
            throw failure(concat("cannot make a pipe: ", std::strerror(errno)));
        child_ = fork();
        if (child_ < 0)
            throw failure(concat("cannot start a process: ", std::strerror(errno)));
        if (child_ == 0)
            become(program, options_.program, news[1]);
        close(news[1]);
        int error = 0;
        const auto size = read(news[0], &error, sizeof error);
        close(news[0]);
        if (size > 0) {
            waitpid(child_, nullptr, 0);
            throw failure(concat("cannot run ", program, ": ", std::strerror(error)), 126);
        }
    }

    // The terminal sends SIGINT and SIGQUIT to both processes. Others that come to this one are passed on.
    // The files of a process cannot be seen after its end, so that the looks are frequent at the start.
    int wait() {
        static pid_t target;
        target = child_;
        std::signal(SIGINT, SIG_IGN);
        std::signal(SIGQUIT, SIG_IGN);
        for (const int number : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2})
            std::signal(number, [](int signal) { kill(target, signal); });
        constexpr useconds_t longest_pause_us = 50'000;
        for (useconds_t pause_us = 250;; pause_us = std::min(pause_us * 3 / 2, longest_pause_us)) {
            int status = 0;
            const auto ended = waitpid(child_, &status, WNOHANG);
            if (ended == child_)
                return status;
            if (ended < 0 && errno != EINTR)
                throw failure(concat("cannot wait for the program: ", std::strerror(errno)));
            look();
            usleep(pause_us);
        }
    }

    void look() {
        // The loader has done its work when the C library is there.
        const auto maps = elf_file::loaded_by(child_);
        if (maps.empty())
            return;
        const bool had_it = seen_.loaded;
        seen_.loaded = false;
        for (const auto &file : maps) {
            const auto name = fs::path(file).filename().string();
            seen_.seen = seen_.seen || name.starts_with("libc.");
            if (file == library_)
                seen_.loaded = true;
            else if (name.starts_with("libzmq"))
                seen_.own_library = file;
        }
        seen_.lost = seen_.lost || (had_it && !seen_.loaded && seen_.seen);
    }

    void tell() const {
        if (options_.quiet)
            return;
        if (seen_.seen && !seen_.loaded && seen_.lost)
            note("the program no longer has zlink: it became another one without LD_PRELOAD, or one that is "
                 "linked statically");
        else if (seen_.seen && !seen_.loaded)
            note("the program ran without zlink: it clears LD_PRELOAD, or the library cannot be loaded (run: "
                 "ldd " +
                 library_ + ")");
        else if (!seen_.seen)
            note("the program ended too soon to see whether zlink was loaded");
        else if (options_.verbose)
            note(concat("zlink was loaded from ", library_,
                        seen_.own_library.empty()
                            ? std::string()
                            : concat("; ", seen_.own_library, " was loaded too and is not used")));
    }

    const run_options &options_;
    std::string library_;
    pid_t child_{-1};
    sighting seen_;
};

} // namespace

action declare_run(arguments &declared) {
    auto options = std::make_shared<run_options>();
    declared.option("--library", options->library, "FILE",
                    "The libzmq.so.5 of zlink, if it is not beside this command");
    declared.flag("-q,--quiet", options->quiet, "Do not say whether zlink was loaded");
    declared.flag("-v,--verbose", options->verbose, "Say so also if it was loaded");
    declared.rest_is_a_command(options->program);
    return [options] {
        if (options->program.empty())
            throw failure("which program? write: zlink run PROGRAM [ARGUMENT...]", status_usage);
        if (const auto &first = options->program.front(); first.starts_with("-"))
            throw failure(concat("\"", printable(first), "\" is no option; see \"zlink run --help\""),
                          status_usage);
        return watched_program(*options, find_library(*options)).run();
    };
}

} // namespace cli
