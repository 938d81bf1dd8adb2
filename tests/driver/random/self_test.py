#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the random test that judge: cases as text, the reducer, the judge, the demands on a run."""
import contextlib
import io
import os
import select
import sys
import tempfile
import unittest
import unittest.mock

import random_test
from casefile import parse
from cases import make_case
from reduce import Reducer
from runner import ALONE, ALONE_SECONDS, CRASH, PROFILED_MODES, SLICED, Answer, Judge, Runner, Verdict
from tally import ATOMICS, FEATURES, RUNGS, Tally
from units import parts

SOURCE = """typedef struct { uint a; } Record;
__kernel void idle(__global uint *out1) {
out1[0] = 1;
}
__kernel void wrong(__global const uint *in1, __global uint *out2, uint arg3) {
uint v1 = in1[0];
if (get_local_id(0) == 0) {
out2[get_global_id(0)] = 7;
}
out2[(get_global_id(0) + 5)] = v1;
}
"""
CASE = f"""source {len(SOURCE)}
{SOURCE}
queues out_of_order
buffer 64 plain bits 1 ff 4
buffer 64 plain bits 2 ff 4
buffer 64 plain bits 3 ff 4
write 1 0 0 0 64 bits 4 ff 4
launch 2 1 0 idle 1 0 0 0 8 1 1 4 1 1 1
buffer 1
launch 1 1 1 wrong 1 4 0 0 48 1 1 4 1 1 3
buffer 0
buffer 2
value 4 1 0 0 0
read 0 1 2 2 0 64
"""


class Scripted:
    """Stands for the runner: answers as it was told to."""

    def __init__(self, folder="", plain=None, unoptimised=None, skmd=(), oclgrind="", is_wrong=None, exact=False, alone="", pocl=None):
        self.folder, self.is_wrong, self.exact, self.alone, self.pocl_output = folder, is_wrong, exact, alone, pocl
        self.plain_output, self.unoptimised, self.skmd_outputs, self.oclgrind_output = plain, unoptimised, list(skmd), oclgrind
        self.asked = []

    def plain(self, path, exact=None):
        usual = not (self.exact if exact is None else exact)
        return Answer(self.plain_output if usual else self.unoptimised or self.plain_output, "exit 0", None)

    def skmd(self, path, name, seed, exact=None):
        self.asked.append(exact)
        if self.is_wrong is None:
            output = self.skmd_outputs.pop(0)
        else:
            with open(path, encoding="utf-8") as file:
                wrong = self.is_wrong(file.read())
            output = None if wrong == "dies" else "wrong" if wrong else self.plain_output
        return Answer(output, "exit 0", None)

    def pocl(self, path, exact):
        return Answer(self.unoptimised if exact else self.pocl_output, "exit 0", None)

    def oclgrind(self, path, *options):
        return Answer(self.oclgrind_output or self.plain_output, "exit 0", None)

    def illegal(self, path):
        return ""


class Cases(unittest.TestCase):
    def test_a_seed_gives_the_same_case_each_time(self):
        self.assertEqual(make_case(5).case.text(), make_case(5).case.text())
        self.assertNotEqual(make_case(5).case.text(), make_case(6).case.text())

    def test_text_is_read_as_it_was_written(self):
        for seed in range(30):
            text = make_case(seed).case.text()
            self.assertEqual(parse(text).text(), text)

    def test_commands_wait_for_what_came_before_only(self):
        for seed in range(30):
            for number, command in enumerate(make_case(seed).case.commands):
                self.assertTrue(all(wait < number for wait in command.waits))


