# SPDX-License-Identifier: Apache-2.0
"""Instruction sets that tests may run code for on this machine: what the processor has, up to the cap SKMD_TEST_ISA."""
import os
import pathlib

ISAS = ("sse", "avx2", "avx512")
# LLVM's name of a processor that has just this, and the flags of /proc/cpuinfo that it stands for.
PROCESSORS = {"sse": "x86-64-v2", "avx2": "x86-64-v3", "avx512": "x86-64-v4"}
FLAGS = {"sse": {"sse4_1", "sse4_2", "ssse3", "popcnt"},
         "avx2": {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe"},
         "avx512": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}


def flags_of(text):
    """The flags that every processor of a /proc/cpuinfo's text has."""
    lists = [set(line.split(":", 1)[1].split()) for line in text.splitlines() if line.startswith("flags")]
    return set.intersection(*lists) if lists else set()


def usable(flags, cap=""):
    """The names in ISAS, least first. A cap that is no such name, such as avx512vbmi, leaves all."""
    names = []
    for isa in ISAS:
        if not FLAGS[isa] <= flags:
            break
        names.append(isa)
        if isa == cap:
            break
    return names


def usable_here():
    return usable(flags_of(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")), os.environ.get("SKMD_TEST_ISA", ""))
