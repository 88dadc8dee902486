// SPDX-License-Identifier: MPL-2.0
#include "zmtp/handshake.hpp"

#include "base/wipe.hpp"
#include "message/frame_header.hpp"
#include "zmtp/legacy_frames.hpp"
#include "zmtp/null_mechanism.hpp"
#include "zmtp/socket_rules.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace zlink::zmtp {

namespace {

constexpr std::size_t signature_size = 10;
constexpr std::uint8_t signature_first = 0xFF;
constexpr std::uint8_t signature_last = 0x7F;
constexpr std::size_t mechanism_size = 20;
constexpr std::size_t rest_size = 64 - signature_size - 1; // minor version, mechanism, as-server, filler
constexpr std::size_t mechanism_at = 1;
constexpr std::size_t as_server_at = mechanism_at + mechanism_size;
constexpr std::uint8_t own_major = 3;
constexpr std::uint8_t own_minor = 1;
constexpr std::uint8_t last_v2_revision = 1;
constexpr std::string_view socket_type_property = "Socket-Type";
constexpr std::string_view identity_property = "Identity";

using greeting_rest = std::array<std::uint8_t, rest_size>;

greeting_rest make_rest(const mechanism &security) {
    const std::string_view name = security.name();
    assert(!name.empty() && name.size() <= mechanism_size);
    greeting_rest rest{};
    rest[0] = own_minor;
    std::copy(name.begin(), name.end(), rest.begin() + mechanism_at);
    rest[as_server_at] = security.as_server() ? 1 : 0;
    return rest;
}

// The padding bytes mean nothing to versions 2 and 3. To a 1.0 peer the signature is the header of a frame in
// the long form. Its body is our routing id, which follows when the peer turns out to be one.
std::array<std::uint8_t, signature_size> make_signature(std::size_t routing_id_size) {
    std::array<std::uint8_t, signature_size> signature{};
    signature.front() = signature_first;
    store_big_endian_64(signature.data() + 1, routing_id_size + 1);
    signature.back() = signature_last;
    return signature;
}

std::vector<property> make_metadata(const handshake_config &config) {
    std::vector<property> own{
        {std::string(socket_type_property), std::string(socket_type_name(config.type))}};
    if (sends_identity(config.type)) {
        own.push_back({std::string(identity_property), config.routing_id});
    }
    own.insert(own.end(), config.extra.begin(), config.extra.end());
    return own;
}

constexpr std::array<std::string_view, 5> state_names{"greeting", "securing", "authenticating", "done",
                                                      "failed"};
constexpr std::array<std::string_view, 27> failure_names{
    "none",
    "bad signature",
    "version refused",
    "mechanism mismatch",
    "malformed frame",
    "malformed command",
    "unexpected command",
    "missing socket type",
    "socket type mismatch",
    "bad routing id",
    "oversize",
    "error from peer",
    "malformed HELLO",
    "malformed WELCOME",
    "malformed INITIATE",
    "malformed READY",
    "malformed metadata",
    "replayed number",
    "cryptographic",
    "wrong key exchange",
    "refused",
    "no authenticator",
    "malformed reply of the authenticator",
    "wrong request id in the reply of the authenticator",
    "wrong version of the reply of the authenticator",
    "wrong status code in the reply of the authenticator",
    "malformed metadata in the reply of the authenticator",
};
static_assert(failure_names.size() == static_cast<std::size_t>(handshake_failure::malformed_reply_facts) + 1);

} // namespace

std::string_view to_string(handshake_state state) noexcept {
    return state_names[static_cast<std::size_t>(state)];
}
std::string_view to_string(handshake_failure failure) noexcept {
    return failure_names[static_cast<std::size_t>(failure)];
}
bool is_breach(handshake_failure failure) noexcept {
    switch (failure) {
    case handshake_failure::none:
    case handshake_failure::version_refused:
    case handshake_failure::missing_socket_type:
    case handshake_failure::bad_routing_id:
    case handshake_failure::error_from_peer:
    case handshake_failure::refused:
    case handshake_failure::no_authenticator:
    case handshake_failure::malformed_reply:
    case handshake_failure::wrong_reply_id:
    case handshake_failure::wrong_reply_version:
    case handshake_failure::wrong_reply_status:
    case handshake_failure::malformed_reply_facts:
        return false;
    default:
        return true;
    }
}

handshake::handshake(handshake_config config, std::unique_ptr<mechanism> security)
    : config_(std::move(config)),
      security_(security ? std::move(security) : std::make_unique<null_mechanism>()) {
    assert(config_.routing_id.size() <= max_routing_id && !socket_type_name(config_.type).empty());
    security_->begin(make_metadata(config_));
    send(make_signature(config_.routing_id.size()));
    // Who does not speak to old peers has no reason to wait for the peer's version.
    if (!security_->allows_old_peers()) {
        output_.push_back(own_major);
        send_rest_of_greeting();
    }
}

