// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_trie.hpp"

#include <algorithm>
#include <cassert>
#include <exception>
#include <new>

namespace zlink::patterns {

namespace {

using node = detail::trie_node;

// The narrowest form with room for `children`.
std::size_t form_for(std::size_t children) noexcept {
    std::size_t form = 0;
    while (node::slot_counts[form] < children) {
        ++form;
    }
    return form;
}

// The first child at `from` or behind it, or node::no_slot.
std::size_t next_slot(const node &here, std::size_t from) noexcept {
    if (here.form != node::widest_form) {
        return from < here.child_count ? from : node::no_slot;
    }
    while (from < here.slots() && here.children()[from] == nullptr) {
        ++from;
    }
    return from < here.slots() ? from : node::no_slot;
}

std::uint8_t key_at(const node &here, std::size_t slot) noexcept {
    return here.form == node::widest_form ? static_cast<std::uint8_t>(slot) : here.keys()[slot];
}

// There is room: a free slot, or the widest form. Returns where the child is now.
node **put_child(node &parent, std::uint8_t key, node *child) noexcept {
    std::size_t slot = parent.form == node::widest_form ? key : parent.child_count;
    if (parent.form != node::widest_form) {
        for (; slot != 0 && parent.keys()[slot - 1] > key; --slot) {
            parent.keys()[slot] = parent.keys()[slot - 1];
            parent.children()[slot] = parent.children()[slot - 1];
        }
        parent.keys()[slot] = key;
    }
    parent.children()[slot] = child;
    ++parent.child_count;
    return &parent.children()[slot];
}

void drop_child(node &parent, std::size_t slot) noexcept {
    --parent.child_count;
    if (parent.form == node::widest_form) {
        parent.children()[slot] = nullptr;
        return;
    }
    for (; slot < parent.child_count; ++slot) {
        parent.keys()[slot] = parent.keys()[slot + 1];
        parent.children()[slot] = parent.children()[slot + 1];
    }
}

void copy_children(node &to, const node &from) noexcept {
    for (std::size_t slot = next_slot(from, 0); slot != node::no_slot; slot = next_slot(from, slot + 1)) {
        put_child(to, key_at(from, slot), from.children()[slot]);
    }
}

std::size_t common_size(const node &here, std::string_view text) noexcept {
    const std::size_t most = std::min<std::size_t>(here.label_size, text.size());
    const std::uint8_t *label = here.label();
    std::size_t size = 0;
    while (size < most && label[size] == static_cast<std::uint8_t>(text[size])) {
        ++size;
    }
    return size;
}

} // namespace

topic_trie::~topic_trie() {
    for_each([](std::string_view, word &value) { value = 0; });
    if (root_ != nullptr) { // a topic was promised to at() and memory was short
        free_node(root_);
    }
}

topic_trie::node *topic_trie::make_node(std::size_t form, std::size_t label_size) noexcept {
    const std::size_t fixed =
        sizeof(node) + node::slot_counts[form] * node::child_size + node::key_bytes(form);
    void *block = label_size <= node::max_label ? ::operator new(fixed + label_size, std::nothrow) : nullptr;
    if (block == nullptr) {
        return nullptr;
    }
    std::memset(block, 0, fixed);
    auto *made = new (block) node{};
    made->form = form & 0xF;
    made->label_size = label_size & node::max_label;
    memory_ += fixed + label_size;
    return made;
}

void topic_trie::free_node(node *old) noexcept {
    memory_ -= old->block_size();
    ::operator delete(old);
}

topic_trie::node *topic_trie::make_copy(const node &old, std::size_t form, std::size_t label_cut) noexcept {
    const std::size_t label_size = old.label_size - label_cut;
    node *copy = make_node(form, label_size);
    if (copy != nullptr) {
        copy->word = old.word;
        std::memcpy(copy->label(), old.label() + label_cut, label_size);
        copy_children(*copy, old);
    }
    return copy;
}

topic_trie::node **topic_trie::add_leaf(node **link, std::string_view rest) {
    node *leaf = make_node(0, rest.size() - 1);
    if (leaf == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(leaf->label(), rest.data() + 1, rest.size() - 1);
    node *parent = *link;
    if (parent->form != node::widest_form && parent->child_count == parent->slots()) {
        parent = make_copy(**link, (*link)->form + 1U, 0);
        if (parent == nullptr) {
            free_node(leaf);
            throw std::bad_alloc();
        }
        free_node(*link);
        *link = parent;
    }
    return put_child(*parent, static_cast<std::uint8_t>(rest[0]), leaf);
}

// Puts a node in front of the one at `link`, which gets the first `common` bytes of its label, and has room
// for one more child when a `sibling` is to come.
void topic_trie::split(node **link, std::size_t common, bool sibling) {
    node *below = *link;
    node *top = make_node(sibling ? 2 : 1, common);
    if (top == nullptr) {
        throw std::bad_alloc();
    }
    node *shorter = make_copy(*below, below->form, common + 1);
    if (shorter == nullptr) {
        free_node(top);
        throw std::bad_alloc();
    }
    std::memcpy(top->label(), below->label(), common);
    put_child(*top, below->label()[common], shorter);
    free_node(below);
    *link = top;
}

topic_trie::word &topic_trie::at(std::string_view topic) {
    text_.reserve(topic.size());
    if (root_ == nullptr && (root_ = make_node(0, 0)) == nullptr) {
        throw std::bad_alloc();
    }
    node **link = &root_;
    while (!topic.empty()) {
        const std::size_t slot = (*link)->slot_of(static_cast<std::uint8_t>(topic[0]));
        if (slot == node::no_slot) {
            link = add_leaf(link, topic);
            break;
        }
        link = &(*link)->children()[slot];
        topic.remove_prefix(1);
        const std::size_t common = common_size(**link, topic);
        if (common < (*link)->label_size) {
            split(link, common, common < topic.size());
        }
        topic.remove_prefix(common);
    }
    topics_ += (*link)->word == 0 ? 1 : 0;
    return (*link)->word;
}

// Walks to the node of a topic. Null when there is none.
topic_trie::path topic_trie::walk(std::string_view topic) noexcept {
    path way{.link = &root_, .parent_link = nullptr, .slot = 0};
    while (*way.link != nullptr && !topic.empty()) {
        way.slot = (*way.link)->slot_of(static_cast<std::uint8_t>(topic[0]));
        if (way.slot == node::no_slot) {
            return {};
        }
        way.parent_link = way.link;
        way.link = &(*way.link)->children()[way.slot];
        topic.remove_prefix(1);
        const node &here = **way.link;
        if (common_size(here, topic) != here.label_size) {
            return {};
        }
        topic.remove_prefix(here.label_size);
    }
    return *way.link != nullptr && (*way.link)->word != 0 ? way : path{};
}

topic_trie::word *topic_trie::find(std::string_view topic) noexcept {
    const path way = walk(topic);
    return way.link != nullptr ? &(*way.link)->word : nullptr;
}

void topic_trie::erase(std::string_view topic) noexcept {
    const path way = walk(topic);
    assert(way.link != nullptr);
    (*way.link)->word = 0;
    --topics_;
    tidy(way.link);
    if (*way.link != nullptr || way.parent_link == nullptr) {
        return;
    }
    node &parent = **way.parent_link;
    drop_child(parent, way.slot);
    // A parent that is left with nothing has itself missed its tidying, for lack of memory: it stays, as
    // for_each is the one that can take it out of its own parent.
    if (&parent == root_ || parent.word != 0 || parent.child_count != 0) {
        tidy(way.parent_link);
    }
}

// Makes the node at `link` as small as its content: nothing, a part of its only child, or a narrower form. It
// may fail to, for lack of memory; the tree is as good then, and only larger.
void topic_trie::tidy(node **link) noexcept {
    const node &here = **link;
    if (here.word == 0 && here.child_count == 0) {
        free_node(*link);
        *link = nullptr;
    } else if (here.word == 0 && here.child_count == 1 && *link != root_) {
        join(link);
    } else {
        shrink(link);
    }
}

void topic_trie::join(node **link) noexcept {
    node *top = *link;
    const std::size_t slot = next_slot(*top, 0);
    node *below = top->children()[slot];
    node *joined = make_node(below->form, top->label_size + 1 + below->label_size);
    if (joined == nullptr) {
        return;
    }
    joined->word = below->word;
    copy_children(*joined, *below);
    std::uint8_t *label = joined->label();
    std::memcpy(label, top->label(), top->label_size);
    label[top->label_size] = key_at(*top, slot);
    std::memcpy(label + top->label_size + 1, below->label(), below->label_size);
    free_node(top);
    free_node(below);
    *link = joined;
}

// Narrower when a quarter of the narrower form stays free, so that a child more or less does not move the
// node each time.
void topic_trie::shrink(node **link) noexcept {
    node *wide = *link;
    if (wide->form == 0 || wide->child_count > node::slot_counts[wide->form - 1U] * 3U / 4) {
        return;
    }
    if (node *narrow = make_copy(*wide, form_for(wide->child_count), 0)) {
        free_node(wide);
        *link = narrow;
    }
}

// Visits the topic that ends at a node, if one does and nothing was thrown before.
void topic_trie::visit_node(node &here, void *context, visitor visit, std::exception_ptr &failure) {
    if (here.word == 0 || failure) {
        return;
    }
    word value = here.word;
    try {
        visit(context, text_, value);
    } catch (...) {
        failure = std::current_exception();
    }
    here.word = value;
    topics_ -= value == 0 ? 1 : 0;
}

// A node is visited before its children and tidied after them. There is no stack: while the walk is below a
// child, that child's slot holds the way back up. Nothing in here may throw, or the tree stays like that.
void topic_trie::traverse(void *context, visitor visit) {
    std::exception_ptr failure;
    node *parent = nullptr;
    node *here = root_;
    std::size_t from = 0;
    text_.clear();
    if (here != nullptr) {
        visit_node(*here, context, visit, failure);
    }
    while (here != nullptr) {
        std::size_t slot = next_slot(*here, from);
        if (slot != node::no_slot) {
            node *child = std::exchange(here->children()[slot], parent);
            here->cursor = slot & 0xFF;
            text_.push_back(static_cast<char>(key_at(*here, slot)));
            text_.append(reinterpret_cast<const char *>(child->label()), child->label_size);
            parent = std::exchange(here, child);
            from = 0;
            visit_node(*here, context, visit, failure);
            continue;
        }
        text_.erase(text_.size() - here->label_size - (parent != nullptr ? 1 : 0));
        node *left = here; // what becomes of it
        tidy(&left);
        here = parent;
        if (here == nullptr) {
            root_ = left;
            break;
        }
        slot = here->cursor;
        parent = std::exchange(here->children()[slot], left);
        if (left == nullptr) {
            drop_child(*here, slot);
        }
        from = left == nullptr ? slot : slot + 1;
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace zlink::patterns
