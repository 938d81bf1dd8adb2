#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every SKMD_ variable is declared in profiler/settings/options.def, and every declared one is used: check_variables.py [ROOT]

A name counts where it may reach the environment: in a C++ or Python string, in a shell's expansion or assignment, and anywhere in a document. Documents may also
name CMake's options, and macros. In intercept/ and profiler/ a variable is read by its constant of profiler/settings/variables.h."""
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "scripts"))
import redraw_options  # noqa: E402
sys.path.insert(0, HERE)
import tree  # noqa: E402

NAME = re.compile(r"\bSKMD_[A-Z][A-Z_]*[A-Z]\b")
CPP_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
PYTHON_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
SHELL_USE = re.compile(r"\$\{?(SKMD_\w+)|\b(SKMD_\w+)=|\bunset (SKMD_\w+)")
CMAKE_OPTION = re.compile(r"\boption\((SKMD_\w+)|\bset\((SKMD_\w+)[^)]*\bCACHE\b")
BY_CONSTANT = ("intercept/", "profiler/")
MACRO = re.compile(r"^\s*#\s*define\s+(SKMD_\w+)", re.M)
READ_BY_LITERAL = re.compile(r'[(\[{]"(SKMD_\w+)"')
# Guards of pasted headers; a variable that a test sets because no program reads it; the macros of options.def and lock_order.def.
NO_VARIABLES = {"SKMD_ONCE", "SKMD_TEST_UNRELATED", "SKMD_VARIABLE", "SKMD_LEAF", "SKMD_LOCK"}
# Plants faults.
LEFT_OUT = {"tests/language/check_variables_test.py"}
GENERATED = redraw_options.DOCUMENTS + (redraw_options.DEFINITIONS,)
DOCUMENTS = (".md", ".1")


def text_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def names_in(path, text):
    """Names that may reach the environment."""
    if path.endswith((".h", ".cpp", ".c", ".inc")):
        spans = [match.group() for match in CPP_STRING.finditer(text) if "SKMD_" in match.group()]
    elif path.endswith(".py"):
        spans = [match.group() for match in PYTHON_STRING.finditer(text) if "SKMD_" in match.group()]
    elif path.endswith(".sh") or path == ".ci/run":
        spans = [name for match in SHELL_USE.finditer(text) for name in match.groups() if name]
    elif path.endswith(DOCUMENTS):
        spans = [text]
    else:
        spans = []
    return [name for span in spans for name in NAME.findall(span)]


def check(root, declared):
    """`declared`: entries of options.def. The faults, as lines."""
    texts = {path: text_of(root, path) for path in tree.files_of(root) if path not in LEFT_OUT
             if path.endswith((".h", ".cpp", ".c", ".inc", ".py", ".sh", ".cmake", "CMakeLists.txt", *DOCUMENTS)) or path == ".ci/run"}
    options = {name for path, text in texts.items() if path.endswith(("CMakeLists.txt", ".cmake"))
               for match in CMAKE_OPTION.finditer(text) for name in match.groups() if name}
    options.update(name for path, text in texts.items() if path.endswith((".h", ".cpp")) for name in MACRO.findall(text))
    known = {entry["name"] for entry in declared}
    faults = []
    for path, text in texts.items():
        for name in names_in(path, text):
            if name not in known | NO_VARIABLES and not (path.endswith(DOCUMENTS) and name in options):
                faults.append(f"{path}: {name} is not declared in {redraw_options.DEFINITIONS}")
        if path.startswith(BY_CONSTANT):
            faults += [f"{path}: {name} is read by its constant of profiler/settings/variables.h" for name in READ_BY_LITERAL.findall(text) if name in known]
    rest = "\n".join(text for path, text in texts.items() if path not in GENERATED and not path.endswith(DOCUMENTS))
    for entry in declared:
        if not re.search(rf"settings::{entry['id']}\b|\b{entry['name']}\b", rest):
            faults.append(f"{redraw_options.DEFINITIONS}: nothing uses {entry['name']}")
    return sorted(set(faults))


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..")
    declared = redraw_options.read(root)
    return tree.report(check(root, declared), f"{len(declared)} variables")


if __name__ == "__main__":
    sys.exit(main())
