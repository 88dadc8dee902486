// SPDX-License-Identifier: MPL-2.0
#include "message/message.hpp"

namespace zlink {

bool message::init_allocated(std::size_t size) noexcept {
    buffer *owner = buffer::allocate(size);
    if (owner == nullptr)
        return false;
    init_shared(owner->data(), size, owner);
    return true;
}

bool message::init_data(void *data, std::size_t size, free_function release, void *hint) noexcept {
    if (release == nullptr) {
        init_constant(static_cast<const std::uint8_t *>(data), size);
        return true;
    }
    buffer *owner = buffer::adopt(data, size, release, hint);
    if (owner == nullptr)
        return false;
    init_shared(owner->data(), size, owner);
    return true;
}

void message::init_shared(const std::uint8_t *data, std::size_t size, buffer *owner) noexcept {
    init();
    kind_ = kind::counted;
    set_far({data, size, owner});
}

void message::init_constant(const std::uint8_t *data, std::size_t size) noexcept {
    init();
    kind_ = kind::constant;
    set_far({data, size, nullptr});
}

// A message moved into itself ends up empty, as in libzmq.
void message::move_from(message &source) noexcept {
    if (this == &source) {
        close();
        return init();
    }
    close();
    *this = source;
    source.init();
}

void message::copy_from(message &source) noexcept {
    if (this == &source)
        return;
    close();
    if (source.kind_ != kind::inlined)
        source.shared_ = true;
    if (source.kind_ == kind::counted)
        source.far().owner->retain();
    if (source.metadata_ != nullptr)
        source.metadata_->retain();
    if (source.group_form_ == group_form::counted)
        source.long_group()->retain();
    *this = source;
}

std::string_view message::group() const noexcept {
    switch (group_form_) {
    case group_form::none:
        return "";
    case group_form::inlined:
        return group_;
    case group_form::counted:
        return long_group()->text();
    }
    return "";
}

bool message::set_group(std::string_view name) noexcept {
    if (name.size() > short_group) {
        const group_name *made = group_name::make(name);
        if (made == nullptr)
            return false;
        drop_group();
        std::memcpy(group_, &made, pointer_size);
        group_form_ = group_form::counted;
        return true;
    }
    drop_group();
    std::memcpy(group_, name.data(), name.size());
    group_[name.size()] = '\0';
    group_form_ = group_form::inlined;
    return true;
}

} // namespace zlink