class Sources(unittest.TestCase):
    def test_come_apart_into_headers_and_units(self):
        self.assertEqual(parts("kernel\n// a comment\n"), ({}, [("", "kernel\n// a comment\n")]))
        self.assertEqual(parts("// program -DA=1 -w\ntext\n"), ({}, [("-DA=1 -w", "text\n")]))
        self.assertEqual(parts("// header h.h\nin it\n// program \n#include \"h.h\"\n"),
                         ({"h.h": "in it\n"}, [("", "#include \"h.h\"\n")]))
        self.assertEqual(parts("// header h.h\nin it\n// unit -DB\none\n// unit \ntwo\n"),
                         ({"h.h": "in it\n"}, [("-DB", "one\n"), ("", "two\n")]))

    def test_of_cases_keep_every_line(self):
        for seed in range(40):
            source = make_case(seed).case.source
            headers, units = parts(source)
            lines = sum(text.count("\n") for text in headers.values()) + sum(text.count("\n") for _, text in units)
            marks = sum(line.startswith(("// header ", "// program ", "// unit ")) for line in source.splitlines())
            self.assertEqual(lines + marks, source.count("\n"), seed)


class Reducing(unittest.TestCase):
    def test_keeps_what_the_failure_needs_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            runner = Scripted(folder, plain="right", is_wrong=lambda text: "= 7;" in text and "launch" in text)
            small = Reducer(runner, "two", 1).reduce(parse(CASE))
        self.assertIn("= 7;", small.source)
        self.assertNotIn("idle", small.source)
        self.assertNotIn("v1", small.source)
        self.assertNotIn("if", small.source)
        self.assertEqual([c.kind for c in small.commands], ["launch"])
        self.assertEqual(small.commands[0].waits, [])
        self.assertEqual([w for w in small.commands[0].facts[2:]], [0, 0, 0, 1, 1, 1, 1, 1, 1])
        self.assertEqual(len(small.commands[0].arguments), 1)
        self.assertEqual(len(small.buffers), 1)

    def test_keeps_to_the_failure_that_it_began_with(self):
        def is_wrong(text):
            return "dies" if "buffer 64" in text and "= 7;" in text else "= v1" in text
        with tempfile.TemporaryDirectory() as folder:
            small = Reducer(Scripted(folder, plain="right", is_wrong=is_wrong), "two", 1).reduce(parse(CASE))
        self.assertIn("= 7;", small.source)
        self.assertNotIn("v1", small.source)

    def test_leaves_no_buffer_undefined(self):
        with tempfile.TemporaryDirectory() as folder:
            case = parse(CASE.replace("buffer 64 plain bits 3 ff 4", "buffer 64 plain none 0 0 1"))
            small = Reducer(Scripted(folder, plain="right", is_wrong=lambda text: "= v1" in text), "two", 1).reduce(case)
        self.assertNotIn("none", small.text())

    def test_leaves_a_case_alone_that_does_not_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            case = parse(CASE)
            self.assertEqual(Reducer(Scripted(folder, plain="right", is_wrong=lambda text: False), "two", 1).reduce(case).text(), case.text())


