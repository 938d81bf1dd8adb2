# SPDX-License-Identifier: Apache-2.0
"""The kernels of the workloads, for tests that compile them without the applications: bench/kernels/*.cl."""
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "kernels")
# What a program that needs it is built with.
MACROS = ("-DWIDTH=32", "-DHEIGHT=8", "-DRADIUS=4", "-DITEMS=128")


def names():
    """Without the ending, in order."""
    return sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith(".cl"))


def source(name):
    with open(os.path.join(FOLDER, f"{name}.cl"), encoding="utf-8") as file:
        return file.read()
