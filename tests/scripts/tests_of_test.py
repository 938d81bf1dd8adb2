#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/tests_of.sh against this build: what is near, what is further away, and what has nothing to do with a file. Arguments: source, build."""
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
SCRIPT = os.path.join(SOURCE, "scripts", "tests_of.sh")
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
import tests_of  # noqa: E402

COVERAGE = tests_of.Coverage(tests_of.Build(SOURCE, BUILD))


def near_of(path):
    return [test.name for test in COVERAGE.near(path)]


def every_of(path):
    return [test.name for test in COVERAGE.every(path)]


def ask(*words, status=0):
    done = subprocess.run([SCRIPT, "--build", BUILD, *words], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == status, done.stdout
    return done.stdout.splitlines()


class TestsOf(unittest.TestCase):
    def has(self, names, *wanted):
        for name in wanted:
            self.assertIn(name, names)

    def has_no(self, names, *starts):
        self.assertEqual([name for name in names if name.startswith(starts)], [])

    def test_the_domain_is_in_everything_and_near_its_own_tests(self):
        near, every = near_of("partitioner/merge/merge.cpp"), every_of("partitioner/merge/merge.cpp")
        self.has(near, "ForbidsSplit.EachFactHasItsReason", "layering.tree", "recipes.a-trait")
        self.has_no(near, "RunOptions", "lit.", "residency_model")
        self.has(every, *near, "lit.traits.queries", "RunOptions.HelpEndsEarlyWithSuccess", "driver.random")

    def test_commands_concern_no_kernel(self):
        near, every = near_of("profiler/run_options.cpp"), every_of("profiler/run_options.cpp")
        self.has(near, "RunOptions.HelpEndsEarlyWithSuccess")
        self.has_no(near, "ExplainStats")  # of the same program
        # A copy of the command, in a tree of its own.
        self.has(every, *near, "skmd_run.makes_paths_absolute")
        self.has_no(every, "lit.", "ForbidsSplit")

    def test_passes_have_lit_tests_and_reach_the_driver_through_skmd_compile(self):
        near, every = near_of("cpu-driver/codegen/pipeline/late_passes.cpp"), every_of("cpu-driver/codegen/pipeline/late_passes.cpp")
        self.has(near, "lit.pipeline.early_ends", "recipes.a-codegen-pass")
        self.has_no(near, "lit.traits", "ForbidsSplit")
        self.has(every, *near, "cpu-driver.random")
        self.has_no(every, "RunOptions", "ForbidsSplit")

    def test_headers_tests_scripts_and_pages(self):
        self.has(near_of("partitioner/merge/merge.h"), "ForbidsSplit.EachFactHasItsReason")
        self.has(near_of("tests/partitioner/merge_test.cpp"), "ForbidsSplit.EachFactHasItsReason")
        self.has(near_of("tests/cpu-driver/codegen/pipeline/early_ends.ll"), "lit.pipeline.early_ends")
        self.has(near_of("scripts/redraw_results.py"), "scripts.redraw_results")
        self.has(near_of("docs/user-guide.md"), "scripts.docs_commands", "language.options_in_documents")
        self.has(near_of("bench/kernels/stencil3d.cl"), "bench.iterate_stencil3d")

    def test_no_source_is_without_a_test(self):
        checks = {name for name in near_of("partitioner/base/result.h") if name.startswith(("language.", "layering."))}
        paths = list(tests_of.files_of_rooms(SOURCE))
        self.assertGreater(len(paths), 700)
        self.assertEqual([path for path in paths if not set(near_of(path)) - checks], [])

    def test_the_command_line(self):
        self.assertEqual(ask("profiler/run_options.cpp"), near_of("profiler/run_options.cpp"))
        both = ask("partitioner/merge/merge.cpp", "profiler/run_options.cpp")
        self.assertEqual(sorted(both), sorted({*near_of("partitioner/merge/merge.cpp"), *near_of("profiler/run_options.cpp")}))
        out = ask("--run", "profiler/run_options.cpp", "--", "--show-only")
        self.assertIn(f"Total Tests: {len(near_of('profiler/run_options.cpp'))}", out)

    def test_wrong_questions(self):
        self.assertIn("there is no file nothing.cpp", ask("nothing.cpp", status=2)[-1])
        ask(status=2)
        self.assertIn("is no build folder", ask("--build", SOURCE, "scripts/tests_of.py", status=2)[-1])


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
