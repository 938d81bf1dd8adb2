#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How far a constant of the domain may be moved before a simulation changes: sensitivity.py [--work FOLDER] NAME…

NAME is a number of a *_constants.h that tests of the domain see: kNewestRate. A copy of the domain and its tests is built in which such numbers are read from the
environment; then the simulations (auto_simulation_test.cpp, application_simulation_test.cpp, exact_plan_test.cpp of tests/partitioner) run with half and a quarter of the value, twice
and four times as much, and where the first of these fails with 0.8 and 1.25 times as much. Prints the first and the last value with which they pass. Numbers that stand in types, or are worked
out from others, cannot be moved so. Half a minute of processor time for each, and some minutes for the build."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
COPIED = ("partitioner", "tests/partitioner", "tests/seed.h", "tests/intercept/launch/allocation_counter.h", "intercept/memory/rounds.h", "intercept/memory/memory_constants.h",
          "intercept/launch/decision_constants.h")
SIMULATIONS = "AutoSimulation.*:*Applications*:ExactPlan.*"
SCALAR = re.compile(r"inline constexpr ((?:std::)?(?:double|int|unsigned|u?int\d+_t|size_t)) (k\w+) = ([^;]*);")
# The sizes of arrays.
FIXED = {"kKeptRounds", "kLaunchesToChange", "kJumpSide"}
TUNED = """#pragma once
#include <cstdlib>
template <class T>
T skmd_tuned(const char* name, T value) {
  const char* text = std::getenv(name);
  return text == nullptr ? value : static_cast<T>(std::strtod(text, nullptr));
}
"""
MAKEFILE = """SRC := $(wildcard partitioner/*/*.cpp) $(filter-out %without_memory_test.cpp,$(wildcard tests/partitioner/*.cpp) $(wildcard tests/partitioner/model/*.cpp))
simulations: $(SRC:%.cpp=obj/%.o)
\tg++ -o $@ $^ -lgtest -lgtest_main -lpthread
obj/%.o: %.cpp
\t@mkdir -p $(dir $@)
\tg++ -std=c++20 -O2 -w -I. -I/usr/include/eigen3 -DH100_CURVES='"$(CURDIR)/tests/partitioner/model/h100_curves.json"' -c $< -o $@
"""


def headers(folder):
    for at, _, names in os.walk(folder):
        yield from (os.path.join(at, name) for name in names if name.endswith("_constants.h"))


def replace(path, change):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(change(text))


def copy(folder):
    """The values that may be moved, by name."""
    values = {}

    def tuned(match):
        kind, name, value = match.groups()
        if name in FIXED:
            return match.group()
        if not re.search(r"\bk[A-Z]", value):  # not worked out from others
            values[name] = (value, "double" not in kind)
        return f'inline const {kind} {name} = skmd_tuned<{kind}>("{name}", {value});'

    for path in COPIED:
        source, target = os.path.join(ROOT, path), os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)
    for path in headers(folder):
        replace(path, lambda text: SCALAR.sub(tuned, text).replace("#pragma once\n", '#pragma once\n#include "tuned.h"\n', 1))
    # What is worked out from them.
    replace(os.path.join(folder, "partitioner/model/correction.cpp"), lambda text: text.replace("constexpr double kNarrows", "const double kNarrows"))
    for name, text in (("tuned.h", TUNED), ("Makefile", MAKEFILE)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return values


def passes(folder, name, value):
    run = subprocess.run(["./simulations", f"--gtest_filter={SIMULATIONS}"], cwd=folder, env={**os.environ, name: repr(value)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return run.returncode == 0


def number_of(text):
    return float(eval(re.sub(r"std::\w+\{(\d+)\}", r"\1", text.replace("u ", " ")), {}))  # noqa: S307: of our own headers


def moved(folder, name, value, whole):
    """The first and the last value that pass. `whole`: of an integer type."""

    def at(factor):
        return value * factor if not whole else max(1, round(value * factor), round(value) + 1 if factor > 1 else 0)

    ends = []
    for factors, nearer in (((0.5, 0.25), 0.8), ((2.0, 4.0), 1.25)):
        end = value
        for factor in factors:
            if not passes(folder, name, at(factor)):
                end = at(nearer) if end == value and passes(folder, name, at(nearer)) else end
                break
            end = at(factor)
        ends.append(end)
    return ends


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--work", help="keep the copy in this folder")
    parser.add_argument("names", nargs="+", metavar="NAME")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.join(options.work or temporary, "domain")
        shutil.rmtree(folder, ignore_errors=True)
        values = copy(folder)
        unknown = [name for name in options.names if name not in values]
        if unknown:
            sys.exit(f"sensitivity.py: {', '.join(unknown)}: no such number, or one that stands in a type")
        subprocess.run(["make", f"-j{os.cpu_count()}", "simulations"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        for name in options.names:
            text, whole = values[name]
            value = number_of(text)
            low, high = moved(folder, name, value, whole)
            print(f"{name}: {value:g}; simulations pass from {low:g} to {high:g}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
