#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""redraw_results_test.py SOURCE: the pages in docs/results are what their raw data say, and the script notices when not."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

SOURCE = os.path.abspath(sys.argv.pop(1))
SCRIPT = os.path.join(SOURCE, "scripts", "redraw_results.py")

STATS = {"devices": [], "kernels": [{"name": "k", "access": "contiguous", "launches": 2, "split_launches": 1, "groups": [1, 3],
                                     "merge": {"disjoint": 1, "diff": 0}, "not_split": {"one_group": 1}}],
         "transfers": [{"bytes_to": 1500000, "bytes_from": 0}, {"bytes_to": 1000000, "bytes_from": 500000}]}
ANSWER = {"workload": "w", "seconds": [3, 1, 2], "checked": "all", "ok": True}
PAGE = "before\n<!-- table shares raw/a.json -->\nold\n<!-- end -->\nbetween\n<!-- table times raw/a.json -->\n<!-- end -->\nafter\n"


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], stdout=subprocess.PIPE, text=True, check=False)


class Redraw(unittest.TestCase):
    def test_pages_of_the_tree_are_up_to_date(self):
        done = run("--check")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_collected_runs_become_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "raw"))
            os.mkdir(os.path.join(folder, "runs"))
            for name, value in (("w.stats.json", STATS), ("w.json", ANSWER)):
                with open(os.path.join(folder, "runs", name), "w", encoding="utf-8") as file:
                    json.dump(value, file)
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write(PAGE)
            raw = os.path.join(folder, "raw", "a.json")
            self.assertEqual(run("--collect", raw, os.path.join(folder, "runs"), "here").returncode, 0)
            self.assertEqual(run("--check", folder).returncode, 1)
            self.assertEqual(run(folder).returncode, 0)
            self.assertEqual(run("--check", folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertIn("| w | `k` | contiguous | 1 of 2 | 25 % / 75 % | disjoint 1 | one_group 1 | all, ok |", text)
            self.assertIn("| w | 2.0000 | 2.5 | 0.5 |", text)
            self.assertNotIn("old", text)
            self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))

    def test_figures_of_gpus_become_tables(self):
        raw = {"modes": ["equal", "auto"], "workloads": {"w": {
            "vendor": {"A:a": {"seconds": [3, 2]}, "B:b": {"error": "no end within 9 s"}},
            "skmd": {"equal": {"seconds": [1.5, 1]}, "auto": {"error": "no end within 9 s"}}}}}
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "raw"))
            with open(os.path.join(folder, "raw", "g.json"), "w", encoding="utf-8") as file:
                json.dump(raw, file)
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("<!-- table gpus raw/g.json -->\n<!-- end -->\n")
            self.assertEqual(run(folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                self.assertIn("| w | a | 2.0000 | 1.0000 | 0.50 | no end within 9 s |  |", file.read())

    def made_up(self, gpus, seconds, **more):
        """A raw file of scripts/bench-predict.sh: one workload, `seconds` of each side."""
        kinds = {"auto, warm database": "auto", "auto, one GPU and the processor, warm database": "auto", "G by its own driver": "vendor", "SKMD over cpu": "device"}
        names = ["G"] * gpus + ["C"]
        sides = {name: {"kind": kinds[name], "processes": [[9, 9, 9, value, value, value]]} for name, value in seconds.items()}
        stats = {"devices": [{"name": name} for name in names],
                 "kernels": [{"name": "k", "seconds": 1, "first_split": 1, "groups": [2] * gpus + [1]}, {"name": "l", "seconds": 0.5, "first_split": 0, "groups": [1] + [0] * gpus}]}
        unit = {"workload": "w", "size": "paper", "memory": "pageable", "launches": 2, "sides": sides, "stats": stats}
        devices = [{"name": name, "kind": "gpu" if name == "G" else "cpu", "platform": "P", "driver_version": "1.2"} for name in names]
        return {"version": 1, "machine": {"processor": "X", "cores": 4, "kernel": "6", "date": "2026-01-02", "devices": devices}, "commit": "abc",
                "command": "scripts/bench-predict.sh --devices g:0", "environment": {"SKMD_CPU_THREADS": "3"}, "gpus": gpus,
                "sides": {"auto, warm database": {"devices": names}}, "units": [unit | more], "rows": []}

    def test_gpus_and_the_processor_become_pages_and_a_readme(self):
        two = self.made_up(2, {"auto, warm database": 1, "auto, one GPU and the processor, warm database": 2, "G by its own driver": 4, "SKMD over cpu": 3})
        bound = {"row": "bound", "about": "against its bound", "goal": {"each_at_least": 0.8}, "missing": [], "figure": 0.5, "met": False,
                 "entries": [{"workload": "w", "size": "paper", "base": "links", "figure": 0.5, "seconds": 0.002, "base_seconds": 0.001, "turns": 1, "met": False}]}
        later = self.made_up(2, {"auto, warm database": 2}, bound={"seconds": 0.001, "what": "links"}) | {"rows": [bound]}
        searched = self.made_up(2, {"auto, warm database": 2}, search=[{"split": [50, 50, 0], "seconds": 2}], best_split=[50, 50, 0], search_ended=True)
        searched["units"][0]["sides"]["best split"] = {"kind": "split", "processes": [[9, 9, 9, 1.9, 1.9, 1.9]]}
        raws = {"gpu-a.json": two, "gpu-b.json": later, "gpu-c.json": searched,
                "gpu-d.json": self.made_up(1, {"auto, warm database": 2, "G by its own driver": 10, "SKMD over cpu": 3})}
        kinds = ("table gpu_origins", "table gpu_speed_ups", "figure gpu_fig10", "figure gpu_fig11", "table gpu_times", "table gpu_rows", "table gpu_splits", "table gpu_bounds")
        with tempfile.TemporaryDirectory() as top:
            folder = os.path.join(top, "docs", "results")
            os.makedirs(os.path.join(folder, "raw"))
            for name, prefix in (("README.md", "docs/results/"), ("docs/results/gpu.md", "")):
                with open(os.path.join(top, name), "w", encoding="utf-8") as file:
                    file.write("".join(f"<!-- {kind} {prefix}raw/gpu-*.json -->\n<!-- end -->\n" for kind in kinds))
            self.assertEqual(run(folder).returncode, 0)
            with open(os.path.join(top, "README.md"), encoding="utf-8") as file:
                self.assertNotIn("Not measured", file.read())  # it says nothing, then
            for name, raw in raws.items():
                with open(os.path.join(folder, "raw", name), "w", encoding="utf-8") as file:
                    json.dump(raw, file)
            self.assertEqual(run("--check", folder).returncode, 1)
            self.assertEqual(run(folder).returncode, 0)
            self.assertEqual(run("--check", folder).returncode, 0)
            texts = {}
            for name in ("README.md", "docs/results/gpu.md"):
                with open(os.path.join(top, name), encoding="utf-8") as file:
                    texts[name] = file.read()
            for name in ("gpu_fig10.svg", "gpu_fig11.svg"):
                ElementTree.parse(os.path.join(folder, name))
                self.assertIn(f"](docs/results/{name})", texts["README.md"])
                self.assertIn(f"]({name})", texts["docs/results/gpu.md"])
        text = texts["docs/results/gpu.md"]
        self.assertIn("- `gpu-a.json`: 2 × G, 4 cores of X; P 1.2; Linux 6; 2026-01-02; commit abc. Command: `SKMD_CPU_THREADS=3 scripts/bench-predict.sh --devices g:0`.", text)
        self.assertIn("| w | 2.00 | 4.00 | 1.50 | 3.00 |\n| **geometric mean** | **2.00** | **4.00** | **1.50** | **3.00** |", text)  # two GPUs
        self.assertIn("| w | 5.00 | 1.50 |", text)  # one GPU
        self.assertIn("| w | 1000.00 | 2000.00 | 4000.00 | 3000.00 |", text)
        self.assertIn("| against its bound | each at least 0.8 | 0.500 | 1 | w paper, 0.50 | **no** |", text)
        self.assertIn("| geometric mean at least 3.6 | 4.000 | 1 | w paper, 4.00 (4.00 to 4.00) | yes |", text)
        self.assertIn("| w | paper | 50 % / 50 % / 0 % | 40 % / 40 % / 20 % | 1 | 1 | 1900.00 | 2000.00 | 0.95 |", text)
        self.assertIn("| w | paper | links | 1.00 | 2.00 | 0.50 |", text)
        self.assertIn("4.00", texts["README.md"])

    def test_decisions_over_two_processors_become_tables_of_what_misses(self):
        entries = [{"workload": name, "size": "small", "base": "SKMD over best:1", "figure": figure, "spread": [0.5, 1.5], "seconds": 0.002,
                    "base_seconds": 0.001, "turns": 4, "met": figure >= 1} for name, figure in (("a", 1.25), ("b", 0.8))]
        row = {"row": "best_device", "about": "against one", "goal": {"each_at_least": 1.0}, "figure": 1.0, "met": False, "entries": entries, "missing": []}
        raw = {"rows": [row]}
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "raw"))
            with open(os.path.join(folder, "raw", "quick-a.json"), "w", encoding="utf-8") as file:
                json.dump(raw, file)
            with open(os.path.join(folder, "page.md"), "w", encoding="utf-8") as file:
                file.write("".join(f"<!-- table {kind} raw/quick-*.json -->\n<!-- end -->\n" for kind in ("quick_rows", "quick_missed")))
            self.assertEqual(run(folder).returncode, 0)
            with open(os.path.join(folder, "page.md"), encoding="utf-8") as file:
                text = file.read()
        self.assertIn("| against one | each at least 1 | 1.000 | 2 | 1 | **no** |", text)
        self.assertIn("| against one | b small | 2.00 ms | 1.00 ms, SKMD over best:1 | 0.80 (0.50 to 1.50) | 4 |", text)

    def test_counts_of_random_kernels_become_tables(self):
        raw = {"commit": "c", "command": "x", "seconds": 9, "failures": 0, "programs": 4, "cases": 1, "chains": 1, "split_programs": 3,
               "without_used_atomics": 3, "split_without_used_atomics": 3, "rung_programs": {"diff": 2}, "rung_buffers": {"diff": 7},
               "launches": {"all": 8, "split": 6}, "verified_launches": 2, "not_split": {"one_group": 2}, "pocl": {"crash": 0},
               "modes": {"two": 1}, "commands": {"launch": 4}, "features": {"odd_size": 3}}
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "raw"))
            with open(os.path.join(folder, "raw", "r.json"), "w", encoding="utf-8") as file:
                json.dump(raw, file)
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("".join(f"<!-- table {kind} raw/r.json -->\n<!-- end -->\n" for kind in ("random_kernels", "random_features")))
            self.assertEqual(run(folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertIn("| programs split | 3; of those without used atomics 3 of 3, 100.0 % |", text)
        self.assertIn("| rungs, in buffers of launches | diff 7 |", text)
        self.assertIn("| odd size | 3, 75.0 % |", text)

    def test_suites_become_a_row_for_each_mode(self):
        row = {"suite": "s", "programs": 1, "planned": 2, "ran": 5, "passed": 5, "failed": 0, "launches": 7, "split": 3, "processor_seconds": 2, "whole": {"one_group": 4}}
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "raw"))
            with open(os.path.join(folder, "raw", "s.json"), "w", encoding="utf-8") as file:
                json.dump({"origin": "here", "rows": [row | {"mode": mode} for mode in ("pocl", "equal", "auto")]
                           + [row | {"mode": "cpu", "elsewhere": {"takes an image": 2}}]}, file)
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("<!-- table suites raw/s.json -->\n<!-- end -->\n")
            self.assertEqual(run(folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertIn("| s | PoCL alone | 1 of 2 |", text)
            self.assertIn("| s | `equal` | 1 | 5 | 5 | 0 | 3 of 7 | one_group 4 | - | 2 |", text)
            self.assertIn("| s | `cpu` | 1 | 5 | 5 | 0 | 3 of 7 | one_group 4 | takes an image 2 | 2 |", text)
            self.assertIn("| all | SKMD | 3 | 15 | 15 | 0 | 9 of 21 |  |  | 6 |", text)

    def test_rows_of_the_cpu_table_become_a_table_and_bars(self):
        rows = [{"name": "nbody", "goal": {"at_least": 1.0}, "unit": "x", "figure": 8.0, "spread": [7.5, 9.0], "met": True,
                 "details": {"seconds": 0.002, "base_seconds": 0.016}},
                {"name": "slow", "goal": {"at_least": 1.0}, "unit": "x", "figure": 0.5, "spread": [0.4, 0.6], "met": False, "details": {}},
                {"name": "empty_kernel", "goal": {"at_most": 10.0}, "unit": "us", "figure": None, "spread": None, "error": "broken", "met": False}]
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "raw"))
            lines = os.path.join(folder, "lines")
            with open(lines, "w", encoding="utf-8") as file:
                file.write("".join(json.dumps(row) + "\n" for row in rows))
            self.assertEqual(run("--rows", os.path.join(folder, "raw", "c.json"), lines, "here").returncode, 0)
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("".join(f"<!-- table {kind} raw/c.json -->\n<!-- end -->\n" for kind in ("origin", "cpu", "cpu_bars")))
            self.assertEqual(run(folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertIn("\nhere\n", text)
        self.assertIn("| nbody | at least 1 x | 8 x | 7.5 to 9 | 2 ms | 16 ms | yes |", text)
        self.assertIn("| empty_kernel | at most 10 us | broken | - to - | - | - | **no** |", text)
        self.assertIn(f"nbody    8.00 │{'▇' * 12}\nslow     0.50 │{'◁' * 4}\n", text)

    def drawn(self, kinds, raw, folder):
        """The page that a fresh folder's page of these kinds becomes."""
        os.mkdir(os.path.join(folder, "raw"))
        if raw is not None:
            with open(os.path.join(folder, "raw", "s.json"), "w", encoding="utf-8") as file:
                json.dump(raw, file)
        page = os.path.join(folder, "page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write("".join(f"<!-- table {kind} raw/s.json -->\n<!-- end -->\n" for kind in kinds))
        self.assertEqual(run(folder).returncode, 0)
        self.assertEqual(run("--check", folder).returncode, 0)
        with open(page, encoding="utf-8") as file:
            return file.read()

    def test_rows_of_the_start_become_tables(self):
        entry = {"program": "p", "size": "small", "figure": 0.5, "spread": [0.4, 0.6], "seconds": 0.1, "seconds_spread": [0.09, 0.11],
                 "base_seconds": 0.2, "base_spread": [0.19, 0.21], "turns": 3}
        goal = {"geometric_mean_at_most": 0.8, "each_at_most": 1.0, "plus_seconds": 0.02}
        rows = [{"row": "warm", "about": "all", "goal": goal, "figure": 0.5, "met": True, "programs": [entry | {"met": True}]},
                {"row": "cold", "about": "five", "goal": None, "figure": 0.5, "met": None, "programs": [entry]},
                {"row": "none", "about": "none", "goal": {"geometric_mean_at_most": 1.2}, "figure": None, "met": False, "programs": [],
                 "error": "p ended with 1"}]
        with tempfile.TemporaryDirectory() as folder:
            text = self.drawn(["start_goals", "start_programs"], {"rows": rows}, folder)
        self.assertIn("| all | mean at most 0.8, each at most 1 x + 20 ms | 0.500 | p small, 0.50 | yes |", text)
        self.assertIn("| five | none | 0.500 | p small, 0.50 | - |", text)
        self.assertIn("| none | mean at most 1.2 | p ended with 1 | - | **no** |", text)
        self.assertIn("| warm | p | small | 100 (90 to 110) | 200 (190 to 210) | 0.50 | 3 | yes |", text)

    def test_sides_of_the_start_become_a_table(self):
        times = {"process": 2.0, "inside": 1.0, "build": None}
        row = {"row": "cold", "programs": [{"program": "p", "size": "paper", "sides": {
            "alone": [times, times | {"process": 3.0}, times | {"process": 9.0}], "SKMD": [times | {"build": 0.5}]}}]}
        with tempfile.TemporaryDirectory() as folder:
            text = self.drawn(["start_sides"], {"rows": [row]}, folder)
        self.assertIn("| cold | p | paper | 3.000 | 1.000 | - | 2.000 | 1.000 | 0.500 |", text)

    def test_phases_of_the_start_become_a_table(self):
        raw = {"sides": ["SKMD", "PoCL"], "phases": [{"name": "loading", "SKMD": 25.04, "PoCL": 26}, {"name": "planning", "SKMD": 0.5}]}
        with tempfile.TemporaryDirectory() as folder:
            text = self.drawn(["start_phases"], raw, folder)
        self.assertIn("| loading | 25.0 | 26.0 |", text)
        self.assertIn("| planning | 0.5 | - |", text)

    def test_what_is_not_measured_yet_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("Not measured yet.\n<!-- end -->", self.drawn(["start_goals"], None, folder))

    def test_a_document_gets_its_origin(self):
        with tempfile.TemporaryDirectory() as folder:
            document, out = os.path.join(folder, "d.json"), os.path.join(folder, "o.json")
            with open(document, "w", encoding="utf-8") as file:
                json.dump({"rows": [1]}, file)
            self.assertEqual(run("--origin", out, document, "here").returncode, 0)
            with open(out, encoding="utf-8") as file:
                self.assertEqual(json.load(file), {"origin": "here", "rows": [1]})

    def test_predictions_of_all_raw_files_become_tables_and_figures(self):
        def answers(device, factor):
            kernel = {"name": "vector_add", "program": "p", "device": device, "train": 2, "test": 2, "median": 0.02 * factor, "p90": 0.05, "l2_seconds": 0.0015,
                      "coverage80": 0.75, "models": {"paper": 50.0, "rate": 0.3},
                      "points": [[100, 1000, 0.01, 0.011, 0.009, 0.012], [1000, 1000, 0.1, 0.1, 0.09, 0.11]]}
            evaluated = {"version": 1, "devices": [{"device": device, "points": 2, "median": 0.02 * factor, "p90": 0.05, "coverage80": 0.75}], "kernels": [kernel]}
            span = {"kernel": "vector_add", "program": "p", "device": device, "dims": 1, "global": [64000, 1, 1], "local": [64, 1, 1], "first": 0, "first_use": False}
            samples = [span | {"tag": "one", "last": 10, "kernel_ns": 5000}, span | {"tag": "one", "last": 1000, "kernel_ns": 50000},
                       span | {"tag": "one", "last": 1000, "kernel_ns": 990000, "first_use": True}, span | {"tag": "real", "last": 1000, "kernel_ns": 100000}]
            return evaluated, {"samples": samples}

        kinds = {"prediction_origins": "table", "prediction_goals": "table", "prediction_table3": "table", "prediction_fig7": "figure",
                 "prediction_fig8": "figure", "prediction_fig12": "figure"}
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "raw"))
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("".join(f"<!-- {what} {kind} raw/prediction-*.json -->\n<!-- end -->\n" for kind, what in kinds.items()))
            self.assertEqual(run(folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                self.assertEqual(file.read().count("Not measured yet."), len(kinds))
            for name, device, factor in (("a", "GPU", 1), ("b", "CPU", 3)):
                for key, value in zip(("evaluated", "shown"), answers(device, factor)):
                    with open(os.path.join(folder, key), "w", encoding="utf-8") as file:
                        json.dump(value, file)
                done = run("--prediction", os.path.join(folder, "raw", f"prediction-{name}.json"), os.path.join(folder, "evaluated"),
                           os.path.join(folder, "shown"), "one", "real", f"of {name}")
                self.assertEqual(done.returncode, 0)
            self.assertEqual(run("--check", folder).returncode, 1)
            self.assertEqual(run(folder).returncode, 0)
            self.assertEqual(run("--check", folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            figures = {}
            for kind in ("prediction_fig7", "prediction_fig8", "prediction_fig12"):
                self.assertIn(f"]({kind}.svg)", text)
                with open(os.path.join(folder, f"{kind}.svg"), encoding="utf-8") as file:
                    figures[kind] = file.read()
                self.assertEqual(ElementTree.fromstring(figures[kind]).tag, "{http://www.w3.org/2000/svg}svg")
            with open(os.path.join(folder, "prediction_fig8.svg"), "a", encoding="utf-8") as file:
                file.write("<!-- by hand -->")
            self.assertEqual(run("--check", folder).returncode, 1)
        self.assertIn("- `prediction-b.json`: of b\n", text)
        self.assertIn("| CPU | 2 | 6.0 % | 5.0 % | 75.0 % |", text)
        self.assertIn("| `vector_add` (VectorAdd) | 8, 16 million numbers | 50 million | GPU | 64,000 | 64,000 | 2 | 2.0 % | 5.0 % | 75.0 % | 1.5 | 55 | 30.0 % | 5e+03 % |", text)
        self.assertIn("vector_add, GPU", figures["prediction_fig7"])
        self.assertEqual(figures["prediction_fig7"].count("<circle"), 2 * (2 + 2))  # profiled and tested, not the first use
        self.assertIn("CPU, of 1,000 groups", figures["prediction_fig8"])
        self.assertIn("<title>vector_add: 1.5 ms</title>", figures["prediction_fig12"])
        self.assertEqual(figures["prediction_fig12"].count("<title>"), 2 + 4)

    def test_what_groups_took_becomes_a_table_of_what_is_missed(self):
        def sample(tag, groups, ns, total=9, kernel="k", **more):
            return {"kernel": kernel, "device": "CPU", "tag": tag, "global": [64 * total, 1, 1], "local": [64, 1, 1], "first": 0, "last": groups, "kernel_ns": ns,
                    "group_operations": 2000.0, "group_bytes": 8.0, "first_use": False, **more}

        # Of nine spans the longest three count; a smaller launch of the tag and a first use do not. Against as many groups: 20 ns for 2,000 operations
        # and 30 for 4,000.
        samples = [sample("one", groups, 10 * groups if groups < 7 else 20 * groups) for groups in range(1, 10)] + [
            sample("one", 9, 1, first_use=True), sample("one", 2, 999, total=2), sample("real", 9, 270, group_operations=4000.0), sample("real", 5, 9, group_operations=4000.0), sample("one", 9, 90, kernel="right"),
            sample("real", 9, 90, kernel="right"), sample("other", 9, 1)]
        evaluations = {"evaluated": {"k": 0.5, "right": 0.1}, "own": {"k": 0.04, "right": 0.02}}
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "raw"))
            with open(os.path.join(folder, "p.jsonl"), "w", encoding="utf-8") as file:
                file.write("".join(json.dumps(line) + "\n" for line in [{"skmd_profile": 1}, {"bandwidth": []}, *samples]))
            for name, medians in evaluations.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    json.dump({"kernels": [{"name": kernel, "device": "CPU", "median": median} for kernel, median in medians.items()]}, file)
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("".join(f"<!-- table {kind} raw/groups-*.json -->\n<!-- end -->\n" for kind in ("group_origins", "group_misses")))
            files = [os.path.join(folder, name) for name in ("p.jsonl", "evaluated", "own")]
            self.assertEqual(run("--groups", os.path.join(folder, "raw", "groups-a.json"), *files, "one,real", "here").returncode, 0)
            self.assertEqual(run(folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertIn("- `groups-a.json`: here\n", text)
        self.assertIn("| `k`, CPU | 50.0 % | 4.0 % | 0.00018 / 0.00027 | 20 (+0 to +0 %) | 30 (+0 to +0 %) | 1.33 |\n", text)
        self.assertNotIn("`right`", text)

    def test_profiling_runs_become_a_table(self):
        raw = {"origin": "Nothing beside.", "machine": {"cores": 2, "processor": "CPU", "date": "2026-01-01"}, "commit": "abc", "command": "make it", "rows": [
            {"row": "run", "at_most": 20, "figures": {"a": 10.04, "b": 21.5}, "workloads": {
                "b": {"plain_seconds": [2.0], "run_seconds": [43.0], "others": 0.5, "bar": {"lines": 30, "median": 0.125, "right": 0.9}},
                "a": {"plain_seconds": [0.3, 0.1, 0.2], "run_seconds": [3.0, 1.0, 2.0], "others": 0.0, "bar": None}}},
            {"row": "bar", "at_most": 0.3, "figures": {}}]}
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "raw"))
            with open(os.path.join(folder, "raw", "profile-runs.json"), "w", encoding="utf-8") as file:
                json.dump(raw, file)
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("".join(f"<!-- table {kind} raw/profile-runs*.json -->\n<!-- end -->\n" for kind in ("profile_run_origins", "profile_runs")))
            self.assertEqual(run(folder).returncode, 0)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertIn("- `profile-runs.json`: 2 cores of CPU, 2026-01-01; commit abc; `make it`. Nothing beside.\n", text)
        self.assertIn("| a | 0.2 (0.1 to 0.3) | 2 (1 to 3) | 10.0 | 0.0 % | too short | - | - |\n| b | 2 | 43 | **21.5** | 50.0 % | 30 | 12.5 % | 90.0 % |\n", text)


if __name__ == "__main__":
    unittest.main()
