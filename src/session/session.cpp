// SPDX-License-Identifier: MPL-2.0
#include "session/session.hpp"

namespace zlink::session {

void group::begin(std::shared_ptr<session> fresh) {
    sessions_.enter();
    thread_.add_load(1);
    thread_.post([this, fresh = std::move(fresh)] {
        members_.insert(fresh);
        fresh->start();
    });
}

void group::terminate(std::shared_ptr<session> old, int linger_ms) {
    thread_.post([old = std::move(old), linger_ms] { old->terminate(linger_ms); });
}

void group::disconnect(std::shared_ptr<session> old, int linger_ms) {
    thread_.post([old = std::move(old), linger_ms] { old->disconnect(linger_ms); });
}

void group::finished(session &done) {
    const auto held = members_.extract(done.shared_from_this());
    if (held.empty())
        return;
    thread_.add_load(-1);
    // The last reference may go here: not under the feet of the session that called.
    thread_.post([this, last = std::move(held.value())]() mutable {
        last.reset();
        sessions_.leave();
    });
}

} // namespace zlink::session
