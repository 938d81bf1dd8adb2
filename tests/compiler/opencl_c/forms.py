# SPDX-License-Identifier: Apache-2.0
"""What skmd-compile says of a file's kernels, for tests that run their yielding forms."""
import re
import subprocess


def compiled(compiler, file, *words):
    """skmd-compile's output."""
    done = subprocess.run([compiler, *words, file], capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"skmd-compile {words}: {done.stderr}")
    return done.stdout


def forms(compiler, file):
    """Of each kernel with a yield point in every loop: whether items leave together, and words of state an item and a group."""
    found = re.findall(r"kernel (\w+): \d+ yield points?, items (of a group leave together|leave one by one); "
                       r"state: (\d+) bytes an item, (\d+) a group", compiled(compiler, file, "--yields", "--yielding", "every"))
    return {name: (way != "leave one by one", int(item) // 4, int(group) // 4) for name, way, item, group in found}
