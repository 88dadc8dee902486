// SPDX-License-Identifier: MPL-2.0
// context: the I/O threads, the names of inproc, and the sockets that must be closed before it ends.
//
// Threads: any. Registries are behind a mutex that no message meets.
// Life: new -> (the first socket starts the I/O threads) -> shutdown -> terminate -> deleted. After shutdown
// every blocked or later call of its sockets gives ETERM. terminate waits until the sockets are closed and
// the workers have spent their linger time.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/fork.hpp"
#include "base/looks_into_anything.hpp"
#include "base/result.hpp"
#include "connections/worker.hpp"
#include "core/context_options.hpp"
#include "core/inproc_names.hpp"
#include "counters/owners.hpp"
#include "message/pool.hpp"
#include "metrics/endpoint.hpp"
#include "runtime/io_thread.hpp"
#include "runtime/wait_group.hpp"

namespace zlink::core {

class socket;

class context final : private fork_handler {
  public:
    context();
    ~context();
    context(const context &) = delete;
    context &operator=(const context &) = delete;

    // Is this a context, and not an end or something else?
    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool valid() const noexcept { return tag_ == living; }

    result<void> set(int option, int value);
    result<int> get(int option);
    result<void> set(int option, std::span<const std::byte> value);
    result<std::size_t> get(int option, std::span<std::byte> value);

    // ETERM, EMFILE, EINVAL (no such type).
    result<socket *> create_socket(int type);
    // A socket of the library itself: not counted, not told of the end, to be closed by who asked for it.
    // ETERM.
    result<socket *> create_internal_socket(socket_type type);
    void forget(socket &closed);
    void shutdown();
    // EINTR: a signal came; to be called again. In a child of fork(2) always. Success: the context may be
    // deleted.
    result<void> terminate();

    [[nodiscard]] inproc_names &names() noexcept { return names_; }
    // Where its counters are. Null: there was no socket yet.
    [[nodiscard]] std::shared_ptr<counters::region> memory_of_counts();
    // The group of the least loaded I/O thread among those of the mask (0: all). Null: there is none.
    [[nodiscard]] connections::worker_list *choose_group(std::uint64_t affinity);
    [[nodiscard]] std::vector<connections::worker_list *> groups(std::uint64_t affinity);

  private:
    struct io_place {
        counters::handle<counters::io_thread_record> counts; // the thread's
        runtime::io_thread thread;
        connections::worker_list workers;
        io_place(const std::shared_ptr<counters::region> &memory, runtime::wait_group &sessions)
            : counts(memory), workers(thread, sessions) {}
    };
    // The counts of the context, from its first socket on.
    [[nodiscard]] const std::shared_ptr<counters::context_counts> &counts(); // guarded
    [[nodiscard]] std::unique_ptr<io_place> make_place();
    [[nodiscard]] result<socket *> create_useless_socket(int type); // guarded
    bool start_threads();                                           // guarded
    void stop_threads() noexcept;                                   // guarded
    void on_fork() noexcept override;

    const pool::use pool_use_; // until all threads have ended
    static constexpr std::uint32_t living = 0x7A637478;
    std::uint32_t tag_ = living;
    bool forked_ = false; // in a child of the process that made it: none of its threads are here
    std::mutex guard_;
    context_options options_;                          // guarded
    bool started_ = false;                             // guarded
    bool ending_ = false;                              // guarded
    int socket_limit_ = 0;                             // guarded; fixed when the first socket is made
    std::unordered_set<socket *> sockets_;             // guarded
    std::shared_ptr<counters::context_counts> counts_; // guarded; null before the first socket
    std::shared_ptr<metrics::endpoint> metrics_;       // guarded; from the first socket on, if one is wanted
    std::vector<std::unique_ptr<io_place>> io_;        // constant once started
    runtime::wait_group open_sockets_;
    runtime::wait_group sessions_;
    inproc_names names_;
};

} // namespace zlink::core
