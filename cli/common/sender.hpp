// SPDX-License-Identifier: MPL-2.0
// How a command ends that has sent messages.
#pragma once

#include <optional>

#include "common/messaging.hpp"

namespace cli {

// Closes the socket and waits until its messages have left. False if a signal or `linger_seconds`, the
// socket's ZMQ_LINGER, ended that.
bool finish_sending(context &owner, socket &used, std::optional<double> linger_seconds);

} // namespace cli
