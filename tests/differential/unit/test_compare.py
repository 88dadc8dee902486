# SPDX-License-Identifier: MPL-2.0
"""Comparing results, and the rows that accept differences."""

import unittest

from machine.accepted import RowError, parse_rows
from machine.compare import agree, first_difference
from machine.script import Script, parse, write

SCRIPT = Script("inproc 1 theme", ("ctx c0", "bind s0 null", "recv s0", "recv s0"))
PAGE = """
text
| id | libzmq | zlink | why | pattern |
| --- | --- | --- | --- | --- |
| `null-endpoint` | ends | `EINVAL` | a mistake is told | `line=(bind\\|connect) \\w+ null` `reference=killed by SIGABRT` `subject=-1 EINVAL` |
| `later` | 1 | 2 | so | `line=recv .*` `reference=1` `subject=2` `before=bind .*` `ends` |

| other | table |
| --- | --- |
| a | b |
"""


class Compare(unittest.TestCase):
    def test_equal(self) -> None:
        self.assertIsNone(first_difference(SCRIPT, ("ok", "0", "1", "2"), ("ok", "0", "1", "2"), []))

    def test_first_line_that_differs(self) -> None:
        found = first_difference(SCRIPT, ("ok", "0", "1", "2"), ("ok", "0", "5", "6"), [])
        assert found is not None
        self.assertEqual((found.index, found.reference, found.subject), (2, "1", "5"))

    def test_ended_process(self) -> None:
        found = first_difference(SCRIPT, ("ok", "0", "1", "2"), ("ok", "killed by SIGSEGV"), [])
        assert found is not None
        self.assertEqual(found.index, 1)
        found = first_difference(SCRIPT, ("ok", "hang"), ("ok", "hang", "1"), [])
        assert found is not None
        self.assertEqual(found.index, 2)

    def test_reference_that_does_not_agree(self) -> None:
        self.assertFalse(agree([("a",), ("a",), ("b",)]))
        self.assertTrue(agree([("a",), ("a",)]))

    def test_signature_forgets_numbers_and_contents(self) -> None:
        first = first_difference(SCRIPT, ("ok", "0", "[1.0:abc]", ""), ("ok", "0", "-1 EAGAIN", ""), [])
        second = first_difference(SCRIPT, ("ok", "0", "[7.0:abc]", ""), ("ok", "0", "-1 EAGAIN", ""), [])
        assert first is not None and second is not None
        self.assertEqual(first.signature, second.signature)


class Rows(unittest.TestCase):
    def test_rows_of_a_page(self) -> None:
        self.assertEqual([row.identity for row in parse_rows(PAGE)], ["null-endpoint", "later"])

    def test_accepted_end_of_the_reference(self) -> None:
        rows = parse_rows(PAGE)
        self.assertIsNone(first_difference(SCRIPT, ("ok", "killed by SIGABRT"), ("ok", "-1 EINVAL", "1", "2"), rows))
        self.assertIsNotNone(first_difference(SCRIPT, ("ok", "killed by SIGABRT"), ("ok", "0", "1", "2"), rows))

    def test_condition_on_an_earlier_line(self) -> None:
        rows = parse_rows(PAGE)
        self.assertIsNone(first_difference(SCRIPT, ("ok", "0", "1", "x"), ("ok", "0", "2", "y"), rows))
        without = Script("", ("ctx c0", "recv s0"))
        self.assertIsNotNone(first_difference(without, ("ok", "1"), ("ok", "2"), rows))

    def test_what_follows_an_accepted_difference_is_compared(self) -> None:
        page = PAGE.replace(" `ends`", "")
        found = first_difference(SCRIPT, ("ok", "0", "1", "x"), ("ok", "0", "2", "y"), parse_rows(page))
        assert found is not None
        self.assertEqual(found.index, 3)

    def test_wrong_rows(self) -> None:
        head = "| id | libzmq | zlink | why | pattern |\n"
        for row in ("| a | b | c | d | `line=x` |", "| a | b | c | | `line=x` `reference=y` `subject=z` |",
                    "| a | b | c | d | `line=(` `reference=y` `subject=z` |", "| a | b | c | d | `line=x` `rule=nothing` |",
                    "| a | b | c | d | `rule=captured_order` |", "| a | b | c | d | `lime=x` `reference=y` `subject=z` |"):
            with self.assertRaises(RowError, msg=row):
                parse_rows(head + row)

    def test_same_id_twice(self) -> None:
        row = "| a | b | c | d | `line=x` `reference=y` `subject=z` |\n"
        with self.assertRaises(RowError):
            parse_rows("| id | libzmq | zlink | why | pattern |\n" + row + row)


class Scripts(unittest.TestCase):
    def test_round_trip(self) -> None:
        scripts = [SCRIPT, Script("other", ("ctx c1",))]
        self.assertEqual(parse(write(scripts).splitlines(), "file"), scripts)

    def test_remarks_and_missing_title(self) -> None:
        self.assertEqual(parse(["# remark", "ctx c0"], "file"), [Script("file", ("ctx c0",))])


if __name__ == "__main__":
    unittest.main()
