# SPDX-License-Identifier: MPL-2.0
"""Planted examples that the measures have to find, and examples that they must leave alone."""
import pathlib
import tempfile

import ratchet
from house import classes, code, pages, trips

CLASSES = {
    "src/queue/planted.hpp": """#pragma once
#include <atomic>
struct judge { virtual ~judge() = default; virtual bool fits(int size) const = 0; virtual int count() = 0; };
class lonely final : public judge {
  public:
    lonely(const lonely &) = delete;
    explicit lonely(int size);
    bool fits(int size) const override { struct inner { int a; }; return size != 0; }
    int count() override;
    int size = 0;
    const int fixed = 1;
    static constexpr int shared = 2;
  private:
    friend class stranger;
    bool open_ = false, closed_ = false;
    std::atomic<bool> seen_{false};
};
struct shape { virtual int area() = 0; };
struct half : shape { virtual int edges() = 0; int area() override; };
struct square : half { int edges() override; };
""",
    "src/queue/first.cpp": '#include "queue/planted.hpp"\nnamespace {\nstruct nap { int a; };\nstruct circle : shape { int area() override; };\n}\n',
    "src/queue/second.cpp": "namespace {\nstruct nap { int a, b; };\n}\nint two() { return 2; }\n",
}


def write_files(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check_classes():
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, CLASSES)
        found = classes.parse(folder)
    lonely = next(one for one in found if one.name == "lonely")
    yield "functions", (lonely.functions, 3)
    yield "fields", (lonely.fields, 5)
    yield "bools", (lonely.bools, 3)
    yield "public fields", (lonely.public_fields, ["size"])
    yield "friends", (len(lonely.friends), 1)
    yield "two classes of one name", ([one.fields for one in found if one.name == "nap"], [1, 2])
    yield "single implementations", ([(one.name, only.name) for one, only in classes.single_implementations(found)],
                                     [("judge", "lonely"), ("half", "square")])


SOURCES = {
    "src/base/socket_traits.hpp": "constexpr row rows[] = {{socket_type::pub, 1}, {socket_type::sub, 2}};\n",
    "src/core/lists.cpp": """constexpr socket_types some{socket_type::pub, socket_type::xpub};
bool f(socket_type type) {
    return type == socket_type::sub ||
           type == socket_type::xsub;
}
bool g(socket_type type) {
    if (type == socket_type::req)
        return true;
    return type != socket_type::rep;
}
const option rows[] = {{1, {socket_type::req}}, {2, {socket_type::rep}}};
socket_type type = socket_type::pair;
""",
    "src/core/alias.cpp": "using type = socket_type;\nconstexpr socket_types some{type::pub, type::sub};\nint pub, sub;\n",
    "src/core/enum.cpp": "using enum socket_type;\nconstexpr socket_types some{pub, sub};\nint a = x.pub + y.sub;\n",
    "src/queue/headers.hpp": """class queue {
    void write(std::uint8_t *at, std::size_t size) noexcept {
        at[0] = 0;
        at[1] = static_cast<std::uint8_t>(size);
    }
    void write_large(std::uint8_t *at,
                     std::size_t size) noexcept {
        if (size > 255) {
            *at = frame_flag::large;
            store_big_endian_64(at + 1, size);
        }
    }
    std::size_t read(const std::uint8_t *at) const noexcept {
        return at[0] == 0 ? at[1] : 0;
    }
    bool more() const noexcept { return (at_[0] & 1) != 0; }
    void pieces(byte_range *to) noexcept {
        to[0] = {nullptr, 0};
        to[1] = {nullptr, 0};
    }
    std::uint64_t number(const std::uint8_t *at) { return load_big_endian_64(at); }
};
""",
    "src/capi/names.cpp": "int f(pipe_end &out) { return report_pipes(out, message_queue::size); }\n",
}


