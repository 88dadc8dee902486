// SPDX-License-Identifier: MPL-2.0
// Replies of an authenticator: the input is cut into frames at bytes 0xFE. Nothing but a whole and right
// reply accepts, and a refusal vouches for nothing.
#include "require.hpp"

#include "security/zap.hpp"

using namespace zlink;
using zlink::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::vector<std::string> frames(size == 0 ? 0 : 1);
    for (std::size_t index = 0; index < size; ++index) {
        if (data[index] == 0xFE)
            frames.emplace_back();
        else
            frames.back() += static_cast<char>(data[index]);
    }
    const zmtp::verdict found = security::zap::decode_reply("1", frames);
    if (found.failure == zmtp::handshake_failure::none) {
        require(frames.size() == 6 && frames[0] == "1.0" && frames[1] == "1" && frames[2] == "200");
        require(found.status == 200 && found.vouched.at(0).name == "User-Id" &&
                found.vouched.at(0).value == frames[4]);
    } else {
        require(found.vouched.empty() && found.status != 200);
    }
    return 0;
}
