// SPDX-License-Identifier: MPL-2.0
#include "batch.hpp"

#include "commands.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>

namespace {

struct job {
    const script *what = nullptr;
    std::string output;
};

struct child {
    pid_t process = 0;
    std::size_t job = 0;
};

void write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
        if (written <= 0) {
            _exit(4);
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void tell_hang(int) {
    write_all("hang\n");
    _exit(3);
}

// An address of the loopback network that no other child has at the same time.
std::string own_address() {
    const int process = getpid();
    return "127." + std::to_string(1 + (process >> 14) % 250) + "." +
           std::to_string(1 + (process >> 7) % 128) + "." + std::to_string(1 + process % 128);
}

void prepare_child(int output, const batch_settings &settings) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(output, STDOUT_FILENO);
    if (!settings.keep_stderr) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, tell_hang);
}

[[noreturn]] void run_child(const api_table &api, const script &what, const std::string &folder,
                            const batch_settings &settings) {
    mkdir(folder.c_str(), 0700);
    world objects(api, places(own_address(), folder));
    const itimerval limit = {{0, 0}, {settings.limit_ms / 1000, settings.limit_ms % 1000 * 1000}};
    for (const std::string &line : what.lines) {
        setitimer(ITIMER_REAL, &limit, nullptr);
        std::string text = run_line(objects, line);
        for (char &byte : text) {
            byte = byte == '\n' ? ' ' : byte;
        }
        write_all(text + "\n");
    }
    _exit(0);
}

class runner {
  public:
    runner(const api_table &api, const batch_settings &settings) : api_(api), settings_(settings) {
        char name[] = "/tmp/zdXXXXXX";
        if (!mkdtemp(name)) {
            std::perror("mkdtemp");
            std::exit(2);
        }
        folder_ = name;
    }
    ~runner() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    runner(const runner &) = delete;
    runner &operator=(const runner &) = delete;

    void run(std::vector<job> &jobs) {
        std::size_t next = 0;
        while (next < jobs.size() || !children_.empty()) {
            while (next < jobs.size() && children_.size() < static_cast<std::size_t>(settings_.jobs)) {
                start(jobs, next++);
            }
            read_some(jobs);
        }
    }

  private:
    void start(std::vector<job> &jobs, std::size_t index) {
        int ends[2];
        if (pipe(ends) == -1) {
            std::perror("pipe");
            std::exit(2);
        }
        const pid_t process = fork();
        if (process == 0) {
            for (const auto &[descriptor, other] : children_) {
                close(descriptor);
            }
            close(ends[0]);
            prepare_child(ends[1], settings_);
            close(ends[1]);
            run_child(api_, *jobs[index].what, folder_ + "/" + std::to_string(index), settings_);
        }
        close(ends[1]);
        children_[ends[0]] = {process, index};
    }

    void read_some(std::vector<job> &jobs) {
        std::vector<pollfd> items;
        for (const auto &[descriptor, each] : children_) {
            items.push_back({descriptor, POLLIN, 0});
        }
        poll(items.data(), items.size(), -1);
        for (const pollfd &item : items) {
            if (!item.revents) {
                continue;
            }
            char part[65536];
            const ssize_t got = read(item.fd, part, sizeof part);
            job &owner = jobs[children_[item.fd].job];
            if (got > 0) {
                owner.output.append(part, static_cast<std::size_t>(got));
            } else {
                finish(item.fd, owner);
            }
        }
    }

    void finish(int descriptor, job &owner) {
        int status = 0;
        waitpid(children_[descriptor].process, &status, 0);
        if (WIFSIGNALED(status)) {
            owner.output += std::string("killed by SIG") + sigabbrev_np(WTERMSIG(status)) + "\n";
        }
        close(descriptor);
        children_.erase(descriptor);
    }

    const api_table &api_;
    const batch_settings settings_;
    std::string folder_;
    std::map<int, child> children_; // by the descriptor that its output comes from
};

} // namespace

std::vector<script> read_scripts(std::istream &input) {
    std::vector<script> scripts;
    for (std::string line; std::getline(input, line);) {
        if (line.starts_with("== ")) {
            scripts.push_back({line.substr(3), {}});
        } else if (!line.empty() && !line.starts_with("#")) {
            if (scripts.empty()) {
                scripts.push_back({"script", {}});
            }
            scripts.back().lines.push_back(line);
        }
    }
    return scripts;
}

void run_batch(const api_table &api, const std::vector<script> &scripts, const batch_settings &settings) {
    std::vector<job> jobs;
    for (const script &each : scripts) {
        for (int run = 0; run < settings.repeat; run++) {
            jobs.push_back({&each, ""});
        }
    }
    runner(api, settings).run(jobs);
    for (const job &each : jobs) {
        std::cout << "== " << each.what->title << "\n" << each.output;
    }
    std::cout.flush();
}
