// SPDX-License-Identifier: MPL-2.0
//
// A table of the functions of zmq.h, found in a library file at run time.
//
// The player links no ZeroMQ library: thus one program runs on each of them. A function that the file does
// not have stays null (the drafts of a distribution's libzmq).
#pragma once

#include <zlink/stats.h>
#include <zmq.h>

#include <string>

#define PLAYER_STABLE_FUNCTIONS(X)                                                                           \
    X(zmq_errno)                                                                                             \
    X(zmq_strerror)                                                                                          \
    X(zmq_version)                                                                                           \
    X(zmq_ctx_new)                                                                                           \
    X(zmq_ctx_term)                                                                                          \
    X(zmq_ctx_shutdown)                                                                                      \
    X(zmq_ctx_set)                                                                                           \
    X(zmq_ctx_get)                                                                                           \
    X(zmq_msg_init)                                                                                          \
    X(zmq_msg_init_size)                                                                                     \
    X(zmq_msg_init_data)                                                                                     \
    X(zmq_msg_send)                                                                                          \
    X(zmq_msg_recv)                                                                                          \
    X(zmq_msg_close)                                                                                         \
    X(zmq_msg_move)                                                                                          \
    X(zmq_msg_copy)                                                                                          \
    X(zmq_msg_data)                                                                                          \
    X(zmq_msg_size)                                                                                          \
    X(zmq_msg_more)                                                                                          \
    X(zmq_msg_get)                                                                                           \
    X(zmq_msg_set)                                                                                           \
    X(zmq_msg_gets)                                                                                          \
    X(zmq_socket)                                                                                            \
    X(zmq_close)                                                                                             \
    X(zmq_setsockopt)                                                                                        \
    X(zmq_getsockopt)                                                                                        \
    X(zmq_bind)                                                                                              \
    X(zmq_connect)                                                                                           \
    X(zmq_unbind)                                                                                            \
    X(zmq_disconnect)                                                                                        \
    X(zmq_send)                                                                                              \
    X(zmq_send_const)                                                                                        \
    X(zmq_recv)                                                                                              \
    X(zmq_socket_monitor)                                                                                    \
    X(zmq_poll)                                                                                              \
    X(zmq_proxy_steerable)                                                                                   \
    X(zmq_has)                                                                                               \
    X(zmq_sendmsg)                                                                                           \
    X(zmq_recvmsg)                                                                                           \
    X(zmq_sendiov)                                                                                           \
    X(zmq_recviov)                                                                                           \
    X(zmq_z85_encode)                                                                                        \
    X(zmq_z85_decode)                                                                                        \
    X(zmq_curve_keypair)                                                                                     \
    X(zmq_curve_public)                                                                                      \
    X(zmq_atomic_counter_new)                                                                                \
    X(zmq_atomic_counter_set)                                                                                \
    X(zmq_atomic_counter_inc)                                                                                \
    X(zmq_atomic_counter_dec)                                                                                \
    X(zmq_atomic_counter_value)                                                                              \
    X(zmq_atomic_counter_destroy)                                                                            \
    X(zmq_timers_new)                                                                                        \
    X(zmq_timers_destroy)                                                                                    \
    X(zmq_timers_add)                                                                                        \
    X(zmq_timers_cancel)                                                                                     \
    X(zmq_timers_set_interval)                                                                               \
    X(zmq_timers_reset)                                                                                      \
    X(zmq_timers_timeout)                                                                                    \
    X(zmq_timers_execute)

#define PLAYER_DRAFT_FUNCTIONS(X)                                                                            \
    X(zmq_ctx_set_ext)                                                                                       \
    X(zmq_ctx_get_ext)                                                                                       \
    X(zmq_join)                                                                                              \
    X(zmq_leave)                                                                                             \
    X(zmq_connect_peer)                                                                                      \
    X(zmq_disconnect_peer)                                                                                   \
    X(zmq_msg_set_routing_id)                                                                                \
    X(zmq_msg_routing_id)                                                                                    \
    X(zmq_msg_set_group)                                                                                     \
    X(zmq_msg_group)                                                                                         \
    X(zmq_msg_init_buffer)                                                                                   \
    X(zmq_poller_new)                                                                                        \
    X(zmq_poller_destroy)                                                                                    \
    X(zmq_poller_size)                                                                                       \
    X(zmq_poller_add)                                                                                        \
    X(zmq_poller_modify)                                                                                     \
    X(zmq_poller_remove)                                                                                     \
    X(zmq_poller_wait)                                                                                       \
    X(zmq_poller_wait_all)                                                                                   \
    X(zmq_poller_fd)                                                                                         \
    X(zmq_poller_add_fd)                                                                                     \
    X(zmq_poller_modify_fd)                                                                                  \
    X(zmq_poller_remove_fd)                                                                                  \
    X(zmq_socket_get_peer_state)                                                                             \
    X(zmq_socket_monitor_versioned)                                                                          \
    X(zmq_socket_monitor_pipes_stats)                                                                        \
    X(zmq_ppoll)

#define PLAYER_OWN_FUNCTIONS(X)                                                                              \
    X(zlink_stats_of_context)                                                                                \
    X(zlink_stats_count)                                                                                     \
    X(zlink_stats_kind)                                                                                      \
    X(zlink_stats_value)                                                                                     \
    X(zlink_stats_free)

struct api_table {
#define PLAYER_MEMBER(name) decltype(&::name) name = nullptr;
    PLAYER_STABLE_FUNCTIONS(PLAYER_MEMBER)
    PLAYER_DRAFT_FUNCTIONS(PLAYER_MEMBER)
    PLAYER_OWN_FUNCTIONS(PLAYER_MEMBER)
#undef PLAYER_MEMBER
};

// Loads the library file and finds its functions. Ends the program with a message where the file cannot be
// loaded or lacks a stable function.
api_table load_api(const std::string &file, bool with_drafts);

// True if the table has every draft function.
bool has_drafts(const api_table &api);