class Judging(unittest.TestCase):
    def judge(self, **told):
        judge = Judge(Scripted(**told), "1.case", 1)
        self.assertTrue(judge.start())
        judge.try_mode("two")
        return judge.verdict

    def blames_skmd(self, **told):
        verdict = self.judge(**told)
        self.assertEqual((len(verdict.failures), verdict.pocl), (1, []))

    def blames_pocl(self, kind, **told):
        verdict = self.judge(**told)
        self.assertEqual((verdict.failures, [k for k, *_ in verdict.pocl]), ([], [kind]))

    def test_a_difference_that_stays_without_the_optimiser_counts(self):
        self.blames_skmd(plain="right", skmd=["wrong", "wrong"])

    def test_what_pocl_without_its_optimiser_says_too_is_right(self):
        self.blames_pocl(ALONE, plain="wrong", unoptimised="right", skmd=["right"] * 4, oclgrind="right")

    def test_pocl_is_not_blamed_for_another_answer_of_ours(self):
        self.blames_skmd(plain="wrong", unoptimised="right", skmd=["other", "other", "other", "other"], oclgrind="right")

    def test_without_its_optimiser_pocl_is_not_to_blame_alone(self):
        self.blames_skmd(plain="wrong", skmd=["right", "right"], oclgrind="right", exact=True)
        self.blames_skmd(plain="right", unoptimised="wrong", skmd=["right", "right"], oclgrind="wrong", exact=True)
        self.blames_skmd(plain="right", unoptimised="wrong", skmd=["other", "other"], oclgrind="right", exact=True)
        self.blames_skmd(plain="b\nother", unoptimised="a\nwrong", skmd=["a\nright"] * 2, oclgrind="a\nright", exact=True)

    def test_without_its_optimiser_pocl_is_wrong_where_all_others_agree(self):
        self.blames_pocl(ALONE, plain="right", unoptimised="wrong", skmd=["right", "right"], oclgrind="right", exact=True)
        self.blames_pocl(SLICED, plain="right", unoptimised="wrong", skmd=["half", "right"], oclgrind="right", exact=True)
        self.blames_pocl(ALONE, plain="b\nright", unoptimised="a\nwrong", skmd=["a\nright", "b\nright"], oclgrind="a\nright", exact=True)

    def test_what_oclgrind_says_counts_where_there_is_a_difference(self):
        self.blames_pocl(ALONE, plain="a\nright", unoptimised="a\nwrong", skmd=["a\nright"] * 2, oclgrind="b\nright", exact=True)
        self.blames_skmd(plain="a\nright", unoptimised="a\nwrong", skmd=["a\nright"] * 2, oclgrind="a\nwrong", exact=True)
        self.blames_skmd(plain="a\nright", unoptimised="a\nwrong", skmd=["a\nright"] * 2, oclgrind="a\nright\nmore", exact=True)
        self.blames_pocl(SLICED, plain="a\nright", skmd=["a\nwrong", "a\nright", "a\nwrong", "a\nwrong"], oclgrind="b\nright")
        self.blames_skmd(plain="a\nright", skmd=["a\nwrong", "a\nright", "a\nwrong", "a\nwrong"], oclgrind="b\nother")

    def test_another_driver_is_right_and_answers_are_kept(self):
        self.blames_skmd(plain="wrong", skmd=["right"], oclgrind="right", alone="vendor.icd")
        verdict = self.judge(plain="wrong", skmd=["right"], alone="vendor.icd")
        self.assertEqual((verdict.expected, verdict.found), ("wrong", {"two": "right"}))

    def test_another_driver_is_wrong_where_pocl_says_what_we_do_in_both_ways(self):
        self.blames_pocl(ALONE, plain="wrong", skmd=["right"], alone="vendor.icd", pocl="right", unoptimised="right")
        self.blames_skmd(plain="right", skmd=["wrong"], alone="vendor.icd", pocl="right", unoptimised="right")
        self.blames_skmd(plain="right", skmd=["wrong"], alone="vendor.icd", pocl="wrong", unoptimised="right")
        self.blames_skmd(plain="right", skmd=["wrong"], alone="vendor.icd", pocl="right", unoptimised="wrong")

    def test_a_difference_that_comes_with_the_optimiser_each_time_is_pocls(self):
        self.blames_pocl(SLICED, plain="right", skmd=["wrong", "right", "wrong", "wrong"])

    def test_a_difference_that_comes_and_goes_counts(self):
        self.blames_skmd(plain="right", skmd=["wrong", "right", "wrong", "right"])

    def test_a_difference_counts_where_oclgrind_is_silent_or_says_otherwise(self):
        self.blames_skmd(plain="right", skmd=["wrong", "right", "wrong", "wrong"], oclgrind="other")

    def test_no_answer_counts(self):
        self.blames_skmd(plain="right", skmd=[None])

    def test_pocl_that_crashes_is_tried_without_its_optimiser(self):
        self.blames_pocl(CRASH, unoptimised="right", skmd=["right"])
        verdict = self.judge(unoptimised="right", skmd=["wrong", "wrong"])
        self.assertEqual(len(verdict.failures), 1)

    def test_a_case_that_cannot_run_counts(self):
        judge = Judge(Scripted(unoptimised=None), "1.case", 1)
        self.assertFalse(judge.start())
        self.assertEqual(len(judge.verdict.failures), 1)


