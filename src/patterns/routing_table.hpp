// SPDX-License-Identifier: MPL-2.0
// From routing ids (1 to 255 bytes) to whatever is reached by them: ROUTER's map of its peers.
//
// Threads: none of its own; one owner (the socket) at a time. Ownership: ids are copied, values are the
// caller's and never null. Lookups take a view and allocate nothing; ids of up to 15 bytes need no memory of
// their own. Peers choose their ids: the hash is keyed, with a key that they do not see. insert may throw
// std::bad_alloc and has done nothing then.
#pragma once

#include "base/bytes.hpp"
#include "base/random.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::patterns {

template <class Value> class routing_table {
  public:
    explicit routing_table(std::uint64_t hash_key = random_seed()) noexcept : hash_key_(hash_key) {}
    ~routing_table() = default;
    routing_table(const routing_table &) = delete;
    routing_table &operator=(const routing_table &) = delete;

    // The value of an id, or nullptr.
    [[nodiscard, gnu::always_inline]] Value *find(std::string_view id) const noexcept {
        return recent_ != nullptr && same_text(recent_->id, id) ? recent_->value : search(id);
    }

    // False when the id is taken: nothing changed.
    bool insert(std::string_view id, Value *value) {
        assert(value != nullptr && !id.empty());
        if ((size_ + 1) * 4 > slots_.size() * 3) {
            grow();
        }
        const std::uint64_t hashed = hash(id);
        slot &place = slots_[slot_of(id, hashed)];
        if (place.value != nullptr) {
            return false;
        }
        place.id.assign(id);
        place.hashed = hashed;
        place.value = value;
        ++size_;
        return true;
    }

    // The value that was there, or nullptr.
    Value *erase(std::string_view id) noexcept {
        if (slots_.empty()) {
            return nullptr;
        }
        std::size_t hole = slot_of(id, hash(id));
        Value *value = slots_[hole].value;
        if (value == nullptr) {
            return nullptr;
        }
        // Those that were pushed past the hole move up, so that no search ends at it too early.
        for (std::size_t next = (hole + 1) & mask(); slots_[next].value != nullptr;
             next = (next + 1) & mask()) {
            const std::size_t home = slots_[next].hashed & mask();
            if (((next - home) & mask()) >= ((next - hole) & mask())) {
                slots_[hole] = std::move(slots_[next]);
                hole = next;
            }
        }
        slots_[hole] = slot{};
        --size_;
        return value;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

  private:
    struct slot {
        std::uint64_t hashed = 0;
        Value *value = nullptr; // null: free
        std::string id;
    };
    static constexpr std::size_t first_slots = 8;

    [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }

    [[nodiscard, gnu::noinline]] Value *search(std::string_view id) const noexcept {
        if (slots_.empty())
            return nullptr;
        const slot &place = slots_[slot_of(id, hash(id))];
        if (place.value != nullptr)
            recent_ = &place;
        return place.value;
    }
    // Where the id is, or the free slot where it would be. There is a free one always.
    [[nodiscard]] std::size_t slot_of(std::string_view id, std::uint64_t hashed) const noexcept {
        std::size_t at = hashed & mask();
        while (slots_[at].value != nullptr && !same(slots_[at], id, hashed)) {
            at = (at + 1) & mask();
        }
        return at;
    }

    static std::uint64_t mix(std::uint64_t value) noexcept {
        value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93U;
        value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93U;
        return value ^ (value >> 32);
    }

    // An id of up to 8 bytes takes one round, as the generated ones of 5 bytes do. Ids of one such size have
    // different hashes, since mix() is one to one.
    [[nodiscard]] std::uint64_t hash(std::string_view id) const noexcept {
        std::uint64_t state = hash_key_ ^ id.size();
        std::uint64_t word = 0;
        while (id.size() > sizeof word) {
            std::memcpy(&word, id.data(), sizeof word);
            state = mix(state ^ word);
            id.remove_prefix(sizeof word);
        }
        return mix(state ^ word_of(id));
    }

    [[nodiscard]] static bool same(const slot &place, std::string_view id, std::uint64_t hashed) noexcept {
        return place.hashed == hashed && place.id.size() == id.size() &&
               (id.size() <= sizeof(std::uint64_t) || place.id == id);
    }

    void grow() {
        std::vector<slot> larger(slots_.empty() ? first_slots : slots_.size() * 2);
        larger.swap(slots_);
        recent_ = nullptr;
        for (slot &old : larger) {
            if (old.value != nullptr) {
                slots_[slot_of(old.id, old.hashed)] = std::move(old);
            }
        }
    }

    std::uint64_t hash_key_;
    std::size_t size_ = 0;
    std::vector<slot> slots_;
    // Where an id was found last, whatever is there now: mostly it is the next one's place, too.
    mutable const slot *recent_ = nullptr;
};

} // namespace zlink::patterns
