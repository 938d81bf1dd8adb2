#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pages name what is there, and sources their licence: check_pages.py [ROOT]

Every relative link of a Markdown page leads to a file, and its anchor to a heading. Every path in backquotes with a known ending (`object/queue.h`) is a file of the
tree, or ends the path of one. LICENSE is there, and every source says that it is under it. CONTRIBUTING.md has a row for each preset, and CHANGELOG.md begins with
CMake's version."""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tree  # noqa: E402

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:h|cpp|def|py|sh|md|cmake|cl|map|1|txt|inc))`")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
SOURCES = (".h", ".cpp", ".c", ".inc", ".def", ".py", ".sh")
LICENCE = "SPDX-License-Identifier: Apache-2.0"
# Made by a build or an installation, or an application's.
NOT_OF_THE_TREE = ("build/", "usr/", "etc/", "generated/", "libexec/", "share/", "lib/", "CL/", "GL/")


def anchor_of(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors_of(text):
    return {anchor_of(heading) for heading in HEADING.findall(FENCE.sub("", text))}


def check_link(page, target, texts, root):
    path, _, anchor = target.partition("#")
    if re.match(r"[a-z]+:", target):
        return None
    file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(os.path.join(root, file)):
        return f"{page}: the link {target} leads nowhere"
    if anchor and file in texts and anchor not in anchors_of(texts[file]):
        return f"{page}: {file} has no heading for #{anchor}"
    return None


def check_path(page, path, ends):
    if path.startswith(NOT_OF_THE_TREE) or path in ends:
        return None
    return f"{page}: there is no {path}"


def ends_of(paths):
    """What a page may call a file: its path, or an end of it that has a folder."""
    ends = set()
    for path in paths:
        parts = path.split("/")
        ends.update("/".join(parts[start:]) for start in range(max(len(parts) - 1, 1)))
    return ends


def check_sources(root, paths):
    faults = []
    for path in paths:
        if path.endswith(SOURCES) and "corpus/" not in path:
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                if LICENCE not in file.read(400):
                    faults.append(f"{path}: does not begin with {LICENCE}")
    licence = os.path.join(root, "LICENSE")
    if not os.path.exists(licence):
        return faults + ["LICENSE: is not there"]
    with open(licence, encoding="utf-8") as file:
        text = file.read()
    if not re.match(r"\s*Apache License\s+Version 2\.0, January 2004", text) or "END OF TERMS AND CONDITIONS" not in text:
        faults.append("LICENSE: is not the text of the Apache License 2.0")
    return faults


def check_front_door(root, texts):
    with open(os.path.join(root, "CMakePresets.json"), encoding="utf-8") as file:
        presets = [preset["name"] for preset in json.load(file)["configurePresets"] if not preset.get("hidden")]
    faults = [f"CONTRIBUTING.md: no row for the preset {name}" for name in presets if f"| `{name}` |" not in texts.get("CONTRIBUTING.md", "")]
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"project\([^)]*\bVERSION ([\d.]+)", file.read()).group(1)
    first = re.search(r"^## (.*)$", texts.get("CHANGELOG.md", ""), re.M)
    if not first or first.group(1) != version:
        faults.append(f"CHANGELOG.md: the first version is not {version}")
    return faults


def check(root):
    paths = list(tree.files_of(root))
    texts = {}
    for path in paths:
        if path.endswith(".md"):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                texts[path] = file.read()
    ends = ends_of(paths)
    faults = check_sources(root, paths) + check_front_door(root, texts)
    for page, text in texts.items():
        prose = FENCE.sub("", text)
        faults += filter(None, (check_link(page, target, texts, root) for target in LINK.findall(prose)))
        faults += filter(None, (check_path(page, path, ends) for path in PATH.findall(prose)))
    return sorted(set(faults)), len(texts)


def main():
    faults, pages = check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", ".."))
    return tree.report(faults, f"{pages} pages") or (0 if pages else 1)


if __name__ == "__main__":
    sys.exit(main())
