#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs test suites of other projects, unmodified, on PoCL alone, on a virtual device made of PoCL's two (equal, auto), and
on SKMD's own CPU driver (cpu). With --modes far the latter is in a server that skmd-serve runs here, one device of another host. What passes there has to pass here. Ends with 1 if something does not, or if docs/known-differences.md is out of date.

usage: run.py [--quick] [--build DIR] [--jobs N] [--only TEXT] [--modes LIST] [--log FILE] [--report FILE] [--caches DIR] [suite...]
       run.py --packages [--quick] [suite...]    which packages each suite needs, one line per suite
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "remote")]

import boost_compute, clblast, clfft, clinfo, clpeak, darktable, ffmpeg, gegl, hashcat, hcxkeys, libreoffice, opencv, openmm, piglit, pyopencl_tests, silx, starpu, ufo, viennacl, x264  # noqa: E401,E402
import known  # noqa: E402
from harness import BASELINE, FAR, MODES, Runner, end_all, passes  # noqa: E402
from hosts import Hosts  # noqa: E402
from report import Report  # noqa: E402

LIMIT_FACTOR = 10  # times what PoCL alone took

SUITES = {module.SUITE.name: module.SUITE for module in (clinfo, clpeak, clblast, clfft, pyopencl_tests, piglit, hashcat, ffmpeg, opencv,
                                                     boost_compute, viennacl, gegl, openmm, starpu, x264, darktable, libreoffice, silx, ufo, hcxkeys)}


def packages(suite, quick):
    return suite.packages + (() if quick else suite.more_packages)


def absent(names):
    return [name for name in names
            if not subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}", name], capture_output=True, text=True).stdout.startswith("ii")]


def run_suite(suite, tests, runner, options, report):
    def all_modes(test):
        runs = {BASELINE: runner.run(test, BASELINE)}
        # What PoCL alone cannot do says nothing about SKMD.
        if any(passes(outcome) for outcome in runs[BASELINE].outcomes.values()):
            limit = max(test.limit, LIMIT_FACTOR * runs[BASELINE].processor_seconds)
            runs |= {mode: runner.run(test, mode, limit) for mode in options.modes.split(",") if mode}
        return runs

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, runs in zip(tests, pool.map(all_modes, tests)):
            lines = report.add(suite.name, test.name, runs)
            if options.log:
                with open(options.log, "a", encoding="utf-8") as file:
                    file.writelines(json.dumps(line) + "\n" for line in lines)


def taken_over(report, log, wanted):
    """Those of the programs `wanted`, as (suite, test), that an earlier run with the same log has been through."""
    done = set()
    if log and os.path.exists(log):
        with open(log, encoding="utf-8") as file:
            for line in map(json.loads, file):
                if (line["suite"], line["test"]) in wanted:
                    report.take(line)
                    done.add((line["suite"], line["test"]))
    return done


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="tests whose name holds this text")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--caches", help="folder of compiled programs, kept; default: none is kept")
    parser.add_argument("--report", help="JSON file: the table, and what failed with the program's output")
    parser.add_argument("--log", help="file: a line of JSON for each program and mode, as they end; what it holds already is not run again")
    parser.add_argument("suites", nargs="*")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    unknown = set(options.suites) - set(SUITES)
    if unknown:
        parser.error(f"no such suite: {' '.join(sorted(unknown))}; there are {' '.join(SUITES)}")
    return options


@contextlib.contextmanager
def far_server(options):
    """The address of a server with our CPU driver as its device; "" where no mode asks for one."""
    if FAR not in options.modes.split(","):
        yield ""
        return
    with Hosts(options.build, [], [], "127.0.0.1").serve("--devices", "cpu") as server:
        yield server.address


def finish(report, options):
    report.table()
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(report.raw(" ".join(["scripts/suites.sh", *sys.argv[1:]])), file, indent=1)
            file.write("\n")


def main():
    options = arguments()
    chosen = [SUITES[name] for name in options.suites] or [suite for suite in SUITES.values() if suite.quick or not options.quick]
    if options.packages:
        for suite in chosen:
            print(suite.name, *packages(suite, options.quick))
        return 0
    report = Report(known.read(os.path.join(ROOT, "docs", "known-differences.md")))

    def end_early(*_):
        finish(report, options)
        end_all()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_early)
    tests = {}
    for suite in chosen:
        if missing := absent(packages(suite, options.quick)):
            report.not_run.append((suite.name, f"no package {' '.join(missing)}"))
        else:
            tests[suite] = [test for test in suite.tests(options.quick) if options.only in test.name]
            report.planned[suite.name] = len(tests[suite])
    done = taken_over(report, options.log, {(suite.name, test.name) for suite in tests for test in tests[suite]})
    with tempfile.TemporaryDirectory(prefix="skmd-suites-") as scratch, far_server(options) as far:
        runner = Runner(options.build, scratch, options.caches or scratch, far=far)
        for suite, programs in tests.items():
            left = [test for test in programs if (suite.name, test.name) not in done]
            print(f"== {suite.name}: {len(left)} programs", flush=True)
            run_suite(suite, left, runner, options, report)
    report.end([] if options.quick or options.only else report.known.stale([suite.name for suite in chosen], options.modes.split(",")))
    finish(report, options)
    return 1 if report.failed() or not report.rows else 0


if __name__ == "__main__":
    sys.exit(main())
