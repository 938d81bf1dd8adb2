#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which tests cover a source file, by what the build knows: which file includes what, what is linked into what, and which programs a test starts.

    tests_of.sh FILE…          names of the near tests, one a line: those in sources that include the file or its header, lit tests where the file is part of the
                               compiler alone, and scripts that name the file. Where there are none but scripts, also those of the folder of tests/ that mirrors
                               the file's
    tests_of.sh --all FILE…    every test that the file can change: all that start, link or load something made of it
    tests_of.sh --run FILE…    runs them with ctest; options of its own may follow behind --
    tests_of.sh --map          for each source file how many tests are near, in which programs or groups, and how many there are in all

The build folder (--build FOLDER; build/) has to be built: headers are known once something was compiled. Exit status 2 for a file that is not there."""
import argparse
import collections
import json
import os
import re
import subprocess
import sys

SOURCES = (".cpp", ".h", ".c", ".def", ".inc", ".cl", ".clh", ".ll", ".py", ".sh", ".cmake")
ROOMS = ("partitioner", "compiler", "cpu-driver", "intercept", "profiler")
SUITE = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+)\s*,")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
DEFINED_PATH = re.compile(r'-D\w+=\\?"?([^\s"\\]+)')
PLACE = re.compile(r"(?:[^\s$]|\$.)+")
# What a test may start without naming it: it is given the build folder, and finds them there.
PRODUCTS = ("bin/", "lib/libskmd", "libexec/", "bench/")
# Checks of every file with an ending that they name.
WHOLE_TREE = ("tests/language/", "tests/layering/")


class Build:
    """The graph of a build folder, all paths seen from the top of the tree; what is made is seen from the build folder, behind `build:`."""

    def __init__(self, source, build):
        self.source, self.build = os.path.realpath(source), os.path.realpath(build)
        self.users = collections.defaultdict(set)  # file -> what is made of it
        self.sources_of = collections.defaultdict(set)  # program or library -> the sources compiled for it alone
        self.defined = collections.defaultdict(set)  # object -> what its definitions name
        self.read_edges()
        self.read_headers()
        self.tests = self.read_tests()

    def name(self, path):
        whole = os.path.realpath(os.path.join(self.build, path.replace("$ ", " ").replace("$:", ":")))
        if whole == self.build or whole.startswith(self.build + os.sep):
            return "build:" + os.path.relpath(whole, self.build)
        return os.path.relpath(whole, self.source) if (whole + os.sep).startswith(self.source + os.sep) else whole

    def read_edges(self):
        outputs, compiled = [], {}
        with open(os.path.join(self.build, "build.ninja"), encoding="utf-8") as file:
            for line in file:
                if line.startswith("build "):
                    outputs = self.read_edge(line, compiled)
                elif line.startswith("  DEFINES = "):
                    for path in DEFINED_PATH.findall(line):
                        if path.startswith("/"):
                            for output in outputs:
                                self.users[self.name(path)].add(output)

    def read_edge(self, line, compiled):
        made, _, needed = line[len("build "):].replace("$:", "\0").partition(":")
        outputs = [self.name(path) for path in PLACE.findall(made.replace("\0", "$:")) if path != "|"]
        rule, *rest = PLACE.findall(needed.replace("\0", "$:"))
        if rule == "phony":
            return []
        # Order alone, of what a program needs beside it when it runs; of others it is the order of the build.
        if "||" in rest and "EXECUTABLE_LINKER" not in rule:
            rest = rest[:rest.index("||")]
        inputs = [self.name(path) for path in rest if path not in ("|", "||", "|@")]
        for path in inputs:
            self.users[path].update(outputs)
        if "COMPILER" in rule:
            compiled.update(dict.fromkeys(outputs, inputs[0]))
        if "LINKER" in rule:
            for output in outputs:
                self.sources_of[output].update(compiled[path] for path in inputs if path in compiled)
        return outputs

    def read_headers(self):
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "deps"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
        output = None
        for line in listed.splitlines():
            if line.startswith(" "):
                path = line.strip()
                if output and not path.startswith("/usr/"):
                    self.users[self.name(path)].add(output)
            elif ": #deps" in line:
                output = self.name(line.partition(": #deps")[0])

    def read_tests(self):
        listed = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        tests = []
        for number, entry in enumerate(json.loads(listed.stdout)["tests"], 1):
            properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
            words = entry.get("command", []) + properties.get("ENVIRONMENT", [])
            paths = {self.name(part) for word in words for part in re.split("[=:;]", word) if part.startswith("/")}
            paths.update(word for word in words if os.path.isfile(os.path.join(self.source, word)))
            tests.append(Test(number, entry["name"], paths, set(properties.get("LABELS", []))))
        return tests

    def made_of(self, path):
        """Everything that is made of the file, itself included."""
        found, pending = {path}, [path]
        while pending:
            for user in self.users.get(pending.pop(), ()):
                if user not in found:
                    found.add(user)
                    pending.append(user)
        return found


class Test:
    def __init__(self, number, name, paths, labels):
        self.number, self.name, self.paths, self.labels = number, name, paths, labels
        self.finds_products = "build:." in paths

    def group(self):
        return re.split(r"[./]", self.name)[0]

    def is_of(self, suites):
        return not suites or any(re.search(rf"(?:^|[./]){suite}\.", self.name) for suite in suites)


class Coverage:
    def __init__(self, build):
        self.build = build
        self.includers = collections.defaultdict(set)  # file -> sources of tests that include it
        self.programs = collections.defaultdict(set)  # source of a test -> programs of tests
        self.suites = {}  # source of a test -> GoogleTest's suites in it; none: what others use
        self.scripts = {}  # script of a test -> its text
        for program, sources in build.sources_of.items():
            for source in sources:
                if source.startswith("tests/"):
                    self.programs[source].add(program)
                    self.read_includes(source)

    def text_of(self, path):
        with open(os.path.join(self.build.source, path), encoding="utf-8", errors="replace") as file:
            return file.read()

    def read_includes(self, source):
        text = self.text_of(source)
        self.suites[source] = set(SUITE.findall(text))
        for name in INCLUDE.findall(text):
            for place in (os.path.normpath(os.path.join(os.path.dirname(source), name)), name):
                self.includers[place].add(source)

    def names(self, test, path):
        """Whether the test is given the file, or the whole tree and its script or page names the file, imports it, or checks all that end as it does."""
        if path in test.paths:
            return True
        stem, ending = os.path.splitext(os.path.basename(path))
        for script in test.paths if "." in test.paths else ():
            if script.endswith((".py", ".sh", ".md")) and not script.startswith(("build:", "/")):
                text = self.scripts.setdefault(script, self.text_of(script))
                imports = re.search(rf"^import {re.escape(stem)}\b", text, re.M)
                checks = ending and f'"{ending}"' in text and script.startswith(WHOLE_TREE)
                if imports or checks or (path if script.endswith(".md") else os.path.basename(path)) in text:
                    return True
        return False

    def every(self, path):
        made = self.build.made_of(path)
        product = any(each.startswith("build:" + start) for each in made for start in PRODUCTS)
        # A target without outputs, as one that copies programs, changes the folder that it is in.
        laid_out = tuple(each[:each.index("/CMakeFiles/") + 1] for each in made if re.fullmatch(r"build:.*/CMakeFiles/\w+", each))
        return [test for test in self.build.tests if test.paths & made or product and test.finds_products or self.names(test, path) or
                any(each.startswith(laid_out) and os.path.isdir(os.path.join(self.build.build, each[len("build:"):])) for each in test.paths if laid_out)]

    def near(self, path):
        every, made = self.every(path), self.build.made_of(path)
        compiler = any("skmd-compile" in each or "skmd-opt" in each for each in made) and not any(each.startswith("build:lib/libskmd") for each in made)
        sources = {path, *self.includers.get(path, ()), *self.includers.get(os.path.splitext(path)[0] + ".h", ())} & set(self.programs)
        room = f"tests/{path.split('/')[0]}/"
        found = [test for test in every if compiler and "lit" in test.labels and any(each.startswith(room) for each in test.paths) or
                 any(test.paths & self.programs[source] and test.is_of(self.suites[source]) for source in sources)]
        readers = [test for test in every if self.names(test, path)]
        chosen = {test.number for test in (found or self.mirrored(path, every) or every) + readers}
        return [test for test in every if test.number in chosen]

    def mirrored(self, path, every):
        """Tests of the folder of tests/ that mirrors the file's, or of the next one above that has any."""
        folder = os.path.dirname(path)
        while folder:
            starts = (f"tests/{folder}/", f"build:tests/{folder}/")
            found = [test for test in every if any(each.startswith(starts) for each in test.paths)]
            if found:
                return found
            folder = os.path.dirname(folder)
        return []


