// SPDX-License-Identifier: MPL-2.0
// reply_envelope is a checker of the frames that come to a REQ. It knows how a reply begins: an empty frame,
// and before it, with ZMQ_REQ_CORRELATE, an id of four bytes. A body follows. libzmq closes a connection on
// anything else.
//
// Threads: its owner's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::connections {

class reply_envelope {
  public:
    // Takes the next frame. Returns false if no reply can have it here.
    [[nodiscard]] bool accepts(std::uint64_t size, bool more) noexcept {
        switch (next_) {
        case part::beginning:
            if (!more || (size != 0 && size != id_size))
                return false;
            next_ = size == 0 ? part::body : part::delimiter;
            return true;
        case part::delimiter:
            next_ = part::body;
            return more && size == 0;
        case part::body:
            next_ = more ? part::body : part::beginning;
            return true;
        }
        return false;
    }
    void reset() noexcept { next_ = part::beginning; }

  private:
    enum class part : std::uint8_t { beginning, delimiter, body };
    static constexpr std::uint64_t id_size = 4;

    part next_ = part::beginning;
};

} // namespace zlink::connections
