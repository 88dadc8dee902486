// SPDX-License-Identifier: MPL-2.0
// An End is one side of a measurement: a socket of a library, a bare socket, or a ring.
//
// It has send(body), flush(), offer(body) and receive(body). offer() is a send that returns false while the
// peer is not known yet. receive() fails by itself on a wrong size or shape.
#pragma once

#include "common/body.hpp"
#include "common/clock.hpp"

namespace bench {

// How much of what is sent arrives.
enum class delivery {
    complete,          // all of it
    from_subscription, // all that is sent after a PUB knows the subscription
    lossy,             // a PUB drops messages at its high-water mark
};

// Whether messages come in bursts, or one at a time as in an exchange of question and answer.
enum class pace { streaming, lock_step };

// Sends the first message, which alone may have to wait for the connection.
template <class End> void send_first(End &end, body &out) {
    out.stamp(kind::hello, 0);
    while (!end.offer(out))
        sleep_ms(1);
    end.flush();
}

} // namespace bench