class Running(unittest.TestCase):
    def test_a_program_that_hangs_ends_with_what_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = f"{folder}/pipe"
            os.mkfifo(pipe)
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            runner = Runner("build", folder, exact=True)
            runner.seconds = 1
            answer = runner.execute(["/bin/sh", "-c", f"echo case; sleep 60 > {pipe} 2>&1 & wait"], dict(os.environ))
            self.assertIsNone(answer.output)
            self.assertIn("hung", answer.trouble)
            # End of file tells that no process has the pipe open for writing any more.
            self.assertTrue(select.select([reader], [], [], 20)[0])
            self.assertEqual(os.read(reader, 1), b"")
            os.close(reader)

    def test_the_driver_alone_is_given_less_time(self):
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner("build", folder, exact=True)
            given = []
            runner.execute = lambda program, environment, seconds=None: given.append(seconds)
            runner.plain("case")
            runner.oclgrind("case")
            self.assertEqual(given, [ALONE_SECONDS, None])
            self.assertLess(ALONE_SECONDS, runner.seconds)
            runner.seconds = 1
            runner.plain("case")
            self.assertEqual(given[-1], 1)


class Demands(unittest.TestCase):
    def enough(self):
        tally = Tally()
        names = [f"k{i}" for i in range(300)]
        tally.features = {name: set(FEATURES) - {"atomic_used"} for name in names}
        tally.features["k0"] = set(FEATURES)
        for name in names[:20]:
            tally.features[name] = {*FEATURES, *ATOMICS}
        tally.split = set(names)
        tally.rungs = {rung: set(names) for rung in RUNGS}
        tally.cases, tally.chains, tally.verified = 100, 1, 1
        return tally

    def test_a_run_of_everything_is_enough(self):
        self.assertEqual(self.enough().too_little(), [])

    def test_a_rare_feature_is_too_little(self):
        tally = self.enough()
        for number in range(290):
            tally.features[f"k{number}"].discard("loop")
        self.assertEqual(len(tally.too_little()), 1)

    def test_an_atomic_that_few_programs_have_is_too_little_in_a_long_run(self):
        tally = self.enough()
        for has in tally.features.values():
            has -= {"atomic_dec"}
        self.assertEqual(tally.too_little(), [])
        for number in range(800):
            tally.features[f"more{number}"] = set(FEATURES)
            tally.split.add(f"more{number}")
        for kernels in tally.rungs.values():
            kernels.update(tally.split)
        self.assertIn("only 0 of 1100 programs have atomic_dec", tally.too_little())

    def test_whole_launches_are_too_little(self):
        tally = self.enough()
        tally.split = {f"k{i}" for i in range(200)}
        self.assertEqual(len(tally.too_little()), 1)

    def test_a_rung_that_no_kernel_reached_is_too_little(self):
        for rung in RUNGS:
            tally = self.enough()
            del tally.rungs[rung]
            self.assertEqual(len(tally.too_little()), 1)

    def test_many_excuses_are_too_many(self):
        tally = self.enough()
        tally.pocl[SLICED] = 3
        self.assertEqual(tally.too_little(), [])
        tally.pocl[SLICED] = 4
        self.assertEqual(len(tally.too_little()), 1)

    def test_a_run_without_chains_is_too_little(self):
        tally = self.enough()
        tally.chains = 0
        self.assertEqual(len(tally.too_little()), 1)


