// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_trie.hpp"

#include <algorithm>
#include <cassert>
#include <exception>
#include <new>

namespace zlink::patterns {

namespace {

using node = detail::trie_node;
using reference = node_arena::reference;

constexpr std::size_t topics_per_look = 48; // into a filter that is being made: ten microseconds

// The narrowest form with room for `children`.
std::size_t form_for(std::size_t children) noexcept {
    std::size_t form = 0;
    while (node::slot_counts[form] < children) {
        ++form;
    }
    return form;
}

// There is room: a free slot, or the widest form. Returns where the child is now.
reference *put_child(node &parent, std::uint8_t key, reference child) noexcept {
    std::size_t slot = parent.form == node::widest_form ? key : parent.child_count;
    if (parent.form != node::widest_form) {
        for (; slot != 0 && parent.keys()[slot - 1] > key; --slot) {
            parent.keys()[slot] = parent.keys()[slot - 1];
            parent.children()[slot] = parent.children()[slot - 1];
        }
        parent.keys()[slot] = key;
    }
    parent.children()[slot] = child;
    parent.child_count = (parent.child_count + 1U) & 0x1FF;
    return &parent.children()[slot];
}

void drop_child(node &parent, std::size_t slot) noexcept {
    parent.child_count = (parent.child_count - 1U) & 0x1FF;
    if (parent.form == node::widest_form) {
        parent.children()[slot] = 0;
        return;
    }
    for (; slot < parent.child_count; ++slot) {
        parent.keys()[slot] = parent.keys()[slot + 1];
        parent.children()[slot] = parent.children()[slot + 1];
    }
}

void copy_children(node &to, const node &from) noexcept {
    for (std::size_t slot = from.next_slot(0); slot != node::no_slot; slot = from.next_slot(slot + 1)) {
        put_child(to, from.key_at(slot), from.children()[slot]);
    }
}

} // namespace

topic_trie::reference topic_trie::make_node(std::size_t form, std::size_t label_size) noexcept {
    const std::size_t fixed = node::fixed_size(form);
    const reference made = arena_.allocate(fixed + label_size);
    if (made == 0) {
        return 0;
    }
    std::uint8_t *block = arena_.at(made);
    std::memset(block, 0, fixed);
    auto *head = new (block) node{};
    head->form = form & 0xF;
    head->label_size = label_size & node::max_label;
    return made;
}

void topic_trie::free_node(reference old) noexcept {
    arena_.release(old, node_at(old).block_size());
}

// A node and all below it, each of which is an only child.
void topic_trie::free_edge(reference first) noexcept {
    while (first != 0) {
        const node &here = node_at(first);
        const std::size_t slot = here.next_slot(0);
        const reference next = slot != node::no_slot ? here.children()[slot] : 0;
        free_node(first);
        first = next;
    }
}

topic_trie::reference topic_trie::make_copy(const node &old, std::size_t form,
                                            std::size_t label_cut) noexcept {
    const std::size_t label_size = old.label_size - label_cut;
    const reference made = make_node(form, label_size);
    if (made != 0) {
        node &copy = node_at(made);
        copy.word = old.word;
        std::memcpy(copy.label(), old.label() + label_cut, label_size);
        copy_children(copy, old);
    }
    return made;
}

// A node whose key and label begin the text, the next one below it, and so on to the `end`, which is first.
topic_trie::reference topic_trie::make_edge(std::string_view text, node *&end) noexcept {
    constexpr std::size_t most = node::max_label + 1;
    reference below = 0;
    for (std::size_t begin = (text.size() - 1) / most * most;; begin -= most) {
        const std::size_t size = std::min(most, text.size() - begin);
        const reference made = make_node(below == 0 ? 0 : 1, size - 1);
        if (made == 0) {
            free_edge(below);
            return 0;
        }
        node &here = node_at(made);
        std::memcpy(here.label(), text.data() + begin + 1, size - 1);
        if (below == 0) {
            end = &here;
        } else {
            put_child(here, static_cast<std::uint8_t>(text[begin + most]), below);
        }
        if (begin == 0) {
            return made;
        }
        below = made;
    }
}

topic_trie::node *topic_trie::add_leaf(reference *link, std::string_view rest) noexcept {
    node *leaf = nullptr;
    const reference edge = make_edge(rest, leaf);
    if (edge == 0) {
        return nullptr;
    }
    const node &parent = node_at(*link);
    if (parent.form != node::widest_form && parent.child_count == parent.slots()) {
        const reference wider = make_copy(parent, parent.form + 1U, 0);
        if (wider == 0) {
            free_edge(edge);
            return nullptr;
        }
        free_node(*link);
        *link = wider;
    }
    put_child(node_at(*link), static_cast<std::uint8_t>(rest[0]), edge);
    return leaf;
}

// Puts a node in front of the one at `link`. The new node gets the first `common` bytes of the label. With
// `sibling` it has room for one more child. Returns false if there is no memory.
bool topic_trie::split(reference *link, std::size_t common, bool sibling) noexcept {
    const node &below = node_at(*link);
    const reference top = make_node(sibling ? 2 : 1, common);
    if (top == 0) {
        return false;
    }
    const reference shorter = make_copy(below, below.form, common + 1);
    if (shorter == 0) {
        free_node(top);
        return false;
    }
    std::memcpy(node_at(top).label(), below.label(), common);
    put_child(node_at(top), below.label()[common], shorter);
    free_node(*link);
    *link = top;
    return true;
}

// The node of a topic, made where there is none. Null: no memory.
topic_trie::node *topic_trie::place(std::string_view topic) noexcept {
    if (root_ == 0 && (root_ = make_node(0, 0)) == 0) {
        return nullptr;
    }
    reference *link = &root_;
    while (!topic.empty()) {
        node &here = node_at(*link);
        const std::size_t slot = here.slot_of(static_cast<std::uint8_t>(topic[0]));
        if (slot == node::no_slot) {
            return add_leaf(link, topic);
        }
        link = &here.children()[slot];
        topic.remove_prefix(1);
        const node &next = node_at(*link);
        const std::size_t common = next.common_size(topic);
        if (common < next.label_size && !split(link, common, common < topic.size())) {
            return nullptr;
        }
        topic.remove_prefix(common);
    }
    return &node_at(*link);
}

topic_trie::word &topic_trie::at(std::string_view topic) {
    settle();
    text_.reserve(topic.size());
    if (topics_ == indexed_topics && indexable_ && !index_.exists()) {
        make_index();
    }
    index_.dismantle();
    index_.prepare(topic);
    node *there = place(topic);
    if (there == nullptr) {
        release_if_empty();
        throw std::bad_alloc();
    }
    if (there->word == 0) {
        ++topics_;
        filter_.add(topic);
        open_ = {&there->word, index_.add(topic, 0)};
    } else {
        open_ = {&there->word, index_.find(topic)};
    }
    return there->word;
}

void topic_trie::make_index() {
    index_.begin();
    for_each([this](std::string_view topic, word value) { index_.add(topic, value); });
    indexable_ = index_.exists();
}

// Walks to the node where a topic ends, or would. Null when there is none.
topic_trie::path topic_trie::walk(std::string_view topic) noexcept {
    if (root_ == 0) {
        return {};
    }
    path way{.link = &root_, .anchor_link = nullptr, .anchor_slot = 0};
    while (!topic.empty()) {
        node &here = node_at(*way.link);
        const std::size_t slot = here.slot_of(static_cast<std::uint8_t>(topic[0]));
        if (slot == node::no_slot) {
            return {};
        }
        if (here.word != 0 || here.child_count > 1 || way.link == &root_) {
            way.anchor_link = way.link;
            way.anchor_slot = slot;
        }
        way.link = &here.children()[slot];
        topic.remove_prefix(1);
        const node &next = node_at(*way.link);
        if (next.common_size(topic) != next.label_size) {
            return {};
        }
        topic.remove_prefix(next.label_size);
    }
    return way;
}

topic_trie::word *topic_trie::find(std::string_view topic) noexcept {
    settle();
    index_.prepare(topic);
    const path way = walk(topic);
    if (way.link == nullptr || node_at(*way.link).word == 0) {
        return nullptr;
    }
    open_ = {&node_at(*way.link).word, index_.find(topic)};
    return open_.there;
}

void topic_trie::erase(std::string_view topic) noexcept {
    settle();
    index_.remove(topic);
    const path way = walk(topic);
    assert(way.link != nullptr);
    node &here = node_at(*way.link);
    here.word = 0;
    --topics_;
    if (here.child_count != 0 || way.anchor_link == nullptr) {
        tidy(way.link);
    } else {
        node &anchor = node_at(*way.anchor_link);
        free_edge(anchor.children()[way.anchor_slot]);
        drop_child(anchor, way.anchor_slot);
        tidy(way.anchor_link);
    }
    release_if_empty();
}

void topic_trie::release_if_empty() noexcept {
    if (topics_ < topic_filter::least_topics) {
        filter_.end();
    }
    if (topics_ < indexed_topics / 2) {
        index_.end();
        indexable_ = true;
    }
    if (topics_ == 0) {
        root_ = 0;
        arena_.clear();
    }
}

const topic_trie::node *topic_trie::begin_of(const std::uint8_t *data, std::size_t size) noexcept {
    answer_.word = 0;
    if (filter_.asked() && !filter_.may_match(data, size)) {
        return &answer_;
    }
    topic_index::answer told;
    if (index_.exists()) {
        settle();
        told = index_.ask(data, size);
    } else {
        index_.dismantle();
    }
    if (filter_.curious()) [[unlikely]] {
        const std::string_view text(reinterpret_cast<const char *>(data), size);
        look(told.known ? told.value != 0 : matches_one(text));
    }
    if (!told.known) [[unlikely]] {
        return &node_at(root_);
    }
    answer_.word = told.value;
    return &answer_;
}

// Now and then a walk looks whether messages match, so that the others need not tell, or takes the filter
// further.
void topic_trie::look(bool matched) noexcept {
    if (filter_.filling()) {
        fill_filter();
    } else if (filter_.note_walk(matched, topics_)) {
        make_filter();
    }
}

bool topic_trie::matches_one(std::string_view data) const noexcept {
    const node *here = &node_at(root_);
    while (here->word == 0) {
        const std::size_t slot =
            data.empty() ? node::no_slot : here->slot_of(static_cast<std::uint8_t>(data[0]));
        if (slot == node::no_slot) {
            return false;
        }
        here = &node_at(here->children()[slot]);
        data.remove_prefix(1);
        if (here->common_size(data) != here->label_size) {
            return false;
        }
        data.remove_prefix(here->label_size);
    }
    return true;
}

void topic_trie::make_filter() noexcept {
    if (!filter_.begin(topics_)) {
        return;
    }
    filled_ = {};
    if (node_at(root_).word != 0) {
        filter_.add({}); // the walks do not tell it
    }
}

// A message that is sent waits for this: a few topics only.
void topic_trie::fill_filter() noexcept {
    if (filter_.clear_some()) {
        return;
    }
    topic_walk topics = walk_from(filled_);
    for (std::size_t i = 0; i < topics_per_look && filter_.filling(); ++i) {
        if (!topics.next()) {
            filter_.complete();
            return;
        }
        filter_.add(filled_.topic());
    }
}

// Makes the node at `link` as small as its content: nothing, a part of its only child, or a narrower form. It
// may fail to, for lack of memory; the tree is as good then, and only larger.
void topic_trie::tidy(reference *link) noexcept {
    const node &here = node_at(*link);
    if (here.word == 0 && here.child_count == 0) {
        free_node(*link);
        *link = 0;
    } else if (here.word == 0 && here.child_count == 1 && *link != root_) {
        join(link);
    } else {
        shrink(link);
    }
}

void topic_trie::join(reference *link) noexcept {
    const node &top = node_at(*link);
    const std::size_t slot = top.next_slot(0);
    const reference child = top.children()[slot];
    const node &below = node_at(child);
    const std::size_t label_size = std::size_t{top.label_size} + 1 + below.label_size;
    const reference made = label_size <= node::max_label ? make_node(below.form, label_size) : 0;
    if (made == 0) {
        shrink(link);
        return;
    }
    node &joined = node_at(made);
    joined.word = below.word;
    copy_children(joined, below);
    std::uint8_t *label = joined.label();
    std::memcpy(label, top.label(), top.label_size);
    label[top.label_size] = top.key_at(slot);
    std::memcpy(label + top.label_size + 1, below.label(), below.label_size);
    free_node(*link);
    free_node(child);
    *link = made;
}

// Narrower when a quarter of the narrower form stays free, so that a child more or less does not move the
// node each time.
void topic_trie::shrink(reference *link) noexcept {
    const node &wide = node_at(*link);
    if (wide.form == 0 || wide.child_count > node::slot_counts[wide.form - 1U] * 3U / 4) {
        return;
    }
    if (const reference narrow = make_copy(wide, form_for(wide.child_count), 0); narrow != 0) {
        free_node(*link);
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
    if (value == 0) {
        --topics_;
        index_.remove(text_);
    } else if (value != here.word) {
        if (word *indexed = index_.find(text_); indexed != nullptr) {
            *indexed = value;
        }
    }
    here.word = value;
}

// A node is visited before its children and tidied after them. There is no stack: while the walk is below a
// child, that child's slot holds the way back up. Nothing in here may throw, or the tree stays like that.
void topic_trie::traverse(void *context, visitor visit) {
    settle();
    if (root_ == 0) {
        return;
    }
    std::exception_ptr failure;
    reference parent = 0;
    reference here = root_;
    std::size_t from = 0;
    text_.clear();
    visit_node(node_at(here), context, visit, failure);
    for (;;) {
        node &visited = node_at(here);
        std::size_t slot = visited.next_slot(from);
        if (slot != node::no_slot) {
            const reference down = std::exchange(visited.children()[slot], parent);
            node &child = node_at(down);
            visited.cursor = slot & 0xFF;
            text_.push_back(static_cast<char>(visited.key_at(slot)));
            text_.append(reinterpret_cast<const char *>(child.label()), child.label_size);
            parent = std::exchange(here, down);
            from = 0;
            visit_node(child, context, visit, failure);
            continue;
        }
        text_.resize(text_.size() - visited.label_size - (parent != 0 ? 1 : 0));
        reference left = here; // what becomes of it
        tidy(&left);
        here = parent;
        if (here == 0) {
            root_ = left;
            break;
        }
        node &above = node_at(here);
        slot = above.cursor;
        parent = std::exchange(above.children()[slot], left);
        if (left == 0) {
            drop_child(above, slot);
        }
        from = left == 0 ? slot : slot + 1;
    }
    release_if_empty();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace zlink::patterns
