// SPDX-License-Identifier: MPL-2.0
#include "common/terminal.hpp"

#include <algorithm>
#include <exception>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/output.hpp"
#include "common/stop_signal.hpp"

namespace cli {

namespace {

constexpr const char *begin_screen = "\x1b[?1049h\x1b[?25l"; // another screen, without a cursor
constexpr const char *end_screen = "\x1b[?25h\x1b[?1049l";
constexpr const char *go_home = "\x1b[H";
constexpr const char *clear_line = "\x1b[K\r\n";
constexpr const char *clear_rest = "\x1b[J";

void put(const char *text) {
    output out;
    out.write(text);
    out.flush();
}

} // namespace

terminal::terminal(bool live) : live_(live && isatty(STDOUT_FILENO) != 0) {
    if (!live_)
        return;
    has_keys_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (has_keys_) {
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    put(begin_screen);
}

terminal::~terminal() {
    if (!live_)
        return;
    if (has_keys_)
        tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    try {
        put(end_screen);
    } catch (const std::exception &) { // nobody sees it any more
    }
}

char terminal::wait_for_key(double seconds) {
    pollfd watched[] = {{stop_signal::descriptor(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    const nfds_t count = has_keys_ ? 2 : 1;
    char key = 0;
    if (poll(watched, count, static_cast<int>(seconds * 1000)) > 0 && has_keys_ && watched[1].revents != 0 &&
        read(STDIN_FILENO, &key, 1) != 1)
        has_keys_ = false; // the terminal is gone
    return key;
}

std::string terminal::page(const std::string &text) const {
    if (!live_)
        return text;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size = {24, 80, 0, 0};
    std::string made = go_home;
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size() && lines + 1 < size.ws_row; ++lines) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        made += text.substr(at, std::min<std::size_t>(end - at, size.ws_col)) + clear_line;
        at = end + 1;
    }
    return made + clear_rest;
}

} // namespace cli
