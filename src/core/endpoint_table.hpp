// SPDX-License-Identifier: MPL-2.0
// endpoint_table: the endpoints that a socket is bound or connected to. The key of a record is the text that
// zmq_unbind and zmq_disconnect take for it. A name with several connections has a record for itself, and one
// for each connection.
//
// Threads: the application thread in a call on the socket. Ownership: a record shares its worker with the
// worker's list, and borrows the end. The table closes no end.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "connections/worker.hpp"
#include "pipe/pipe.hpp"

namespace zlink::core {

struct endpoint_record {
    std::shared_ptr<connections::worker> worker; // null for inproc, and for a connection of a name
    connections::worker_list *workers = nullptr; // likewise
    pipe_end *end = nullptr; // of a connect; null with IMMEDIATE, of a name, and of a bind
    int descriptor = -1;     // of a bind to a stream

    [[nodiscard]] bool bound_inproc() const noexcept { return workers == nullptr && end == nullptr; }
};

class endpoint_table {
  public:
    using map = std::multimap<std::string, endpoint_record>;

    [[nodiscard]] map::iterator add(const std::string &text, endpoint_record record) {
        return records_.emplace(text, std::move(record));
    }
    void erase(map::iterator entry) noexcept { records_.erase(entry); }
    [[nodiscard]] const map &all() const noexcept { return records_; }
    [[nodiscard]] bool contains(const std::string &text) const { return records_.contains(text); }
    // The end of the connection that was made last. There is one.
    [[nodiscard]] pipe_end &newest(const std::string &text) noexcept {
        return *std::prev(records_.upper_bound(text))->second.end;
    }
    // Take a record out. Empty: there is none. By its text, a binding to an inproc name comes first.
    [[nodiscard]] map::node_type take(const pipe_end &end) noexcept;
    [[nodiscard]] map::node_type take(const std::shared_ptr<connections::worker> &by) noexcept;
    [[nodiscard]] map::node_type take_first(const std::string &text) noexcept;

    // A connect that gave its endpoint up counts as none.
    void forget_given_up(const std::string &text);
    // The socket closes: all its workers end. The last reference to each goes on its own thread.
    void end_workers(int linger_ms) noexcept;
    // The end is closed. An inproc connection counts as none then; the worker of a stream goes on.
    void forget_end(const pipe_end &end) noexcept;

    // A name has another connection, which has a record of its own under the same text. Returns false if the
    // endpoint is not connected any more.
    [[nodiscard]] bool note_connection(const std::string &text, pipe_end &end);

    // ---- inproc names without a peer, of connections that the pattern refused
    void add_refused(const std::string &text) { refused_.push_back(text); }
    [[nodiscard]] bool take_refused(const std::string &text) { return std::erase(refused_, text) != 0; }

  private:
    [[nodiscard]] map::iterator find(const pipe_end &end) noexcept;

    map records_;
    std::vector<std::string> refused_;
};

} // namespace zlink::core