def files_of_rooms(source):
    for room in ROOMS:
        for folder, folders, names in os.walk(os.path.join(source, room)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".cpp", ".h", ".def", ".cl", ".clh")):
                    yield os.path.relpath(os.path.join(folder, name), source)


def print_map(coverage):
    for path in files_of_rooms(coverage.build.source):
        near, every = coverage.near(path), coverage.every(path)
        groups = [name for name, _ in collections.Counter(test.group() for test in near).most_common()]
        print(f"{path}: {len(near)} near ({', '.join(groups[:8])}{', …' if len(groups) > 8 else ''}), {len(every)} in all")


def run(build, tests, options):
    numbers = ",".join(str(test.number) for test in tests)
    return subprocess.run(["ctest", "--test-dir", build.build, "--output-on-failure", "-I", f"{tests[0].number},{tests[0].number},1,{numbers}", *options],
                          check=False).returncode


def main():
    words = sys.argv[1:]
    own, options = (words[:words.index("--")], words[words.index("--") + 1:]) if "--" in words else (words, [])
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    parser = argparse.ArgumentParser(prog="tests_of.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--build", default=os.path.join(top, "build"), metavar="FOLDER")
    parser.add_argument("files", nargs="*", metavar="FILE")
    arguments = parser.parse_args(own)
    if bool(arguments.files) == arguments.map:
        parser.error("either files, or --map")
    if not os.path.exists(os.path.join(arguments.build, "build.ninja")):
        parser.error(f"{arguments.build} is no build folder: scripts/build.sh makes one")
    paths = []
    for name in arguments.files:
        if not os.path.isfile(name):
            parser.error(f"there is no file {name}")
        paths.append(os.path.relpath(os.path.realpath(name), os.path.realpath(top)))
    build = Build(top, arguments.build)
    coverage = Coverage(build)
    if arguments.map:
        print_map(coverage)
        return 0
    found = {test.number: test for path in paths for test in (coverage.every(path) if arguments.all else coverage.near(path))}
    tests = [found[number] for number in sorted(found)]
    if arguments.run:
        return run(build, tests, options) if tests else 1
    for test in tests:
        print(test.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
