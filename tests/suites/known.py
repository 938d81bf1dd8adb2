# SPDX-License-Identifier: Apache-2.0
"""docs/known-differences.md, read as the list that it is: what fails on PoCL too, and what the specification leaves open."""
import fnmatch
import re

OWN_DRIVERS = ("cpu", "far")  # the modes
_ROW = re.compile(r"^\| `([^`]+)` \| (fails on PoCL|sometimes fails on PoCL|left open|left open between drivers) \| (.+) \|$")


def full_name(suite, test, sub_test):
    return "/".join(part for part in (suite, test, sub_test) if part)


class Known:
    def __init__(self, rows):
        self.rows = rows  # (pattern, kind, reason)
        self._seen = set()

    def _match(self, name, kinds):
        for pattern, kind, _ in self.rows:
            if kind in kinds and fnmatch.fnmatchcase(name, pattern):
                return pattern
        return None

    def fails_on_pocl(self, name):
        pattern = self._match(name, ("fails on PoCL", "sometimes fails on PoCL"))
        if pattern:
            self._seen.add(pattern)
        return pattern is not None

    def left_open(self, name, mode):
        """What is left open between drivers has to be the same where PoCL computes on both sides."""
        pattern = self._match(name, ("left open", "left open between drivers") if mode in OWN_DRIVERS else ("left open",))
        if pattern:
            self._seen.add(pattern)
        return pattern is not None

    def stale(self, suites, modes=OWN_DRIVERS):
        """Rows of these suites that no test bore out in these modes; those that only happen sometimes are not asked for."""
        asked = {"fails on PoCL", "left open"} | ({"left open between drivers"} if set(OWN_DRIVERS) & set(modes) else set())
        return [pattern for pattern, kind, _ in self.rows
                if pattern.split("/")[0] in suites and kind in asked and pattern not in self._seen]


def parse(text):
    return Known([match.groups() for match in map(_ROW.match, text.splitlines()) if match])


def read(path):
    with open(path, encoding="utf-8") as file:
        return parse(file.read())
