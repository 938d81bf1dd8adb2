#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows a recipe to the letter: follow_recipe.py SOURCE BUILD PAGE…

A page's fenced blocks are done in their order, in a folder that holds the top level of SOURCE, with `build` for BUILD:

    ```cpp toy_pass/doubled.cpp    the file is written
    ```sh                          the commands are run by bash from the top; one that fails fails the recipe
    ```diff                        `--- path`, then hunks behind lines that begin with `@@`: lines to keep (' '), to take away ('-') and to add ('+').
                                   The kept and taken lines have to stand in the file once, one after the other
    ```copy                        lines `FROM TO`: a file that the page has written goes into the tree
    ```output                      what the commands before have printed, standard error left out: `…` stands for anything, on a line of its own for any lines
    ```text                        nothing

Into the tree means into a copy, which commands do not see. At the end every source of the copy is compiled for its errors alone, with the flags of the file that it
changes or, of a new one, of a file beside it."""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
KINDS = ("sh", "diff", "copy", "output", "text")
COMPILED = (".cpp",)


class Failed(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def blocks_of(text):
    """(kind, path, text) of each fenced block; the kind of a file is `file`."""
    found = []
    for kind, path, body in FENCE.findall(text):
        if kind not in KINDS and not path:
            raise Failed(f"a block of {kind} without a file's name")
        found.append(("file" if path else kind, path, body))
    if not any(kind != "text" for kind, _, _ in found):
        raise Failed("no block to follow")
    return found


def hunks_of(lines):
    """(old lines, new lines) of each hunk."""
    hunks = []
    for line in lines:
        if line.startswith("@@"):
            hunks.append(([], []))
        elif not hunks or line[:1] not in (" ", "-", "+", ""):
            raise Failed(f"not a line of a hunk: {line!r}")
        else:
            for sign, part in zip("-+", hunks[-1]):
                if line[:1] in ("", " ", sign):
                    part.append(line[1:])
    return hunks


def changed(text, hunks, path):
    lines = text.split("\n")
    for old, new in hunks:
        places = [at for at in range(len(lines) - len(old) + 1) if lines[at:at + len(old)] == old]
        if not old or old == new or len(places) != 1:
            raise Failed(f"{path}: these lines are there {len(places)} times, or nothing changes:\n" + "\n".join(old))
        lines[places[0]:places[0] + len(old)] = new
    return "\n".join(lines)


def diff_files(body):
    """(path, hunks) of each file of a diff."""
    parts = re.split(r"^--- (\S+)\n", body, flags=re.M)
    if parts[0].strip() or len(parts) < 3:
        raise Failed("a diff begins with `--- path`")
    return [(path, hunks_of(text.rstrip("\n").split("\n"))) for path, text in zip(parts[1::2], parts[2::2])]


def pattern_of(expected):
    """A regular expression for the whole output."""
    return "".join(r"(?:.*\n)*" if line == "…" else ".*".join(re.escape(part) for part in line.split("…")) + r"\n" for line in expected.splitlines())


class Recipe:
    def __init__(self, source, build, folder):
        self.source, self.build = source, build
        self.top, self.copy = os.path.join(folder, "top"), os.path.join(folder, "copy")
        self.touched, self.printed = [], None
        os.makedirs(self.top)
        for name in os.listdir(source):
            if not name.startswith(".") and name != "build":
                os.symlink(os.path.join(source, name), os.path.join(self.top, name))
        os.symlink(build, os.path.join(self.top, "build"))

    def follow(self, text):
        for kind, path, body in blocks_of(text):
            if kind == "file":
                self.make(path, body)
            elif kind == "sh":
                self.run(body)
            elif kind == "output":
                self.compare(body)
            elif kind == "copy":
                for line in body.splitlines():
                    origin, target = line.split()
                    self.make(target, read(os.path.join(self.top, origin)))
            elif kind == "diff":
                for name, hunks in diff_files(body):
                    self.change(name, hunks)
        self.compile()

    def make(self, path, body):
        """In a folder of the recipe's own; in one of the tree's, in the copy."""
        if os.path.exists(os.path.join(self.source, path)):
            raise Failed(f"{path} is there already")
        of_the_tree = os.path.exists(os.path.join(self.source, path.split("/")[0]))
        if of_the_tree and not os.path.isdir(os.path.join(self.source, os.path.dirname(path))):
            raise Failed(f"{path}: its folder is not there")
        write(os.path.join(self.copy if of_the_tree else self.top, path), body)
        if of_the_tree:
            self.touched.append(path)

    def change(self, path, hunks):
        before = os.path.join(self.copy if path in self.touched else self.source, path)
        if not os.path.exists(before):
            raise Failed(f"there is no {path} to be changed")
        write(os.path.join(self.copy, path), changed(read(before), hunks, path))
        if path not in self.touched:
            self.touched.append(path)

    def compare(self, expected):
        if self.printed is None or not re.fullmatch(pattern_of(expected), self.printed):
            raise Failed(f"the output is not\n{expected}")
        self.printed = None

    def run(self, commands):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SKMD_", "OCL_ICD"))}
        clean.update(SKMD_CACHE_DIR=os.path.join(self.top, "cache"), SKMD_PROFILE_DB="off", POCL_DEVICES="pthread basic")
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=self.top, env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.printed = done.stdout
        print(f"-- status {done.returncode}\n{commands}-- output\n{done.stdout}{done.stderr}")
        if done.returncode != 0:
            raise Failed(f"exit status {done.returncode} of\n{commands}")

    def compile(self):
        sources = [path for path in self.touched if path.endswith(COMPILED)]
        if not sources:
            return
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            entries = {os.path.relpath(os.path.realpath(entry["file"]), os.path.realpath(self.source)): entry for entry in json.load(file)}
        for path in sources:
            beside = (name for name in sorted(entries) if os.path.dirname(name) == os.path.dirname(path))
            entry = entries.get(path) or entries.get(next(beside, ""))
            if entry is None:
                raise Failed(f"the build compiles neither {path} nor a file beside it")
            done = subprocess.run(self.command(entry, path), cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            print(f"-- compiled {path}: status {done.returncode}\n{done.stdout}")
            if done.returncode != 0:
                raise Failed(f"{path} does not compile as the page has it")

    def command(self, entry, path):
        words = shlex.split(entry["command"])
        words = words[next(at for at, word in enumerate(words) if re.search(r"(\+\+|g\+\+|clang\+\+)(-[\d]+)?$", word)):]
        # What the recipe's own build has generated stands for what the tree's would.
        generated = [word for made in sorted(glob.glob(os.path.join(self.top, "*", "build", "generated"))) for word in ("-I", made)]
        kept, skip = [words[0], "-I", self.copy, *generated, "-iquote", os.path.join(self.source, os.path.dirname(path)), "-fsyntax-only"], False
        for word in words[1:]:
            # Nor a precompiled header (after -Xclang): it has headers of the tree.
            if not skip and word not in ("-c", "-o", "-Xclang", "-Winvalid-pch", entry["file"]):
                kept.append(word)
            skip = word in ("-o", "-Xclang")
        return kept + [os.path.join(self.copy, path)]


def main():
    source, build = (os.path.abspath(path) for path in sys.argv[1:3])
    failures = 0
    for page in sys.argv[3:]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                Recipe(source, build, folder).follow(read(os.path.join(source, page)))
            except Failed as failed:
                print(f"{page}: {failed}")
                failures += 1
    return 1 if failures or len(sys.argv) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
