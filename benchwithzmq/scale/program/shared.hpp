// SPDX-License-Identifier: MPL-2.0
// An object in memory that processes forked later share.
//
// Threads: as the object says. The maker's destructor unmaps it; forked processes leave it to their end.
#pragma once

#include "common/fail.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace bench::scale {

template <class Object> class shared {
  public:
    shared() {
        void *memory =
            mmap(nullptr, sizeof(Object), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            fail("no shared memory: %s", std::strerror(errno));
        object_ = new (memory) Object;
    }
    ~shared() { munmap(object_, sizeof(Object)); }
    shared(const shared &) = delete;
    shared &operator=(const shared &) = delete;
    Object *operator->() const { return object_; }
    Object &operator*() const { return *object_; }

  private:
    Object *object_;
};

} // namespace bench::scale
