// SPDX-License-Identifier: MPL-2.0
// stream_group: the streams of many connections of one socket, which the application's thread reads itself
// when they are handed to it all together. Of a single connection's stream: see pipe_driver.
//
// Threads: the application's, in a call on the socket. Ownership: shared by the socket and the connections.
#pragma once

namespace zlink {

class stream_group {
  public:
    // Reads what has come. False: they were not handed over.
    virtual bool read() noexcept = 0;
    // The thread is going to sleep: what is to be watched for readability; -1: they are not the
    // application's, and were asked for.
    [[nodiscard]] virtual int begin_wait() noexcept = 0;
    // It slept; reads what has come when they are `readable`.
    virtual void end_wait(bool readable) noexcept = 0;
    virtual void give_back() noexcept = 0;

  protected:
    ~stream_group() = default;
};

} // namespace zlink