class DemandsOnProfiling(unittest.TestCase):
    """A run in profiling mode proves something only where kernels were timed."""

    def tally(self, samples=(5, 4), timed=100, programs=100):
        tally = Tally()
        tally.cases, tally.features = 10, {f"k{i}": set() for i in range(programs)}
        verdict = Verdict(reports={"profiled": {"kernels": [{"name": f"k{i}", "samples": list(samples), "left_out": {}} for i in range(timed)]}})
        for report in verdict.reports.values():
            tally.add_report(report)
        return tally

    def test_of_which_all_kernels_were_timed_is_enough(self):
        tally = self.tally()
        self.assertEqual(tally.too_little_profiled(), [])
        self.assertEqual((tally.record()["profiled_programs"], tally.record()["samples"]), (100, 900))
        self.assertNotIn("samples", Tally().record())

    def test_kernels_that_were_not_timed_on_a_device_are_missed(self):
        self.assertEqual(self.tally(samples=(9, 9), timed=79).too_little_profiled(), ["only 79 of 100 programs were profiled on every device"])
        self.assertEqual(self.tally(samples=(9, 0)).too_little_profiled(), ["only 0 of 100 programs were profiled on every device"])
        self.assertEqual(len(Tally().too_little_profiled()), 0)

    def test_few_samples_are_too_few(self):
        self.assertEqual(self.tally(samples=(4, 3)).too_little_profiled(), ["profiling mode took only 700 times of 100 programs"])

    def test_a_run_without_reports_fails(self):
        tally = self.tally()
        tally.samples.clear()
        tally.profiled.clear()
        tally.add_report(None)
        self.assertEqual(len(tally.too_little_profiled()), 2)

    def test_excuses_count_as_in_other_runs(self):
        tally = self.tally()
        tally.pocl[SLICED] = 2
        self.assertEqual(len(tally.too_little_profiled()), 1)

    def test_reports_of_a_case_are_added_up(self):
        tally, made = Tally(), make_case(5)
        names = [kernel.name for kernel in made.kernels]
        report = {"kernels": [{"name": name, "samples": [2, 3], "left_out": {"like one before": 1}} for name in names]}
        tally.add(made, Verdict(reports={"profiled": report, "profiled_in_place": report}))
        self.assertEqual(sum(tally.samples.values()), 10 * len(names))
        self.assertEqual(tally.left_out, {"like one before": 2 * len(names)})


class Options(unittest.TestCase):
    def given(self, *words):
        with unittest.mock.patch.object(sys, "argv", ["random_test.py", "build", *words]), contextlib.redirect_stderr(io.StringIO()) as said:
            try:
                return random_test.arguments(), ""
            except SystemExit:
                return None, said.getvalue()

    def modes_of_cases(self, *words):
        run = random_test.Run(self.given(*words)[0], "")
        return [run.modes(seed) for seed in range(3)]

    def test_cases_run_in_the_modes_that_are_asked_for(self):
        self.assertEqual(self.modes_of_cases("--modes", "equal,auto"), [["equal", "auto"]] * 3)
        self.assertEqual(self.modes_of_cases("--gpus", "a:0,a:1", "--modes", "gpus"), [["gpus"]] * 3)
        self.assertEqual(self.modes_of_cases(), [None] * 3)

    def test_every_case_is_profiled_in_turns_or_in_all_ways(self):
        self.assertEqual(self.modes_of_cases("--profile"), [[name] for name in PROFILED_MODES])
        self.assertEqual(self.modes_of_cases("--profile", "--thorough"), [list(PROFILED_MODES)] * 3)

    def test_profiling_does_not_go_with_other_runs(self):
        for words in (("--cpu",), ("--svm",), ("--gpus", "a:0")):
            options, said = self.given("--profile", *words)
            self.assertIsNone(options)
            self.assertIn(f"does not go with {words[0]}", said)

    def test_a_run_that_profiled_nothing_is_complained_of(self):
        run = random_test.Run(self.given("--profile")[0], "")
        run.tally.features = {"k": set()}
        self.assertEqual(len(run.complaints()), 2)

    def test_a_mode_that_is_not_there_is_named(self):
        options, said = self.given("--gpus", "a:0", "--modes", "gpu_and_cpu,gpus")
        self.assertIsNone(options)
        self.assertIn("gpus is none of two, replay", said)


if __name__ == "__main__":
    unittest.main()