def check_code():
    lists, tests = code.socket_type_places(SOURCES)
    writes, reads = code.header_places(SOURCES)
    yield "lists of types", ([one.rsplit(":", 1)[0].split(": ")[0] for one in lists],
                             ["src/core/lists.cpp:1", "src/core/lists.cpp:3", "src/core/alias.cpp:2", "src/core/enum.cpp:2"])
    yield "tests for a type", ([one.split(": ")[0] for one in tests], ["src/core/lists.cpp:7", "src/core/lists.cpp:9"])
    yield "encoders", ([one.split(": ")[0] for one in writes], ["src/queue/headers.hpp:2", "src/queue/headers.hpp:6"])
    yield "decoders", ([one.split(": ")[0] for one in reads], ["src/queue/headers.hpp:13"])
    yield "names in capi", (len(code.queue_names(SOURCES)), 2)
    retired = code.retired_words("# a -> comment\nlanes? -> queue\n[src/ docs/] hands? full -> overloaded\n")
    text = "lane_gather of two Lanes, a plane,\na planet, hands full"
    yield "retired words", (list(code.uses_of(retired, "docs/lane.md", text)),
                            ["docs/lane.md:0: lane, in the name: write queue", "docs/lane.md:1: lane: write queue",
                             "docs/lane.md:1: Lanes: write queue", "docs/lane.md:2: hands full: write overloaded"])
    yield "words of other folders", (list(code.uses_of(retired, "tests/x.cpp", "hands full")), [])


PAGE = """# A heading

One sentence, e.g. this
one. Two `a b c`!

| head | two |
| --- | ---: |
| A cell. Another | `x|y` |

```
No sentence. None.
```
- An item
  goes on. [A link](target.md) too.
"""


GLOSSARY = """# Words
| word | before |
## Words of this project
| word | what it is | more in |
| --- | --- | --- |
| one | A thing. It has 2.5 parts. | [a](b.md) |
| two | A. B. C. | nowhere |
## Words of the field
| three | D. E. F. |
"""


def check_pages():
    yield "glossary", (list(pages.own_words(GLOSSARY)),
                       [(6, "one", ""), (7, "two", "more than two sentences, no page that tells more")])
    yield "sentences", (list(pages.sentences(PAGE)),
                        [(1, "A heading"), (3, "One sentence, e.g. this one."), (4, "Two code!"), (6, "head"), (6, "two"),
                         (8, "A cell."), (8, "Another"), (8, "code"), (13, "An item goes on."), (14, "A link too.")])
    yield "words", (pages.count_words("Two words - and 3 more, `x`."), 6)
    yield "pages", ([pages.is_page(name) for name in ("README.md", "docs/a/b.md", "docs/WORLD.md", "docs/api/reference/x.md", "src/x.md")],
                    [True, True, False, False, False])


TRIP_SOURCES = {
    "src/a/one.cpp": "void begin() {\n    middle(1);\n}\nvoid other() {\n    last();\n}\n",
    "src/a/two.hpp": "class two {\n    void middle(int x) {\n        const std::lock_guard guard(m);\n    }\n    void last();\n};\n",
    "src/b/mutex.hpp": "class mutex {\n    void lock();\n};\n",
}
TRIPS = """trip good, goal 2
a/one:begin -> a/two:middle   # a step
a/two:middle -> b/mutex:lock
trip bad, goal 1
a/one:begin -> a/two:last
a/one:other -> a/two:last
a/two:last -> b/mutex:gone
"""


def check_trips():
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, TRIP_SOURCES)
        tags = trips.tag_functions(folder, list(TRIP_SOURCES))
    good, bad = trips.read_trips(TRIPS, tags, TRIP_SOURCES)
    yield "modules", (good.modules, ["a/one", "a/two", "b/mutex"])
    yield "a trip without problems", (good.problems, [])
    yield "problems of a trip", ([one.split(": ")[1] for one in bad.problems],
                                 ["the caller does not call it", "the trip has not reached the caller",
                                  "no such function in the second module"])


def check_ratchet():
    yield "ratchet", (ratchet.compare({"a": 1, "b": {"x": 2}, "gone": 1}, {"a": 2, "b": {"x": 1, "y": 1}, "new": 0}),
                      ([("a", 1, 2), ("b: y", 0, 1)], [("b: x", 2, 1), ("gone", 1, 0)]))


def run():
    cases = [case for check in (check_classes, check_code, check_pages, check_trips, check_ratchet) for case in check()]
    wrong = [f"self-test: {name}: {found} instead of {wanted}" for name, (found, wanted) in cases if found != wanted]
    print("\n".join(wrong + [f"house self-test: {len(cases)} cases, {len(wrong)} wrong"]))
    return 1 if wrong else 0
