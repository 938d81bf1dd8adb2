#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each main room has a README that says what it is, its door, what it may include and where to start reading: check_rooms.py [ROOT]

What it may include is what tests/layering/check_layers.py permits. Files that it names without a folder (`queue.h`) are in the room or in folders below it."""
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "layering"))
import check_layers  # noqa: E402
sys.path.insert(0, HERE)
import tree  # noqa: E402

ROOMS = ("partitioner", "partitioner/model", "compiler", "compiler/client", "cpu-driver", "cpu-driver/codegen", "intercept", "intercept/api", "intercept/backend",
         "intercept/build", "intercept/calibration", "intercept/command", "intercept/launch", "intercept/machine", "intercept/memory", "intercept/object", "intercept/observe",
         "profiler")
# Their READMEs speak for the rooms below, too.
WITH_BELOW = ("partitioner", "compiler", "cpu-driver/codegen", "intercept/backend")
# These have a README of another kind.
OTHERS = ("bench", "tests", "scripts", "profiles")
PARTS = ("Door", "May include", "Start reading")
FILE = re.compile(r"`([\w-]+\.(?:h|cpp|def|map))`")


def permitted(text):
    """The rooms that the part `May include` names before its first full stop; None where it names all."""
    sentence = re.search(r"\*\*May include\*\*: ([^.]*)\.", text).group(1)
    return None if sentence.startswith("all rooms") else set(re.findall(r"`([\w/-]+)`", sentence))


def allowed_for(room, allowed):
    """What the room may include; of one whose README speaks for those below, all that these may, but for each other."""
    if room not in WITH_BELOW:
        return allowed.get(room, set())
    below = [name for name in allowed if name == room or name.startswith(room + "/")]
    return set().union(*(allowed[name] for name in below)) - set(below)


def check_readme(room, text, names, allowed, free):
    allowed = allowed_for(room, allowed)
    faults = [f"{room}/README.md: no part **{part}**" for part in PARTS if f"**{part}**: " not in text]
    faults += [f"{room}/README.md: there is no {name} in the room" for name in FILE.findall(text) if name not in names]
    if not faults:
        said = permitted(text)
        if said is None and room not in free or said is not None and said != allowed:
            names = ", ".join(f"`{name}`" for name in sorted(allowed))
            faults.append(f"{room}/README.md: check_layers.py permits: **May include**: {names + ', and the domain.' if names else 'nothing of ours but the domain.'}")
    return faults


def check(root, rooms=ROOMS, others=OTHERS, allowed=None, free=None):
    allowed = check_layers.ALLOWED if allowed is None else allowed
    free = check_layers.FREE if free is None else free
    faults = [f"{room}/README.md: is not there" for room in rooms + others if not os.path.exists(os.path.join(root, room, "README.md"))]
    for room in rooms:
        path = os.path.join(root, room, "README.md")
        if os.path.exists(path):
            names = {name for _, _, files in os.walk(os.path.join(root, room)) for name in files}
            with open(path, encoding="utf-8") as file:
                faults += check_readme(room, file.read(), names, allowed, free)
    return faults


def main():
    faults = check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", ".."))
    return tree.report(faults, f"{len(ROOMS)} rooms")


if __name__ == "__main__":
    sys.exit(main())
