#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what documents say of the environment variables, from profiler/settings/options.def.

    redraw_options.py [--check] [ROOT]   redraws the documents below; with --check only says whether they are up to date

A Markdown document holds `<!-- options KIND -->`, a manual page `.\\" options KIND`; what follows up to the line with `end` in place of
`options KIND` is replaced. KIND:

    run       skmd-run's options and their variables (user guide)
    man-run   the same for the manual page
    man-environment   the users' variables for the manual page
    user, tool, test, script   the variables for that audience, as a table"""
import os
import re
import sys

DOCUMENTS = ("docs/user-guide.md", "tests/README.md", "packaging/man/skmd-run.1")
DEFINITIONS = "profiler/settings/options.def"
FIELDS = ("id", "name", "audience", "kind", "option", "argument", "values", "fallback", "help", "meaning")
AUDIENCES = ("user", "tool", "test", "script")
KINDS = ("text", "flag", "path", "log", "database")
TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(\w+)|([,()]))')
MARKDOWN_PART = re.compile(r"(<!-- options (\S+) -->\n).*?(<!-- end -->)", re.S)
MANUAL_PART = re.compile(r'(\.\\" options (\S+)\n).*?(\.\\" end\n)', re.S)


class Wrong(Exception):
    pass


def arguments(text, at):
    """The macro's arguments, of which each is a word or string literals in a row; `at`: behind its parenthesis."""
    found, current = [], None
    while True:
        token = TOKEN.match(text, at)
        if not token:
            raise Wrong(f"{DEFINITIONS}: not a list of words and strings: {text[at:at + 40]!r}")
        at = token.end()
        literal, word, sign = token.groups()
        if sign is None:
            current = (current or "") + (literal.replace('\\"', '"') if word is None else word)
            continue
        if current is None:
            raise Wrong(f"{DEFINITIONS}: an argument is missing before {text[at:at + 40]!r}")
        found.append(current)
        current = None
        if sign == ")":
            return found


def check(entry):
    if entry["audience"] not in AUDIENCES or entry["kind"] not in KINDS:
        raise Wrong(f"{DEFINITIONS}: {entry['name']}: audience is one of {', '.join(AUDIENCES)}, kind one of {', '.join(KINDS)}")
    if not re.fullmatch(r"SKMD_[A-Z_]+", entry["name"]) or not entry["help"]:
        raise Wrong(f"{DEFINITIONS}: {entry['name']} needs a name that begins with SKMD_, and a help text")
    for field in ("values", "fallback", "help", "meaning"):
        if "|" in entry[field] or "\n" in entry[field]:
            raise Wrong(f"{DEFINITIONS}: {entry['name']}: | and line ends break tables ({field})")


def read(root):
    """All variables, in the order of the list, each a dictionary by FIELDS."""
    with open(os.path.join(root, DEFINITIONS), encoding="utf-8") as file:
        text = re.sub(r"^//.*$", "", file.read(), flags=re.M)
    entries = []
    for call in re.finditer(r"^SKMD_VARIABLE\(", text, re.M):
        values = arguments(text, call.end())
        if len(values) != len(FIELDS):
            raise Wrong(f"{DEFINITIONS}: {values[:2]} has {len(values)} fields of {len(FIELDS)}")
        entries.append(dict(zip(FIELDS, values)))
        check(entries[-1])
    names = [entry["name"] for entry in entries]
    if not names or len(set(names)) != len(names):
        raise Wrong(f"{DEFINITIONS}: no variable, or one twice")
    return entries


def sentence(text):
    """With a full stop; and with a capital, unless it begins with a list of values."""
    first = text[:1] if re.match(r"\w+,", text) else text[:1].upper()
    return first + text[1:] + ("" if text.endswith((".", "…")) else ".")


def meaning(entry):
    return entry["meaning"] or sentence(entry["help"])


def table(entries, audience):
    rows = [f"| `{entry['name']}` | {entry['values']} | {entry['fallback']} | {meaning(entry)} |\n" for entry in entries if entry["audience"] == audience]
    return "| variable | values | if not set | meaning |\n|---|---|---|---|\n" + "".join(rows)


def run_table(entries):
    rows = []
    for entry in entries:
        if entry["option"]:
            sets = entry["name"] + ("=1" if entry["kind"] == "flag" else "")
            rows.append(f"| `{' '.join(filter(None, (entry['option'], entry['argument'])))}` | `{sets}` |\n")
    return "| option | variable |\n|---|---|\n" + "".join(rows)


def roff(text):
    """Markdown to roff: links become their texts, code becomes bold."""
    text = re.sub(r" \(\[[^\]]*\]\([^)]*\)\)", "", text)
    text = re.sub(r"\s*See \[below\]\([^)]*\)\.|; see \[below\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("·", "*")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in wrapped(text))


def wrapped(text, width=80):
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def man_run(entries):
    text = ""
    for entry in entries:
        if entry["option"]:
            argument = f" \\fI{roff(entry['argument'])}\\fR" if entry["argument"] else ""
            text += f".TP\n\\fB{roff(entry['option'])}\\fR{argument}\n{roff(sentence(entry['help']) + ' (' + entry['name'] + ')')}\n"
    return text


def man_environment(entries):
    text = ""
    for entry in entries:
        if entry["audience"] == "user":
            fallback = f" If not set: {entry['fallback']}." if entry["fallback"] else ""
            text += f".TP\n.B {entry['name']}\n{roff(sentence(entry['values']) + ' ' + meaning(entry) + fallback)}\n"
    return text


def part(kind, entries):
    if kind in AUDIENCES:
        return table(entries, kind)
    makers = {"run": run_table, "man-run": man_run, "man-environment": man_environment}
    if kind not in makers:
        raise Wrong(f"'{kind}' is not known; parts are: {', '.join((*AUDIENCES, *makers))}")
    return makers[kind](entries)


def redrawn(text, entries, pattern):
    made, count = pattern.subn(lambda match: match.group(1) + part(match.group(2), entries) + match.group(3), text)
    if count == 0:
        raise Wrong("it has no part to be redrawn")
    return made


def main():
    words = sys.argv[1:]
    only_check = "--check" in words
    roots = [word for word in words if word != "--check"]
    root = roots[0] if roots else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    entries = read(root)
    stale = 0
    for name in DOCUMENTS:
        path = os.path.join(root, name)
        with open(path, encoding="utf-8") as file:
            before = file.read()
        try:
            after = redrawn(before, entries, MANUAL_PART if name.endswith(".1") else MARKDOWN_PART)
        except Wrong as wrong:
            raise Wrong(f"{name}: {wrong}") from wrong
        if after == before:
            continue
        stale += 1
        if only_check:
            print(f"{name} is not what scripts/redraw_options.py makes of {DEFINITIONS}")
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
    return 1 if only_check and stale else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as wrong:
        print(f"redraw_options.py: {wrong}", file=sys.stderr)
        sys.exit(2)