handshake::~handshake() {
    wipe(input_);
    wipe(output_);
}

std::size_t handshake::feed(byte_view in) {
    std::size_t used = 0;
    while (step_ != step::over && state_ != handshake_state::authenticating && used < in.size()) {
        const std::size_t count = std::min(needed_ - input_.size(), in.size() - used);
        const byte_view taken = in.subspan(used, count);
        input_.reserve(needed_);
        input_.insert(input_.end(), taken.begin(), taken.end());
        used += count;
        while (step_ != step::over && input_.size() == needed_) {
            advance();
        }
    }
    return used;
}

void handshake::consume_output(std::size_t count) noexcept {
    assert(count <= output_.size() - output_sent_);
    output_sent_ += count;
    if (output_sent_ == output_.size()) {
        wipe(output_); // PLAIN's password is in it
        output_.clear();
        output_sent_ = 0;
    }
}

// Every step either wants more, or sets the next step: the loop in feed comes to an end.
void handshake::advance() {
    switch (step_) {
    case step::signature_start:
        return on_signature_start();
    case step::signature:
        return on_signature();
    case step::version:
        return on_version();
    case step::rest_of_greeting:
        return on_greeting();
    case step::command_header:
        return on_command_header();
    case step::command_body:
        return on_command_body();
    case step::v2_socket_type:
        return on_v2_socket_type();
    case step::v2_identity_header:
        return on_v2_identity_header();
    case step::v1_identity_header:
        return on_v1_identity_header();
    case step::identity_body:
        return on_identity_body();
    case step::over:
        return;
    }
}

void handshake::want(step next, std::size_t bytes) {
    step_ = next;
    needed_ = bytes;
    wipe(input_);
    input_.clear();
}

void handshake::on_signature_start() {
    if (input_[0] == 0) // a 1.0 frame of length 0, which there is not
        return fail(handshake_failure::bad_signature);
    const bool newer = input_[0] == signature_first; // or the long form of a 1.0 frame
    step_ = newer ? step::signature : step::v1_identity_header;
    needed_ = newer ? signature_size : 2;
}

void handshake::on_signature() {
    if ((input_.back() & 1) == 0) {
        step_ = step::v1_identity_header;
        return;
    }
    if (!greeting_sent_) {
        output_.push_back(own_major);
    }
    want(step::version, 1);
}

void handshake::on_version() {
    const std::uint8_t version = input_[0];
    if (version <= last_v2_revision) {
        if (!security_->allows_old_peers()) {
            return fail(handshake_failure::version_refused);
        }
        peer_.version_major = version == last_v2_revision ? 2 : 1; // as libzmq frames it
        output_.push_back(static_cast<std::uint8_t>(config_.type));
        return want(step::v2_socket_type, 1);
    }
    peer_.version_major = own_major;
    // Peers newer than 3 are treated as 3.1, whatever their minor version; versions between 2.0 and 3 as 3.0.
    minor_known_ = version != own_major;
    peer_.version_minor = version > own_major ? own_minor : 0;
    if (!greeting_sent_) {
        send_rest_of_greeting();
    }
    want(step::rest_of_greeting, rest_size);
}

void handshake::on_greeting() {
    if (!std::equal(input_.begin() + mechanism_at, input_.begin() + as_server_at,
                    make_rest(*security_).begin() + mechanism_at)) {
        return fail(handshake_failure::mechanism_mismatch);
    }
    if (!minor_known_) {
        peer_.version_minor = input_[0];
    }
    proceed();
}

// On to the next command of the peer, if there is one to come.
void handshake::proceed() {
    state_ = handshake_state::securing;
    send_commands();
    if (security_->done()) {
        return finish_metadata();
    }
    if (security_->awaits() != nullptr) {
        state_ = handshake_state::authenticating;
    }
    want(step::command_header, small_header_size);
}

void handshake::authenticated(verdict found) {
    assert(state_ == handshake_state::authenticating);
    if (found.failure != handshake_failure::none) {
        peer_.refused_status = found.status;
        if (found.failure == handshake_failure::refused && found.status != status_temporary) {
            security_->append_refusal(output_, std::to_string(found.status));
        }
        return fail(found.failure);
    }
    peer_.vouched = std::move(found.vouched);
    security_->authenticated();
    proceed();
}

