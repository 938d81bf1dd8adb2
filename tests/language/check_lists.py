#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every tests/**/*_test.cpp stands in a CMakeLists.txt or a .cmake file of its folder or one above it, so that it is compiled and run: check_lists.py [ROOT]"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tree  # noqa: E402


def lists_of(root, folder):
    for name in sorted(os.listdir(os.path.join(root, folder))):
        if name == "CMakeLists.txt" or name.endswith(".cmake"):
            with open(os.path.join(root, folder, name), encoding="utf-8") as file:
                yield file.read()


def is_listed(root, path):
    folder = os.path.dirname(path)
    while folder:
        if any(os.path.relpath(path, folder) in text for text in lists_of(root, folder)):
            return True
        folder = os.path.dirname(folder)
    return False


def check(root):
    tests = [path for path in tree.files_of(root) if path.startswith("tests/") and path.endswith("_test.cpp")]
    return [f"{path}: is in no list of CMake's, and never runs" for path in tests if not is_listed(root, path)], len(tests)


def main():
    faults, count = check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", ".."))
    return tree.report(faults, f"{count} tests") or (0 if count else 1)


if __name__ == "__main__":
    sys.exit(main())
