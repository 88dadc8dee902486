// SPDX-License-Identifier: MPL-2.0
// zlink ls: the processes that have contexts.
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>

#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

// The sums over the contexts of a process.
struct process_sums {
    std::uint64_t sockets{0}, peers{0}, sent{0}, received{0}, queued{0}, dropped{0};

    explicit process_sums(const statistics &of) {
        for (const counted_subject &context : of.contexts()) {
            sockets += context.number("sockets");
            sent += context.number("sent.messages");
            received += context.number("received.messages");
            queued += context.number("queued.out");
            dropped += context.dropped();
            for (const counted_subject *socket : context.parts_of(ZLINK_STATS_SOCKET))
                peers += socket->number("peers");
        }
    }
};

template <class... Cells> std::string line(const Cells &...cells) {
    std::ostringstream made;
    const auto put = [&](const auto &cell) { made << std::setw(12) << cell; };
    (put(cells), ...);
    return made.str();
}

std::string as_table(const std::vector<statistics> &all) {
    std::string made =
        line("PID", "CONTEXTS", "SOCKETS", "PEERS", "SENT", "RECEIVED", "QUEUED", "DROPPED") + "  PROGRAM\n";
    for (const statistics &one : all) {
        const process_sums sums(one);
        made += line(one.pid(), one.contexts().size(), sums.sockets, sums.peers, sums.sent, sums.received,
                     sums.queued, sums.dropped) +
                "  " + shown(one.program()) + "\n";
    }
    return made;
}

std::string as_json(const std::vector<statistics> &all) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const statistics &one : all) {
        const process_sums sums(one);
        rows.push_back({{"pid", one.pid()},
                        {"program", printable(one.program())},
                        {"contexts", one.contexts().size()},
                        {"sockets", sums.sockets},
                        {"peers", sums.peers},
                        {"sent", sums.sent},
                        {"received", sums.received},
                        {"queued", sums.queued},
                        {"dropped", sums.dropped}});
    }
    return rows.dump(2) + "\n";
}

} // namespace

action declare_ls(arguments &declared) {
    auto json = std::make_shared<bool>(false);
    declared.flag("--json", *json, "Print JSON");
    return [json]() -> int {
        const auto all = statistics::of_all_processes();
        output out;
        out.write(*json ? as_json(all) : as_table(all));
        out.flush();
        statistics::note_if_none(all);
        return status_done;
    };
}

} // namespace cli
