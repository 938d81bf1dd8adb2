#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The judgement of run.py without OpenCL: how outcomes are read and compared, and that docs/known-differences.md is the list
that it goes by."""
import argparse
import array
import hashlib
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

import boost_compute, clblast, clfft, clinfo, clpeak, darktable, gegl, hashcat, hcxkeys, known, opencv, piglit, pyopencl_tests, report as reports, run, ufo, x264  # noqa: E401,E402
from harness import BASELINE, Finished, Run, Runner, Test, broken  # noqa: E402

DOCUMENT = os.path.join(ROOT, "docs", "known-differences.md")


def ended(output, status=0):
    return Finished(status, output, "/nowhere")


def report_of(there, here, rows=(), mode="equal"):
    report = reports.Report(known.Known(rows))
    report._say = lambda text: None
    runs = {BASELINE: Run(there, ended(""), {}), mode: Run(here, ended(""), {})}
    report.add("suite", "test", runs)
    return report


class Comparison(unittest.TestCase):
    def test_what_passes_on_pocl_has_to_pass(self):
        self.assertEqual(broken({"a": "pass", "b": "fail", "c": "skip"}, {"a": "pass", "b": "pass", "c": "fail"}), {})
        self.assertEqual(broken({"a": "pass"}, {"a": "fail"}), {"a": ("pass", "fail")})

    def test_silence_is_no_pass(self):
        self.assertEqual(broken({"a": "pass"}, {}), {"a": ("pass", "missing")})

    def test_a_skipped_test_is_no_pass(self):
        self.assertEqual(broken({"a": "pass"}, {"a": "skip"}), {"a": ("pass", "skip")})

    def test_bytes_have_to_be_those_of_pocl(self):
        self.assertEqual(broken({"a": "=12"}, {"a": "=12"}), {})
        self.assertEqual(broken({"a": "=12"}, {"a": "=13"}), {"a": ("=12", "=13")})


class Judgement(unittest.TestCase):
    def test_a_regression_counts(self):
        report = report_of({"a": "pass", "b": "pass"}, {"a": "pass", "b": "fail"})
        self.assertEqual(report.failed(), 1)
        self.assertEqual((report.rows["suite", "equal"].passed, report.rows["suite", "equal"].failed), (1, 1))

    def test_what_pocl_fails_too_does_not(self):
        report = report_of({"a": "fail"}, {"a": "fail"}, [("suite/test/a", "fails on PoCL", "why")])
        self.assertEqual(report.failed(), 0)
        self.assertEqual(report.rows["suite", BASELINE].failed, 1)
        self.assertEqual(report.known.stale(["suite"]), [])

    def test_a_row_for_what_pocl_fails_excuses_nothing_that_it_passes(self):
        report = report_of({"a": "pass"}, {"a": "fail"}, [("suite/test/a", "fails on PoCL", "why")])
        self.assertEqual(report.failed(), 1)

    def test_what_the_specification_leaves_open_is_excused(self):
        report = report_of({"a": "pass"}, {"a": "missing"}, [("suite/test/a", "left open", "why")])
        self.assertEqual(report.failed(), 0)
        self.assertEqual(report.known.stale(["suite"]), [])

    def test_what_is_left_open_between_drivers_is_excused_on_our_own(self):
        rows = [("suite/test/a", "left open between drivers", "why")]
        self.assertEqual(report_of({"a": "=1"}, {"a": "=2"}, rows, "cpu").failed(), 0)
        self.assertEqual(report_of({"a": "=1"}, {"a": "=2"}, rows, "equal").failed(), 1)
        self.assertEqual(report_of({"a": "=1"}, {"a": "=1"}, rows, "cpu").known.stale(["suite"], ["cpu"]), ["suite/test/a"])
        self.assertEqual(report_of({"a": "=1"}, {"a": "=1"}, rows).known.stale(["suite"], ["equal"]), [])

    def test_rows_that_nothing_bears_out_are_found(self):
        rows = [("suite/test/a", "fails on PoCL", "why"), ("suite/test/b", "left open", "why"), ("suite/test/c", "sometimes fails on PoCL", "why"),
                ("other/test", "left open", "why")]
        report = report_of({"a": "pass", "b": "pass", "c": "pass"}, {"a": "pass", "b": "pass", "c": "pass"}, rows)
        self.assertEqual(report.known.stale(["suite"]), ["suite/test/a", "suite/test/b"])

    def test_failures_of_pocl_that_are_not_listed_are_named(self):
        report = reports.Report(known.Known([]))
        said = []
        report._say = said.append
        report.add("suite", "test", {BASELINE: Run({"a": "fail"}, ended(""), {})})
        self.assertEqual(len(said), 1)
        self.assertIn("suite/test/a", said[0])


class Lines(unittest.TestCase):
    """A run keeps what it saw as lines, and goes on from them."""

    def test_a_report_is_made_again_of_its_lines(self):
        rows = [("suite/test/a", "fails on PoCL", "why"), ("suite/test/b", "left open", "why")]
        stats = {"kernels": [{"name": "k", "launches": 5, "split_launches": 2, "not_split": {"one_group": 3, "printf": 0}}],
                 "other_cpu_driver": {"launches": 9, "kernels": [{"name": name, "reason": "takes an image", "launches": 3} for name in "abc"]}}
        runs = {BASELINE: Run({"a": "fail", "b": "pass", "c": "pass"}, ended(""), {}, 2.0, 1.0),
                "equal": Run({"a": "fail", "b": "fail", "c": "fail"}, ended("said", 1), stats, 3.0, 1.5)}
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            first = reports.Report(known.Known(rows))
            first._say = lambda text: None
            with open(log, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in first.add("suite", "test", runs))
            again = reports.Report(known.Known(rows))
            self.assertEqual(run.taken_over(again, log, {("suite", "other")}), set())
            self.assertEqual(run.taken_over(again, log, {("suite", "test"), ("suite", "other")}), {("suite", "test")})
        self.assertEqual(again.raw("x"), first.raw("x"))
        self.assertEqual(again.failed(), 1)
        self.assertEqual(again.known.stale(["suite"]), [])
        row = again.rows["suite", "equal"]
        self.assertEqual((row.launches, row.split, dict(row.whole), row.processor_seconds), (5, 2, {"one_group": 3}, 1.5))
        self.assertEqual(dict(row.elsewhere), {"takes an image": 3})

    def test_much_more_processor_time_is_said(self):
        said = []
        report = reports.Report(known.Known([]))
        report._say = said.append
        report.add("suite", "test", {BASELINE: Run({"a": "pass"}, ended(""), {}, 1.0, 4.0), "equal": Run({"a": "pass"}, ended(""), {}, 1.0, 13.0)})
        report.add("suite", "other", {BASELINE: Run({"a": "pass"}, ended(""), {}, 1.0, 4.0), "equal": Run({"a": "pass"}, ended(""), {}, 1.0, 11.0)})
        self.assertEqual(len(said), 1)
        self.assertIn("slow suite/test equal", said[0])

    def run_with(self, outcome):
        """-> the modes that a program was run in whose end on PoCL alone is `outcome`."""
        class Fake:
            ran = []

            def run(self, test, mode, limit=None):
                self.ran.append((mode, limit))
                return Run({"": outcome}, ended(""), {}, 1000.0, 500.0)
        report = reports.Report(known.Known([]))
        report._say = lambda text: None
        fake = Fake()
        run.run_suite(piglit.SUITE, [Test("one", ("x",), limit=900)], fake, argparse.Namespace(modes="equal,auto", jobs=1, log=None), report)
        return fake.ran

    def test_what_pocl_cannot_do_runs_once(self):
        self.assertEqual(self.run_with("fail"), [(BASELINE, None)])
        self.assertEqual(self.run_with("skip"), [(BASELINE, None)])

    def test_the_limit_follows_what_pocl_took(self):
        self.assertEqual(self.run_with("pass"), [(BASELINE, None), ("equal", 5000), ("auto", 5000)])


class Modes(unittest.TestCase):
    def test_the_cpu_mode_is_our_driver_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bin"))
            tool = os.path.join(folder, "bin", "skmd-run")
            with open(tool, "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\necho "$* driver=$SKMD_TEST_CPU_DRIVER"\n')
            os.chmod(tool, 0o755)
            runner = Runner(folder, folder, folder, far="127.0.0.1:10900")
            said = {mode: runner.run(Test("one", ("true",)), mode).finished.output for mode in ("auto", "cpu", "far")}
        self.assertIn("--devices cpu --partition auto", said["cpu"])
        self.assertIn("driver=1", said["cpu"])
        self.assertIn("--devices portable:", said["auto"])
        self.assertIn("driver=\n", said["auto"])
        self.assertTrue(said["far"].startswith("--hosts 127.0.0.1:10900 --devices 127.0.0.1:10900/* --partition auto"), said["far"])

    def test_a_program_for_gpus_sees_one_on_either_side(self):
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(folder, folder, folder)
            runner.program = lambda source: ("/layer.so", None)
            test = Test("one", ("true",), gpu=True)
            alone, ours, other = (runner.environment(mode, entry, folder) for mode, entry in ((BASELINE, test), ("equal", test), (BASELINE, Test("one", ("true",)))))
        self.assertEqual((alone.get("OPENCL_LAYERS"), alone.get("SKMD_DEVICE_TYPE")), ("/layer.so", None))
        self.assertEqual((ours.get("OPENCL_LAYERS"), ours.get("SKMD_DEVICE_TYPE")), (None, "gpu"))
        self.assertNotIn("OPENCL_LAYERS", other)


class Selections(unittest.TestCase):
    def test_of_generated_programs_one_of_each_family_runs(self):
        names = [f"program@execute@builtin@builtin-{kind}-{function}-1.0.generated" for function in ("max", "mad_hi", "clz") for kind in ("int", "uchar", "long")]
        names += [f"program@execute@store@store-{kind}{width}-{space}" for kind in ("int", "half") for width in ("", "2", "16") for space in ("local", "global")]
        names += [f"program@execute@vload@vload-{kind}-{space}" for kind in ("int", "half") for space in ("private", "local", "global")]
        chosen = piglit.selected(["api@clsetkernelarg", *names])
        self.assertIn("api@clsetkernelarg", chosen)
        self.assertEqual(len(chosen), 1 + 3 + 4 + 2)
        for text in ("-max-", "-mad_hi-", "-clz-", "builtin-int-", "builtin-uchar-", "builtin-long-", "2-", "16-", "-private", "-global"):
            self.assertTrue(any(text in name for name in chosen), text)

    def test_every_routine_of_clblast_is_named_once(self):
        names = [name for level in clblast.ROUTINES.values() for name in level.split()]
        self.assertEqual(len(names), len(set(names)))

    def test_each_size_is_transformed_in_both_precisions(self):
        names = [test.name for test in clfft.tests(False)]
        for shape in clfft.SHAPES:
            self.assertTrue({f"{shape} single", f"{shape} double"} <= set(names), shape)
        self.assertEqual(len(names), len(set(names)))


class KnownDifferences(unittest.TestCase):
    def setUp(self):
        with open(DOCUMENT, encoding="utf-8") as file:
            self.text = file.read()
        self.rows = known.parse(self.text).rows

    def test_every_row_of_the_table_is_read(self):
        table = [line for line in self.text.splitlines() if line.startswith("|")][2:]
        self.assertGreater(len(table), 0)
        self.assertEqual(len(table), len(self.rows), "a row that is not `| `name` | kind | reason |`")

    def test_rows_name_a_suite_that_is_run(self):
        for pattern, _, reason in self.rows:
            self.assertIn(pattern.split("/")[0], run.SUITES, pattern)
            self.assertGreater(len(reason), 10, pattern)

    def test_rows_are_there_once_and_in_order(self):
        patterns = [pattern for pattern, _, _ in self.rows]
        self.assertEqual(patterns, sorted(set(patterns)))


class Readers(unittest.TestCase):
    def test_clblast_gives_an_outcome_for_each_case(self):
        text = ("* Starting tests for the \x1b[1m'SAXPY'\x1b[0m routine. Legend:\n   \x1b[32m:\x1b[0m -> Test produced correct results\n"
                "* Testing \x1b[1m'regular behaviour'\x1b[0m for \x1b[1m'default'\x1b[0m:\n   \x1b[32m:\x1b[0m\x1b[31mX\x1b[0m\x1b[35mo\x1b[0m\n")
        self.assertEqual(clblast.read(ended(text)), {"exit": "pass", "SAXPY regular behaviour default 0": "pass",
                                                     "SAXPY regular behaviour default 1": "fail", "SAXPY regular behaviour default 2": "skip"})

    def test_opencv_gives_likeness_and_bytes_of_each_function(self):
        text = "exp: near\nexp bytes: 0123abcd\nlog: far 0.5\nlog bytes: 00000000\nopencl: not used\n"
        self.assertEqual(opencv.read(ended(text, 1)), {"exp": "pass", "log": "fail", "opencl": "fail", "exp bytes": "=0123abcd", "log bytes": "=00000000", "exit": "fail"})

    def test_boost_computes_examples_do_not_tell_by_the_devices_name(self):
        outcomes = [boost_compute.read_text(ended(f"device: {name}\nsum: 3\n")) for name in ("pthread", "SKMD")]
        self.assertEqual(outcomes[0], outcomes[1])
        self.assertNotEqual(outcomes[0], boost_compute.read_text(ended("device: SKMD\nsum: 4\n")))
        self.assertEqual(boost_compute.read_text(ended("sum: 3\n", -6)), {"": "fail"})

    def test_gegls_picture_has_to_be_like_its_own_without_opencl(self):
        def outcome(here, there):
            with tempfile.TemporaryDirectory() as folder:
                for name, most, data in (("with", 255, bytes(here)), ("without", 65535, bytes(byte for value in there for byte in (value, value)))):
                    with open(os.path.join(folder, f"{name}.ppm"), "wb") as file:
                        file.write(f"P6\n# made\n2 1\n{most}\n".encode() + data)
                return gegl.read(Finished(0, "", folder))
        self.assertEqual(outcome([0, 9, 200, 0, 9, 200], [0, 9, 200, 0, 9, 199]), {"runs": "pass", "twin": "pass"})
        self.assertEqual(outcome([0, 9, 200, 0, 9, 200], [90, 9, 200, 0, 9, 200])["twin"], "fail")
        self.assertEqual(gegl.read(ended("", 1)), {"runs": "fail", "twin": "fail"})

    def read_files(self, read, output, status=0, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in files.items():
                with open(os.path.join(folder, name.replace("_", ".")), "wb") as file:
                    file.write(data)
            return read(Finished(status, output, folder))

    def test_x264_passes_when_every_frame_went_through_opencl(self):
        text = "x264 [info]: OpenCL acceleration enabled with SKMD\nx264 [info]: PSNR Mean Y:40.000 U:50.000 V:50.000 Avg:{} Global:41 kb/s:700\n\nencoded {} frames, 1 fps\n"
        good = self.read_files(x264.reader(True), text.format("41.5", 12), film_264=b"film")
        self.assertEqual(good, {"runs": "pass", "opencl": "pass", "like the input": "pass", "bytes": "=" + hashlib.md5(b"film").hexdigest()})
        self.assertEqual(x264.reader(False)(ended(text.format("12.5", 12)))["like the input"], "fail")
        self.assertEqual(set(self.read_files(x264.reader(True), text.format("41.5", 1), film_264=b"film").values()), {"fail"})
        without = x264.reader(False)(ended(text.format("41.5", 12).replace("enabled", "disabled")))
        self.assertEqual((without["runs"], without["opencl"]), ("pass", "fail"))

    def test_keys_have_to_be_those_of_the_other_program(self):
        self.assertEqual(self.read_files(hcxkeys.read, "", **{"with": b"1:a\n", "without": b"1:a\n"}), {"runs": "pass", "keys": "pass"})
        self.assertEqual(self.read_files(hcxkeys.read, "", **{"with": b"2:a\n", "without": b"1:a\n"})["keys"], "fail")
        self.assertEqual(self.read_files(hcxkeys.read, "", **{"with": b"", "without": b""})["keys"], "fail")
        self.assertEqual(hcxkeys.read(ended("", 1)), {"runs": "fail", "keys": "fail"})

    def test_a_transform_and_back_has_to_give_the_picture(self):
        pixels = array.array("f", [0.25] * ufo.PIXELS)
        back = array.array("f", [0.25 / ufo.FOLDED] * ufo.PIXELS)
        good = self.read_files(ufo.read_picture, "Finished", in_tif=b"head" + pixels.tobytes(), out_raw=back.tobytes())
        self.assertEqual((good["runs"], good["the picture itself"]), ("pass", "pass"))
        back[7] = 0.0
        self.assertEqual(self.read_files(ufo.read_picture, "", in_tif=pixels.tobytes(), out_raw=back.tobytes())["the picture itself"], "fail")
        self.assertEqual(ufo.read(ended("")), {"runs": "fail", "bytes": "fail"})

    def test_darktables_steps_have_to_run_in_opencl_where_it_takes_the_device(self):
        def outcomes(text, here=200):
            pictures = {f"{name}_ppm": b"P6\n1 1\n255\n" + bytes((9, 9, value)) for name, value in (("with", here), ("without", 200))}
            return self.read_files(darktable.read, text + "\nWITHOUT OPENCL\n", **pictures)
        done = "\n".join(f"[export] processed `{step}' on GPU, blended on GPU" for step in darktable.STEPS)
        self.assertEqual(set(outcomes(done).values()), {"pass"})
        self.assertEqual(outcomes(done.replace("exposure' on GPU", "exposure' on CPU"))["exposure"], "fail")
        self.assertEqual(outcomes("")["demosaic"], "fail")
        self.assertEqual(outcomes(darktable.REFUSED)["demosaic"], "pass")
        self.assertEqual(outcomes(done, 90)["like its own"], "fail")

    def test_clfft_passes_by_its_own_word_and_its_status(self):
        self.assertEqual(clfft.read(ended("Internal Client Test *****PASS*****"))["result"], "pass")
        self.assertEqual(clfft.read(ended("Internal Client Test *****PASS*****", -11))["result"], "fail")
        self.assertEqual(clfft.read(ended("Internal Client Test *****FAIL*****"))["result"], "fail")

    def test_clinfo_gives_an_outcome_for_each_property(self):
        outcomes = clinfo.read(ended("[SKMD/0]    CL_DEVICE_NAME      x\n[SKMD/0]    CL_DEVICE_TYPE     <clGetDeviceInfo: -30>\n"))
        self.assertEqual(outcomes, {"exit": "pass", "CL_DEVICE_NAME": "pass", "CL_DEVICE_TYPE": "fail"})

    def test_clpeak_gives_an_outcome_for_each_figure(self):
        outcomes = clpeak.read(ended("    Integer compute (GIOPS)\n      int   : 1.23\n      int2  : 0.00\n    Kernel launch latency : 20.32 us\n"))
        self.assertEqual(outcomes, {"exit": "pass", "Integer compute (GIOPS): int": "pass", "Integer compute (GIOPS): int2": "fail",
                                    "Kernel launch latency": "pass"})

    def test_hashcat_passes_when_the_password_is_found(self):
        read = hashcat.reader("hello")
        self.assertEqual(read(ended("5d41:hello\n")), {"self-test": "pass", "attack": "pass"})
        self.assertEqual(read(ended("", 1)), {"self-test": "pass", "attack": "fail"})
        self.assertEqual(read(ended("* Device #1: ATTENTION! OpenCL kernel self-test failed.", 1))["self-test"], "fail")

    def test_piglit_crashes_are_seen(self):
        self.assertEqual(piglit.read(ended('PIGLIT: {"subtest": {"one" : "pass"}}\nPIGLIT: {"result": "pass" }\n')), {"one": "pass", "": "pass"})
        self.assertEqual(piglit.read(ended('PIGLIT: {"subtest": {"one" : "pass"}}\n', -6)), {"one": "pass", "": "crash"})

    def test_names_of_pytests_tests_do_not_hold_the_device(self):
        def outcomes(device, platform):
            names = (f"test_a[&lt;context factory for &lt;pyopencl.Device '{device}' on '{platform}'&gt;&gt;-True]", f"test_a[&lt;context factory for &lt;pyopencl.Device '{device}' on '{platform}'&gt;&gt;-False]",
                     f"test_b[&lt;pyopencl.Platform '{platform}'&gt;]")
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "junit.xml"), "w", encoding="utf-8") as file:
                    file.write("<testsuites><testsuite>" + "".join(f'<testcase name="{name}"/>' for name in names) + "</testsuite></testsuites>")
                return pyopencl_tests.read_junit(Finished(0, "", folder))
        self.assertEqual(outcomes("pthread-EPYC", "Portable"), outcomes("SKMD", "SKMD"))
        self.assertEqual(len(outcomes("SKMD", "SKMD")), 4)

    def test_pyopencl_programs_say_each_result(self):
        self.assertEqual(pyopencl_tests.read_lines(ended("sum: ok\nscan: wrong\n", 1)), {"sum": "pass", "scan": "fail", "exit": "fail"})


class Programs(unittest.TestCase):
    def runner(self, folder):
        return Runner("/nowhere", folder, folder)

    def test_a_program_that_does_nothing_is_ended_and_passes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            result = Runner("/nowhere", folder, folder, idle=1).run(Test("sleeps", ("/bin/sh", "-c", "sleep 1000 & sleep 1000")), BASELINE)
            self.assertIsNone(result.finished.status)
            self.assertEqual(result.outcomes, {"": "fail"})

    def test_a_program_that_does_not_end_is_ended_by_its_processor_time(self):
        busy = "/bin/sh -c 'while :; do :; done'"
        with tempfile.TemporaryDirectory() as folder:
            result = self.runner(folder).run(Test("spins", ("/bin/sh", "-c", f"{busy}; true"), limit=1), BASELINE)
            self.assertIsNone(result.finished.status)
            self.assertEqual(result.outcomes, {"": "fail"})

    def test_a_program_that_comes_as_source_is_made_once(self):
        with tempfile.TemporaryDirectory() as folder:
            runner = self.runner(folder)
            count = os.path.join(folder, "count")
            made = Test("made", ("{program}",), source=("/bin/sh", "-c", f"echo made >> {count}; cp /bin/true {{program}}"))
            outcomes = [runner.run(made, BASELINE).outcomes for _ in range(2)]
            with open(count, encoding="utf-8") as file:
                self.assertEqual(file.read(), "made\n")
            self.assertEqual(outcomes, [{"": "pass"}] * 2)
            self.assertEqual(runner.run(Test("broken", ("{program}",), source=("/bin/false",)), BASELINE).outcomes, {"": "fail"})

    def test_a_program_has_a_folder_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.runner(folder).run(Test("writes", ("/bin/sh", "-c", "test $HOME = $PWD && test {folder} = $PWD"), env=(("HOME", "{folder}"),)),
                                             BASELINE)
            self.assertEqual(result.outcomes, {"": "pass"})


if __name__ == "__main__":
    unittest.main()
