// SPDX-License-Identifier: MPL-2.0
// zlink top: a live table of the sockets and peers of all processes.
#include <algorithm>
#include <iomanip>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/clock.hpp"
#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/statistics.hpp"
#include "common/stop_signal.hpp"
#include "common/terminal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct top_options {
    std::vector<std::string> processes;
    std::string sort{"rate"};
    std::optional<std::string> filter;
    double interval{1};
    bool peers{false}, once{false}, json{false};
};

// One line: a socket, or a peer.
struct row {
    int pid{0};
    std::string program, type, where, peer;
    std::uint64_t sent{0}, received{0}, replayed{0}, queued{0}, dropped{0}, peers{0}, missed_heartbeats{0};
    std::map<std::string, std::uint64_t> drops;           // by reason
    double sent_rate{0}, received_rate{0}, bytes_rate{0}; // a second
    std::uint64_t bytes{0};
    std::string key; // the same for the same thing in the next look
};

row row_of(const statistics &process, const counted_subject &socket, const counted_subject &one,
           const std::string &key) {
    const bool is_peer = one.kind == ZLINK_STATS_PEER;
    row made;
    made.pid = process.pid();
    made.program = process.program();
    made.type = socket.text("type");
    made.where = is_peer ? one.text("address") : socket.text("endpoint");
    made.peer = is_peer ? one.text("identity") : "";
    made.sent = one.number("sent.messages");
    made.received = one.number("received.messages");
    made.bytes = one.number("sent.bytes") + one.number("received.bytes");
    made.queued = one.number("queued.out") + one.number("queued.in");
    made.replayed = one.number("replayed.messages");
    made.missed_heartbeats = one.number("heartbeats.missed");
    made.dropped = one.dropped();
    made.drops = one.drops();
    made.peers = is_peer ? 1 : one.number("peers");
    made.key = concat(process.pid(), '.', key, '.', one.number("since"));
    return made;
}

std::vector<row> rows_of(const std::vector<statistics> &all, bool peers) {
    std::vector<row> rows;
    for (const statistics &process : all)
        for (std::size_t context = 0; context < process.contexts().size(); ++context) {
            const auto sockets = process.contexts()[context].parts_of(ZLINK_STATS_SOCKET);
            for (std::size_t at = 0; at < sockets.size(); ++at) {
                const std::string key = concat(context, '.', sockets[at]->number("id"), '.', at);
                if (!peers)
                    rows.push_back(row_of(process, *sockets[at], *sockets[at], key));
                for (const counted_subject &peer : sockets[at]->parts)
                    if (peers)
                        rows.push_back(row_of(process, *sockets[at], peer, key + peer.text("address")));
            }
        }
    return rows;
}

void set_rates(std::vector<row> &now, const std::vector<row> &before, double seconds) {
    std::map<std::string, const row *> known;
    for (const row &one : before)
        known[one.key] = &one;
    const auto rate = [&](std::uint64_t later, std::uint64_t earlier) {
        return later > earlier ? static_cast<double>(later - earlier) / seconds : 0.0;
    };
    for (row &one : now)
        if (const auto found = known.find(one.key); found != known.end()) {
            one.sent_rate = rate(one.sent, found->second->sent);
            one.received_rate = rate(one.received, found->second->received);
            one.bytes_rate = rate(one.bytes, found->second->bytes);
        }
}

// FIELD=TEXT, or a TEXT anywhere.
bool passes(const row &one, const std::string &filter) {
    const std::pair<const char *, std::string> fields[] = {{"pid", std::to_string(one.pid)},
                                                           {"program", one.program},
                                                           {"type", one.type},
                                                           {"endpoint", one.where},
                                                           {"peer", one.peer}};
    for (const auto &[name, value] : fields) {
        const std::string begin = concat(name, '=');
        if (filter.rfind(begin, 0) == 0)
            return value.find(filter.substr(begin.size())) != std::string::npos;
    }
    return std::any_of(std::begin(fields), std::end(fields),
                       [&](const auto &field) { return field.second.find(filter) != std::string::npos; });
}

double weight(const row &one, const std::string &sort) {
    if (sort == "queued")
        return static_cast<double>(one.queued);
    if (sort == "dropped")
        return static_cast<double>(one.dropped);
    if (sort == "peers")
        return static_cast<double>(one.peers);
    if (sort == "bytes")
        return one.bytes_rate;
    return one.sent_rate + one.received_rate;
}

void arrange(std::vector<row> &rows, const top_options &options) {
    if (options.filter)
        std::erase_if(rows, [&](const row &one) { return !passes(one, *options.filter); });
    std::stable_sort(rows.begin(), rows.end(), [&](const row &a, const row &b) {
        return options.sort == "pid" ? a.pid < b.pid : weight(a, options.sort) > weight(b, options.sort);
    });
}

std::string table(const std::vector<row> &rows) {
    std::ostringstream made;
    const auto line = [&](const auto &pid, const auto &type, const auto &peers, const auto &sent,
                          const auto &received, const auto &bytes, const auto &queued, const auto &dropped,
                          const std::string &program, const std::string &where) {
        made << std::setw(8) << pid << ' ' << std::left << std::setw(8) << type << std::right << std::setw(6)
             << peers << std::setw(14) << sent << std::setw(14) << received << std::setw(13) << bytes
             << std::setw(9) << queued << std::setw(9) << dropped << "  " << std::left << std::setw(12)
             << program << ' ' << where << std::right << '\n';
    };
    line("PID", "TYPE", "PEERS", "SENT", "RECEIVED", "BYTES", "QUEUED", "DROPPED", "PROGRAM", "ENDPOINT");
    for (const row &one : rows)
        line(one.pid, shown(one.type), one.peers, scaled(one.sent_rate, "/s"),
             scaled(one.received_rate, "/s"), scaled(one.bytes_rate, "B/s"), one.queued, one.dropped,
             shown(one.program), shown(one.where) + (one.peer.empty() ? "" : "  " + printable(one.peer)));
    return made.str();
}

