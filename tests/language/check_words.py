#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""No word of the table "Not used" of docs/words.md is in sources, scripts or documents: check_words.py [ROOT]

Words with a capital letter are compared as written, others in any case. A word counts as a whole one, also as the beginning of a constant's name (kMostItems)."""
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tree  # noqa: E402

PAGE = "docs/words.md"
# Raw data, a licence, and the page and the checkers that name the words.
LEFT_OUT = ("docs/results/raw/", "LICENSE", PAGE, "tests/language/")
SOURCES = (".h", ".cpp", ".c", ".cl", ".inc", ".def", ".md", ".py", ".sh", ".cmake", ".txt", ".ll", ".clh", ".ci/run")


def words_of(page):
    """The table's first column, word by word, and what to write instead."""
    table = page.split("## Not used", 1)[1]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines() if line.startswith("|")][2:]
    return {word.strip(): instead for first, instead in rows for word in first.split(",")}


def pattern_of(words):
    def one(word):
        text = re.escape(word).replace(r"\ ", r"\s+")
        end = r"(?=[A-Z]|\b)" if re.fullmatch(r"k[A-Z][a-z]+", word) else r"\b"
        return rf"\b{text}{end}" if word != word.lower() else rf"(?<![A-Za-z0-9])(?i:{text})(?![A-Za-z0-9])"
    return re.compile("|".join(one(word) for word in sorted(words, key=len, reverse=True)))


def check(root):
    with open(os.path.join(root, PAGE), encoding="utf-8") as file:
        words = words_of(file.read())
    if not words:
        return [f"{PAGE}: the table is empty"]
    known = {word.lower(): instead for word, instead in words.items()}
    pattern, faults = pattern_of(words), []
    for path in tree.files_of(root):
        if not path.endswith(SOURCES) or path.startswith(LEFT_OUT):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                faults += [f"{path}:{number}: \"{found}\": write {known[' '.join(found.lower().split())]}" for found in pattern.findall(line)]
    return faults


def main():
    return tree.report(check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..")), "words")


if __name__ == "__main__":
    sys.exit(main())
