// SPDX-License-Identifier: MPL-2.0
// peer_metadata: what is known of the peer of a connection; shared by the pipe and by every message that came
// through it.
//
// Threads: constant once made; retain() and release() from any thread. Ownership: intrusive count, held by
// metadata_ref and by messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zlink {

class peer_metadata {
  public:
    using properties = std::vector<std::pair<std::string, std::string>>;
    // The endpoints of a connection that the peer made; empty for one of ours.
    struct endpoint_pair {
        std::string local;
        std::string remote;
    };
    // Names as zmq_msg_gets takes them ("Socket-Type", "Peer-Address", ...).
    peer_metadata(std::string routing_id, properties known, endpoint_pair endpoints = {})
        : routing_id_(std::move(routing_id)), properties_(std::move(known)),
          endpoints_(std::move(endpoints)) {}
    peer_metadata(const peer_metadata &) = delete;
    peer_metadata &operator=(const peer_metadata &) = delete;

    [[nodiscard]] const std::string &routing_id() const noexcept { return routing_id_; }
    [[nodiscard]] const endpoint_pair &endpoints() const noexcept { return endpoints_; }
    [[nodiscard]] bool has_properties() const noexcept { return !properties_.empty(); }
    // Null when there is no such property.
    [[nodiscard]] const std::string *property(const char *name) const noexcept {
        for (const auto &[known, value] : properties_)
            if (known == name)
                return &value;
        return nullptr;
    }
    // Returns the property as zmq_msg_gets gives it.
    [[nodiscard]] const char *find(const char *name) const noexcept {
        const std::string *value = property(name);
        return value != nullptr ? value->c_str() : nullptr;
    }

    void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() const noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            destroy(this);
    }

  private:
    static void destroy(const peer_metadata *last) noexcept { delete last; }
    ~peer_metadata() = default;

    mutable std::atomic<std::uint32_t> references_{1};
    std::string routing_id_;
    properties properties_;
    endpoint_pair endpoints_;
};

// One reference.
class metadata_ref {
  public:
    metadata_ref() noexcept = default;
    explicit metadata_ref(const peer_metadata *owned) noexcept : held_(owned) {}
    metadata_ref(const metadata_ref &other) noexcept : held_(other.held_) {
        if (held_ != nullptr)
            held_->retain();
    }
    metadata_ref(metadata_ref &&other) noexcept : held_(other.detach()) {}
    metadata_ref &operator=(metadata_ref other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~metadata_ref() {
        if (held_ != nullptr)
            held_->release();
    }
    [[nodiscard]] const peer_metadata *get() const noexcept { return held_; }
    [[nodiscard]] const peer_metadata *detach() noexcept { return std::exchange(held_, nullptr); }

  private:
    const peer_metadata *held_ = nullptr;
};

} // namespace zlink
