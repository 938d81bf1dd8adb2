# SPDX-License-Identifier: Apache-2.0
"""Cases as values and as text. The text is what random_cases carries out: the program's source, buffers, and commands, each with the
numbers of the earlier commands that it waits for."""
from dataclasses import dataclass, field


@dataclass
class BufferLine:
    """`facts`: bytes, flags and first content of a buffer, or parent, origin and bytes of a part of one."""
    part: bool
    facts: list

    def text(self):
        return " ".join(["part" if self.part else "buffer", *map(str, self.facts)])


@dataclass
class Command:
    kind: str
    queue: int
    waits: list
    facts: list                                    # words; of a launch: kernel, dimensions, offset, global and local sizes
    arguments: list = field(default_factory=list)  # of a launch: words

    def text(self):
        words = [self.kind, self.queue, len(self.waits), *self.waits, *self.facts]
        if self.kind == "launch":
            words.append(len(self.arguments))
        return "\n".join([" ".join(map(str, words)), *(" ".join(map(str, a)) for a in self.arguments)])


# Which of a command's words name buffers.
BUFFER_WORDS = {"write": [0], "read": [0], "map": [0], "fill": [0], "copy": [0, 1], "write_rect": [0], "read_rect": [0], "copy_rect": [0, 1]}


@dataclass
class Case:
    source: str
    order: str  # of all queues: in_order or out_of_order
    buffers: list
    commands: list

    def text(self):
        lines = [f"source {len(self.source.encode())}\n{self.source}", f"queues {self.order}", *(b.text() for b in self.buffers), *(c.text() for c in self.commands)]
        return "\n".join(lines) + "\n"

    def launches(self):
        return [c for c in self.commands if c.kind == "launch"]


def parse(text):
    head, rest = text.split("\n", 1)
    size = int(head.split()[1])
    case = Case(rest.encode()[:size].decode(), "", [], [])
    lines = iter(rest.encode()[size:].decode().splitlines())
    for line in lines:
        word, *facts = line.split() or [""]
        if word == "queues":
            case.order = facts[0]
        elif word in ("buffer", "part"):
            case.buffers.append(BufferLine(word == "part", facts))
        elif word:
            count = int(facts[1])
            command = Command(word, int(facts[0]), [int(w) for w in facts[2:2 + count]], facts[2 + count:])
            if word == "launch":
                command.arguments = [next(lines).split() for _ in range(int(command.facts.pop()))]
            case.commands.append(command)
    return case
