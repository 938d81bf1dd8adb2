#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that the documentation shows: docs_commands_test.py SOURCE BUILD PAGE…

Every block of a page that stands under `<!-- tested -->` and is fenced as `sh` is run by bash in a copy of the source's top level, where
`build` is BUILD. A block that fails fails the test; a page without such a block does too."""
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"<!-- tested -->\n```sh\n(.*?)```", re.S)


def lay_out(source, build, folder):
    for name in os.listdir(source):
        if not name.startswith(".") and name != "build":
            os.symlink(os.path.join(source, name), os.path.join(folder, name))
    os.symlink(build, os.path.join(folder, "build"))


def environment(folder):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SKMD_", "OCL_ICD"))}
    clean["SKMD_CACHE_DIR"] = os.path.join(folder, "cache")
    clean["SKMD_PROFILE_DB"] = "off"  # what a command shows does not depend on those before it
    # Every reader has at least these two devices.
    clean["POCL_DEVICES"] = "pthread basic"
    return clean


def main():
    source, build = (os.path.abspath(path) for path in sys.argv[1:3])
    failures = 0
    for page in sys.argv[3:]:
        with open(os.path.join(source, page), encoding="utf-8") as file:
            blocks = BLOCK.findall(file.read())
        if not blocks:
            print(f"{page}: no tested block")
            failures += 1
        for block in blocks:
            with tempfile.TemporaryDirectory() as folder:
                lay_out(source, build, folder)
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, env=environment(folder),
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            print(f"== {page}, status {done.returncode}\n{block}-- output\n{done.stdout}")
            failures += done.returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
