# SPDX-License-Identifier: Apache-2.0
"""What the checkers of this folder and their tests share: the files of a tree, what is printed of faults, and small trees with planted ones."""
import contextlib
import os
import tempfile


def files_of(root):
    """Relative paths, sorted; not those that a build made or that are hidden, but .ci's."""
    for folder, folders, names in os.walk(root):
        at_root = os.path.relpath(folder, root) == "."
        folders[:] = sorted(name for name in folders if name == ".ci" or not (name.startswith(".") or name == "__pycache__" or at_root and name == "build"))
        for name in sorted(names):
            yield os.path.normpath(os.path.join(os.path.relpath(folder, root), name))


def report(faults, looked_at):
    """Prints them and what was looked at; the exit status."""
    for fault in faults:
        print(fault)
    print(f"{looked_at}, {len(faults)} faults")
    return 1 if faults else 0


@contextlib.contextmanager
def planted(files):
    """A folder with these files, {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        yield root