std::string rows_as_json(const std::vector<row> &rows) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const row &one : rows)
        all.push_back({{"pid", one.pid},
                       {"program", printable(one.program)},
                       {"type", one.type},
                       {"endpoint", printable(one.where)},
                       {"peer", printable(one.peer)},
                       {"peers", one.peers},
                       {"sent", one.sent},
                       {"received", one.received},
                       {"queued", one.queued},
                       {"dropped", one.dropped},
                       {"dropped_by_reason", one.drops},
                       {"replayed", one.replayed},
                       {"heartbeats_missed", one.missed_heartbeats},
                       {"sent_per_second", one.sent_rate},
                       {"received_per_second", one.received_rate},
                       {"bytes_per_second", one.bytes_rate}});
    return all.dump(2) + "\n";
}

struct sort_key {
    char key;
    const char *order;
};

constexpr sort_key sort_keys[] = {{'m', "rate"},    {'b', "bytes"}, {'w', "queued"},
                                  {'d', "dropped"}, {'n', "peers"}, {'i', "pid"}};

constexpr char enter = '\r', line_feed = '\n', escape = '\x1b', rub_out = '\x7f', backspace = '\b';

// What the keys of a terminal change: the order, what is shown, and the filter, which is typed after "/".
class keyboard {
  public:
    explicit keyboard(top_options &options) : options_(options) {}

    // False if the key ends the command.
    bool obey(char key) {
        if (types_filter_) {
            type(key);
            return true;
        }
        if (key == 'p')
            options_.peers = !options_.peers;
        if (key == '/') {
            types_filter_ = true;
            options_.filter = "";
        }
        for (const auto &row : sort_keys)
            if (row.key == key)
                options_.sort = row.order;
        return key != 'q';
    }

    // The first line of the screen.
    std::string line() const {
        if (types_filter_)
            return concat("filter: ", printable(*options_.filter), "_  (Enter ends, Esc shows all)\n");
        return concat("zlink top, by ", options_.sort,
                      options_.filter ? concat(", only \"", printable(*options_.filter), "\"")
                                      : std::string(),
                      ": q ends, / filter, p peers; order by m messages, b bytes, w waiting, d dropped, n "
                      "peers, i pid\n");
    }

  private:
    void type(char key) {
        auto &text = *options_.filter;
        types_filter_ = key != enter && key != line_feed && key != escape;
        if (key == escape)
            options_.filter.reset();
        else if ((key == rub_out || key == backspace) && !text.empty())
            text.pop_back();
        else if (key >= ' ' && key != rub_out)
            text += key;
        if (!types_filter_ && options_.filter && options_.filter->empty())
            options_.filter.reset();
    }

    top_options &options_;
    bool types_filter_{false};
};

// The rows of two looks. Keys make no look that counts: rates would be those of a moment.
class table_of_rates {
  public:
    explicit table_of_rates(const top_options &options) : options_(options) {
        const auto all = statistics::of_those(options.processes, true);
        statistics::note_if_none(all);
        before_ = rows_of(all, options.peers);
    }

    double seconds_left() const {
        const auto now = now_ns(), end = looked_ + seconds_to_ns(options_.interval);
        return now < end ? static_cast<double>(end - now) / 1e9 : 0;
    }
    std::vector<row> look() {
        std::vector<row> rows = rows_of(statistics::of_those(options_.processes, false), options_.peers);
        const std::uint64_t now = now_ns();
        set_rates(rows, before_, static_cast<double>(now - looked_) / 1e9);
        if (seconds_left() == 0) {
            before_ = rows;
            looked_ = now;
        }
        arrange(rows, options_);
        return rows;
    }

  private:
    const top_options &options_;
    std::vector<row> before_;
    std::uint64_t looked_{now_ns()};
};

int run_top(top_options options) {
    if (options.interval < 0.05)
        throw failure("--interval is at least 0.05", status_usage);
    const bool live = !options.once && !options.json;
    table_of_rates rates(options);
    keyboard keys(options);
    terminal screen(live);
    output out;
    while (!stop_signal::came()) {
        if (const char key = screen.wait_for_key(rates.seconds_left()); key != 0 && !keys.obey(key))
            break;
        const auto rows = rates.look();
        const std::string text = options.json ? rows_as_json(rows) : table(rows);
        out.write(live ? screen.page(keys.line() + text) : text);
        out.flush();
        if (options.once)
            break;
    }
    return stop_signal::came() && options.once ? 128 + stop_signal::number() : int{status_done};
}

} // namespace

action declare_top(arguments &declared) {
    auto options = std::make_shared<top_options>();
    declared.option("PID", options->processes, "[PID...]",
                    "The processes, or files of ZLINK_RUNTIME_DIR; all, if none is given");
    declared.option("--interval", options->interval, "SECONDS", "Time between two looks (1)");
    declared.choice("--sort", options->sort, {"rate", "bytes", "queued", "dropped", "peers", "pid"},
                    "What comes first");
    declared.option("--filter", options->filter, "TEXT",
                    "Only lines with this text; or FIELD=TEXT with pid, program, type, endpoint or peer");
    declared.flag("--peers", options->peers, "A line for each peer, not for each socket");
    declared.flag("--once", options->once, "Print the table once, after one interval");
    declared.flag("--json", options->json, "Print JSON, an array for each look");
    return [options] {
        stop_signal::install();
        return run_top(*options);
    };
}

} // namespace cli
