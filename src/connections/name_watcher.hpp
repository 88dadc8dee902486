// SPDX-License-Identifier: MPL-2.0
// name_watcher: keeps one connection to each address that a name has (dns+tcp). It asks the name servers
// again when the time to live ends. A new address gets a connector; that of a lost address is withdrawn.
//
// Threads: the I/O thread; the servers are asked on a lookup thread. Ownership: see worker.hpp. It holds its
// connectors weakly: they are workers of their own, on any I/O thread. Invariants: if the servers do not
// answer, everything stays as it is. If they say that the name has no address, all connections end. The two
// families count apart. A connector that ended by itself is not replaced as long as its address is there.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <map>
#include <string>
#include <vector>

#include "connections/worker.hpp"
#include "runtime/lookup.hpp"
#include "transport/transports.hpp"

namespace zlink::connections {

class name_watcher final : public worker {
  public:
    // More addresses than these are not connected to. Those that are stay.
    static constexpr std::size_t most_addresses = 1024;

    name_watcher(worker_list &owner, std::vector<worker_list *> groups, std::shared_ptr<socket_link> link,
                 std::shared_ptr<const socket_options> options, transport::endpoint name);

    void start() override;
    void terminate(int linger_ms) override;  // and all its connections
    void disconnect(int linger_ms) override; // likewise

  private:
    struct connected_address {
        worker_list *workers;
        std::weak_ptr<worker> connector;
        int family;
    };
    using end_function = void (worker_list::*)(std::shared_ptr<worker>, int) noexcept;

    template <class Step> void turn(Step &&step);
    void ask();
    void take(const runtime::dns_answer &answer);
    void take_family(const runtime::dns_family &family, int kind);
    void connect_to(const transport::socket_address &address);
    [[nodiscard]] std::shared_ptr<worker> begin_connector(const transport::endpoint &peer,
                                                          worker_list &where);
    void ask_after(int delay_ms);
    void failed(int longest_ms);
    void tell_retry(int delay_ms) noexcept;
    void stop(int linger_ms, end_function end_worker);

    worker_list &workers_;
    const std::vector<worker_list *> groups_; // that the connections are spread over
    const std::shared_ptr<socket_link> link_;
    const std::shared_ptr<const socket_options> options_; // of every connection
    const transport::endpoint name_;
    const transport::tcp_pair parts_;
    runtime::lookup lookup_;
    boost::asio::steady_timer timer_; // of the next question
    runtime::post_slot again_slot_;
    std::map<std::string, connected_address> connected_; // by the address as an endpoint has it
    int delay_ms_ = 0;                                   // the last wait after no answer; 0: there was one
    bool stopped_ = false;
};

} // namespace zlink::connections