void handshake::on_command_header() {
    const frame_header header = parse_frame_header(input_.data(), input_.size());
    if (header.status == header_status::incomplete) {
        needed_ = large_header_size;
        return;
    }
    if (header.status == header_status::error) {
        return fail(handshake_failure::malformed_frame);
    }
    if ((header.flags & frame_flag::command) == 0) {
        return fail(handshake_failure::unexpected_command);
    }
    if (header.body_size > max_handshake_frame) {
        return fail(handshake_failure::oversize);
    }
    want(step::command_body, static_cast<std::size_t>(header.body_size));
}

void handshake::on_command_body() {
    const auto incoming = parse_command(input_);
    if (!incoming) {
        return on_error(security_->misspelt_error(input_));
    }
    if (incoming->kind == command_kind::error) {
        return on_error(parse_error(incoming->data));
    }
    const handshake_failure failure = security_->accept(*incoming);
    if (failure != handshake_failure::none) {
        return fail(failure);
    }
    proceed();
}

void handshake::on_error(std::optional<std::string_view> reason) {
    if (!reason) {
        return fail(handshake_failure::malformed_command);
    }
    peer_.error_reason = *reason;
    fail(handshake_failure::error_from_peer);
}

// Any type is taken, as by libzmq.
void handshake::on_v2_socket_type() {
    peer_.socket_type = socket_type_name_v2(input_[0]);
    send_old_identity();
    want(peer_.version_major == 2 ? step::v2_identity_header : step::v1_identity_header, small_header_size);
}

void handshake::on_v2_identity_header() {
    const frame_header header = parse_v2_header(input_.data(), input_.size());
    if (header.status == header_status::incomplete) {
        needed_ = large_header_size;
        return;
    }
    if (header.status == header_status::error) {
        return fail(handshake_failure::malformed_frame);
    }
    if (header.body_size > max_old_routing_id) {
        return fail(handshake_failure::bad_routing_id);
    }
    want(step::identity_body, static_cast<std::size_t>(header.body_size));
}

void handshake::on_v1_identity_header() {
    const frame_header header = parse_v1_header(input_.data(), input_.size());
    if (header.status == header_status::incomplete) {
        needed_ = max_legacy_header_size;
        return;
    }
    if (header.status == header_status::error) {
        return fail(handshake_failure::bad_signature);
    }
    if (!security_->allows_old_peers()) {
        return fail(handshake_failure::version_refused);
    }
    const bool told_its_type = std::exchange(peer_.version_major, 1) == 1;
    if (header.body_size > max_old_routing_id) {
        return fail(handshake_failure::bad_routing_id);
    }
    peer_.without_greeting = !told_its_type;
    if (!told_its_type) {
        send(as_bytes(config_.routing_id)); // the body of the frame that our signature began
    }
    want(step::identity_body, static_cast<std::size_t>(header.body_size));
}

void handshake::on_identity_body() {
    peer_.routing_id = as_text(input_);
    finish();
}

void handshake::send(byte_view bytes) {
    output_.insert(output_.end(), bytes.begin(), bytes.end());
}

void handshake::send_rest_of_greeting() {
    send(make_rest(*security_));
    greeting_sent_ = true;
    if (security_->may_start_early()) {
        send_commands();
    }
}

void handshake::send_commands() {
    while (security_->append_next(output_)) {
    }
}

void handshake::send_old_identity() {
    std::array<std::uint8_t, max_legacy_header_size> header{};
    const auto encode = peer_.version_major == 2 ? encode_v2_header : encode_v1_header;
    send(byte_view(header).first(encode(header.data(), 0, config_.routing_id.size())));
    send(as_bytes(config_.routing_id));
}

void handshake::finish_metadata() {
    const std::span<const property> told = security_->peer_properties();
    peer_.properties.assign(told.begin(), told.end());
    for (const property &one : told) {
        if (!same_property_name(one.name, socket_type_property)) {
            continue;
        }
        peer_.socket_type = one.value;
        if (!may_talk(config_.type, one.value)) {
            append_error(output_, "the socket types do not go together");
            return fail(handshake_failure::socket_type_mismatch);
        }
    }
    if (peer_.socket_type.empty()) {
        append_error(output_, "the socket type is missing");
        return fail(handshake_failure::missing_socket_type);
    }
    if (const std::string *identity = find_property(told, identity_property)) {
        if (identity->size() > max_routing_id) {
            return fail(handshake_failure::bad_routing_id);
        }
        peer_.routing_id = *identity;
    }
    finish();
}

void handshake::finish() {
    state_ = handshake_state::done;
    want(step::over, 0);
}

void handshake::fail(handshake_failure why) {
    failure_ = why;
    state_ = handshake_state::failed;
    want(step::over, 0);
}

} // namespace zlink::zmtp
