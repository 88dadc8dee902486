// SPDX-License-Identifier: MPL-2.0
// fork(2): the child has the memory of all threads and one of the threads. The child cannot use the objects
// that it inherits from the library, and it must not touch what it shares with its parent. So every object
// that the application may call is told, and the child's copies of connections are closed.
//
// Threads: any. on_fork() runs in the child, in its only thread, before fork() returns there. Other threads
// may have held locks, which stay locked for ever. Memory is as those threads left it between two
// instructions. Children of vfork() and posix_spawn() are not told and need not be.
#pragma once

namespace zlink {

class fork_handler {
  public:
    fork_handler(const fork_handler &) = delete;
    fork_handler &operator=(const fork_handler &) = delete;

  protected:
    fork_handler() noexcept;
    ~fork_handler();
    // It is not pure virtual: a child may find an object that another thread had only begun to make.
    virtual void on_fork() noexcept {}

  private:
    struct registry;
    fork_handler *previous_ = nullptr; // guarded by the registry, as next_
    fork_handler *next_ = nullptr;
};

// A descriptor that children do not keep, from now on; and no longer, to be called before it is closed.
void withhold_from_children(int descriptor) noexcept;
void release_to_children(int descriptor) noexcept;

} // namespace zlink
