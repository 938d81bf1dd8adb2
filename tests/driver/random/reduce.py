#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case small: leaves out commands, kernels, statements, arguments and buffers, shrinks sizes and expressions, as long as
the case still fails and is still a legal program, which oclgrind decides (no data race, no stray access, PoCL's answer).

usage: reduce.py BUILD CASE MODE [SEED]: writes the smaller case beside CASE, as CASE with -reduced
"""
import copy
import os
import re
import sys
import tempfile
import time

from casefile import BUFFER_WORDS, parse
from runner import UNLINKED, Runner

SECONDS = 600  # for one case
LEAST_SECONDS, PATIENCE = 10, 5  # for one run of a candidate: seconds, and times what the case took
GROUP = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")  # up to three deep


class Reducer:
    def __init__(self, runner, mode, seed):
        self.runner, self.mode, self.seed = runner, mode, seed
        self.exact, self.legal, self.dies = runner.exact, True, None
        self.end = time.monotonic() + SECONDS

    def file(self, case):
        path = f"{self.runner.folder}/candidate.case"
        with open(path, "w", encoding="utf-8") as file:
            file.write(case.text())
        return path

    def wrong(self, case):
        """Whether SKMD gives another answer than PoCL alone."""
        path = self.file(case)
        expected = self.runner.plain(path, self.exact).output
        if expected is None or "error" in expected:
            return False
        found = self.runner.skmd(path, self.mode, self.seed, self.exact)
        if found.output == expected or UNLINKED in found.trouble:
            return found.output is not None and not found.trouble.startswith("exit 0")
        if self.dies is None:
            self.dies = found.output is None
        if self.dies != (found.output is None):  # another failure than the one that is looked for
            return False
        return not self.legal or self.right_by_oclgrind(path, expected)

    def right_by_oclgrind(self, path, expected):
        return self.runner.oclgrind(path).output == expected and not self.runner.illegal(path)

    def limit_candidates(self, case):
        """What has lost the end of a loop may run for ever."""
        start = time.monotonic()
        self.runner.plain(self.file(case), self.exact)
        self.runner.seconds = LEAST_SECONDS + PATIENCE * (time.monotonic() - start)

    def reduce(self, case):
        self.limit_candidates(case)
        if not self.exact:
            self.exact = True
            self.exact = self.wrong(case)
        if not self.wrong(case):
            self.legal = False  # oclgrind itself may be unable to run the whole
            if not self.wrong(case):
                return case
        before = None
        while before != case.text() and time.monotonic() < self.end:
            before = case.text()
            for step in (defined, commands, kernels, lines, blocks, plain_queues, sizes, parameters, buffers, groups):
                case = self.step(step, case)
        return case

    def step(self, step, case):
        """Takes the first smaller case that is still wrong, and goes on from there."""
        tried, found = set(), True
        while found:
            found = False
            for candidate in step(case):
                text = candidate.text()
                if text in tried or text == case.text():
                    continue
                tried.add(text)
                if time.monotonic() > self.end:
                    return case
                if self.wrong(candidate):
                    case, found = candidate, True
                    break
        return case


def defined(case):
    """With bytes from the start in every buffer, so that leaving out a command leaves nothing undefined."""
    made = copy.deepcopy(case)
    for buffer in made.buffers:
        if not buffer.part and buffer.facts[2] == "none":
            buffer.facts[2:] = ["bits", 1, 0, 1]
    yield made


def chunks(count):
    """Ranges to leave out: big ones first."""
    size = count
    while size > 0:
        for first in range(0, count, size):
            yield first, min(count, first + size)
        size //= 2


def without_commands(case, first, last):
    made = copy.deepcopy(case)
    instead = {}  # a command left out: what it waited for
    kept, number = [], {}
    for index, command in enumerate(made.commands):
        waits = set()
        for wait in command.waits:
            waits |= instead.get(wait, {wait})
        if first <= index < last:
            instead[index] = waits
            continue
        number[index] = len(kept)
        command.waits = sorted(number[w] for w in waits)
        kept.append(command)
    made.commands = kept
    return made


def commands(case):
    for first, last in chunks(len(case.commands)):
        made = without_commands(case, first, last)
        if made.launches():
            yield made


def with_lines(case, kept):
    made = copy.deepcopy(case)
    made.source = "\n".join(kept)
    return made


def kernels(case):
    """Without a kernel that is not launched."""
    used, text = {c.facts[0] for c in case.launches()}, case.source.split("\n")
    starts = [i for i, line in enumerate(text) if line.startswith("__kernel")]
    for start in starts:
        name = re.search(r"void (\w+)\(", text[start]).group(1)
        end = next(i for i in range(start, len(text)) if text[i] == "}")
        if name not in used and f"{name}(" not in "".join(text[end:]):
            yield with_lines(case, text[:start] + text[end + 1:])


def balanced(text):
    return text.count("{") == text.count("}")


def lines(case):
    text = case.source.split("\n")
    for first, last in chunks(len(text)):
        if balanced("\n".join(text[first:last])):
            yield with_lines(case, text[:first] + text[last:])


def blocks(case):
    """A block without its head and end."""
    text = case.source.split("\n")
    for first, line in enumerate(text):
        if not line.endswith("{") or line.startswith(("__kernel", "}")):
            continue
        depth, last = 0, first
        for last in range(first, len(text)):
            depth += text[last].count("{") - text[last].count("}")
            if depth <= 0:
                break
        yield with_lines(case, text[:first] + text[first + 1:last] + text[last + 1:])


def plain_queues(case):
    made = copy.deepcopy(case)
    made.order = "in_order"
    yield made
    made = copy.deepcopy(case)
    for command in made.commands:
        command.queue = 0
    yield made


def sizes(case):
    """Smaller ranges: no offset, fewer groups, smaller groups."""
    for index, launch in enumerate(case.commands):
        if launch.kind != "launch":
            continue
        offset, size, local = ([int(w) for w in launch.facts[a:a + 3]] for a in (2, 5, 8))
        for d in range(3):
            count = size[d] // (local[d] or 1)
            for fewer in {1, 2, 3, count // 2, count - 1}:
                if 0 < fewer < count:
                    yield with_range(case, index, offset, replaced(size, d, fewer * (local[d] or 1)), local)
            if local[d] > 1:
                yield with_range(case, index, offset, replaced(size, d, count), replaced(local, d, 1))
            if offset[d] > 0:
                yield with_range(case, index, replaced(offset, d, 0), size, local)


def replaced(values, at, value):
    return [value if i == at else v for i, v in enumerate(values)]


def with_range(case, index, *triples):
    made = copy.deepcopy(case)
    made.commands[index].facts[2:] = [n for triple in triples for n in triple]
    return made


def parameters(case):
    """Without the arguments that a kernel's body does not name: all of them, or one."""
    text = case.source.split("\n")
    for at, line in enumerate(text):
        match = re.search(r"void (\w+)\((.*)\) \{$", line)
        if not line.startswith("__kernel") or not match:
            continue
        end = next(i for i in range(at, len(text)) if text[i] == "}")
        declared, body = match.group(2).split(", "), "\n".join(text[at + 1:end])
        names = [re.search(r"(\w*)$", parameter).group(1) for parameter in declared]
        unused = [i for i, name in enumerate(names) if name and not re.search(rf"\b{name}\b", body)]
        for left_out in [unused] * (len(unused) > 1) + [[i] for i in unused]:
            head = line.replace(match.group(2), ", ".join(p for i, p in enumerate(declared) if i not in left_out))
            made = with_lines(case, replaced(text, at, head))
            for launch in made.launches():
                if launch.facts[0] == match.group(1):
                    launch.arguments = [a for i, a in enumerate(launch.arguments) if i not in left_out]
            yield made


def buffers(case):
    """Without the buffers that nothing names: all of them, or one."""
    used = {int(b.facts[0]) for b in case.buffers if b.part}
    for command in case.commands:
        used |= {int(command.facts[at]) for at in BUFFER_WORDS.get(command.kind, [])}
        used |= {int(argument[1]) for argument in command.arguments if argument[0] == "buffer"}
    unused = [number for number in range(len(case.buffers)) if number not in used]
    for left_out in [unused] * (len(unused) > 1) + [[number] for number in unused]:
        made = case
        for number in reversed(left_out):
            made = without_buffer(made, number)
        yield made


def without_buffer(case, number):
    made = copy.deepcopy(case)
    del made.buffers[number]

    def lowered(word):
        return int(word) - (int(word) > number)
    for buffer in made.buffers:
        if buffer.part:
            buffer.facts[0] = lowered(buffer.facts[0])
    for command in made.commands:
        for at in BUFFER_WORDS.get(command.kind, []):
            command.facts[at] = lowered(command.facts[at])
        for argument in command.arguments:
            if argument[0] == "buffer":
                argument[1] = lowered(argument[1])
    return made


def groups(case):
    """With a parenthesised expression replaced by 1, by 0 or by one of its own parts."""
    text = case.source.split("\n")
    for at, line in enumerate(text):
        if line.startswith(("__kernel", "typedef", "#pragma", "__attribute__")):
            continue
        for match in sorted(GROUP.finditer(line), key=lambda m: m.start() - m.end()):
            inner = [m.group(0) for m in GROUP.finditer(match.group(0)[1:-1])]
            for instead in ["(1)", "(0)", *inner]:
                if instead != match.group(0):
                    yield with_lines(case, replaced(text, at, line[:match.start()] + instead + line[match.end():]))


def reduce_case(case, runner, mode, seed):
    seconds = runner.seconds
    small = Reducer(runner, mode, seed).reduce(parse(case.text()))
    runner.seconds = seconds
    return small


def main():
    build, path, mode = sys.argv[1:4]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else int(re.match(r"\d+", os.path.basename(path)).group(0))
    with open(path, encoding="utf-8") as file:
        case = parse(file.read())
    with tempfile.TemporaryDirectory() as folder:
        small = reduce_case(case, Runner(build, folder, exact=False), mode, seed)
    with open(path.removesuffix(".case") + "-reduced.case", "w", encoding="utf-8") as file:
        file.write(small.text())


if __name__ == "__main__":
    main()
