# SPDX-License-Identifier: MPL-2.0
"""The runner of tls, ws and wss: cells, what programs tell, what the page says."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

from comparison.model import ComparisonError
from comparison.programs import RunFailed
from scale.model import Cell, Results
from web import main
from web.cells import FULL, GOALS, LIBRARIES, METRICS, QUICK, SECTIONS, all_cells, source
from web.programs import Programs, read_values, two_processes
from web.report import Report, ahead, base_of, to_json, to_markdown

ZLINK, NNG, OMQ, WEBSOCKETS, UWEBSOCKETS = LIBRARIES
MACHINE = {"processor": "p", "processors": 2, "system": "s", "kernel": "k"}


def python(text):
    return [sys.executable, "-c", text]


SILENT = "import time; time.sleep(60)"
SERVER = f"print('READY', flush=True); {SILENT}"


def make_report(results, cells):
    return Report("2026-01-01", 1.0, MACHINE, "abc", "quick", 1, {ZLINK: "1", NNG: "2"}, {"websockets": "it is missing"},
                  cells, results)


class Cells(unittest.TestCase):
    def test_every_cell_has_a_key_of_its_own_known_metrics_and_a_section(self):
        for effort in (FULL, QUICK):
            cells = all_cells(effort)
            self.assertEqual(len({cell.key for cell in cells}), len(cells))
            self.assertEqual({cell.section for cell in cells}, set(SECTIONS))
            for cell in cells:
                self.assertTrue(set(cell.metrics) <= set(METRICS), cell)
                self.assertTrue(ZLINK.has(cell))

    def test_a_library_is_measured_where_it_can_be(self):
        cells = all_cells(QUICK)
        for library in (NNG, OMQ, WEBSOCKETS, UWEBSOCKETS):
            taken = [cell for cell in cells if library.has(cell)]
            self.assertEqual({cell.get("transport") for cell in taken}, set(library.transports))
            self.assertEqual({cell.section for cell in taken}, {"libraries"})
            self.assertEqual({cell.scenario for cell in taken} - set(library.works), set())

    def test_every_goal_has_its_cells(self):
        told = make_report(Results(), all_cells(QUICK))
        for (transport, work, size), (base, goal) in GOALS.items():
            cell = next(cell for cell in told.cells if cell.section == "own" and cell.scenario == work
                        and (cell.get("transport"), cell.get("size")) == (transport, size))
            self.assertEqual(base_of(told, cell, base).get("transport"), base)
            self.assertLess(goal, 1)

    def test_programs_in_python_are_there(self):
        for name in ("websockets_end.py", "socketify_end.py"):
            self.assertTrue(source(name).is_file())


class Values(unittest.TestCase):
    def test_the_wanted_ones(self):
        self.assertEqual(read_values(["READY", "WEB,a,1.5", "WEB,b,2"], ("b", "a")), {"b": 2.0, "a": 1.5})

    def test_what_is_refused(self):
        for lines, reason in ((["WEB,a,1"], "no b"), (["WEB,b,x"], "'x' as a result"), (["WEB,b,1", "WEB,b,1"], "b twice")):
            with self.subTest(lines=lines), self.assertRaisesRegex(RunFailed, reason):
                read_values(lines, ("b",))


class TwoProcesses(unittest.TestCase):
    def test_either_end_may_tell(self):
        tells = "print('WEB,p50_us,5', flush=True)"
        for server, client in ((SERVER, f"{tells}; {SILENT}"), (f"print('READY', flush=True); {tells}; {SILENT}", SILENT)):
            self.assertEqual(two_processes(python(server), python(client), ("p50_us",), 20), {"p50_us": 5.0})

    def test_an_end_that_fails_or_hangs(self):
        for server, client, reason in (("print('FAIL: no')", SILENT, "ended too early: FAIL: no"),
                                       (SERVER, "print('FAIL: oh')", "ended too early: FAIL: oh")):
            with self.subTest(reason=reason), self.assertRaisesRegex(RunFailed, reason):
                two_processes(python(server), python(client), ("p50_us",), 20)
        with self.assertRaisesRegex(RunFailed, "hung"):
            two_processes(python(SERVER), python(SILENT), ("p50_us",), 1)


class Page(unittest.TestCase):
    def setUp(self):
        self.rate = Cell("libraries", "up", (("transport", "ws"), ("size", 64)), ("messages_per_s",), "ws, up")
        self.time = Cell("libraries", "round_trips", (("transport", "ws"), ("size", 64)), ("p50_us",), "ws, round trip")
        self.tcp = Cell("own", "up", (("transport", "tcp"), ("size", 64)), ("messages_per_s",), "tcp, up")
        self.ws = Cell("own", "down", (("transport", "ws"), ("size", 64)), ("messages_per_s",), "ws, down")
        self.idle = Cell("memory", "idle", (("transport", "tls"),), ("listener_idle_bytes", "client_idle_bytes"), "tls, idle")
        self.results = Results()
        for cell, library, values in ((self.rate, "zlink", {"messages_per_s": 3000}), (self.rate, "nng", {"messages_per_s": 1500}),
                                      (self.time, "zlink", {"p50_us": 20}), (self.time, "nng", {"p50_us": 50}),
                                      (self.tcp, "zlink", {"messages_per_s": 100}), (self.ws, "zlink", {"messages_per_s": 75}),
                                      (self.idle, "zlink", {"listener_idle_bytes": 2048, "client_idle_bytes": 3072})):
            self.results.add(cell, library, values)
        self.report = make_report(self.results, [self.rate, self.time, self.tcp, self.ws, self.idle])

    def test_more_than_one_is_better_both_ways(self):
        self.assertEqual(ahead(self.report, self.rate, METRICS["messages_per_s"]), 2)
        self.assertEqual(ahead(self.report, self.time, METRICS["p50_us"]), 2.5)
        self.assertIsNone(ahead(self.report, self.tcp, METRICS["messages_per_s"]))

    def test_the_page_has_all_of_it(self):
        self.results.fail(self.rate, "nng", 1, "it hung")
        page = to_markdown(self.report)
        for text in ("| ws, up | 3 k | - | - |", "| ws, round trip, p50 in us | 20 | 50 | 2.50 |", "| ws, down | 75 | 0.75 of tcp | 0.7 |",
                     "| tls, idle | 2.0 | 3.0 |", "- websockets was not measured: it is missing", "nng failed at libraries: ws, up",
                     "zlink 1, nng 2", "commit abc"):
            self.assertIn(text, page)

    def test_a_ratio_is_that_of_single_runs(self):
        for tcp, ws in ((200, 150), (50, 36)):  # the machine is faster, then slower
            self.results.add(self.tcp, "zlink", {"messages_per_s": tcp})
            self.results.add(self.ws, "zlink", {"messages_per_s": ws})
        self.assertIn("| 0.74 (0.70 to 0.78) of tcp | 0.7 |", to_markdown(self.report))

    def test_the_json_has_every_value(self):
        told = json.loads(to_json(self.report))
        self.assertEqual(told["cells"][0]["results"], {"zlink": {"messages_per_s": [3000]}, "nng": {"messages_per_s": [1500]}})

    def test_a_section_that_was_not_measured_is_left_out(self):
        page = to_markdown(make_report(self.results, [self.rate]))
        self.assertNotIn("Memory", page)


class Beginning(unittest.TestCase):
    def test_without_zlink_nothing_begins(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(ComparisonError, "zlink"):
            main.find_libraries(Programs(Path(folder), Path(sys.executable), None))

    def test_a_peer_without_its_file_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "web_peer").touch()
            for peer in (None, Path(folder) / "none.so"):
                with self.assertRaisesRegex(RunFailed, "make peers"):
                    Programs(Path(folder), Path(sys.executable), None, peer).version(OMQ)

    def test_wrong_numbers_are_refused(self):
        self.assertEqual(main.main(["--runs", "0"]), 2)


if __name__ == "__main__":
    unittest.main()
