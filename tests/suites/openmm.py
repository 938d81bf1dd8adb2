# SPDX-License-Identifier: Apache-2.0
"""OpenMM's OpenCL platform against its reference (programs/particles.py). Its own tests are not packaged."""
import os

from harness import Suite, Test
from pyopencl_tests import read_lines

HERE = os.path.dirname(os.path.abspath(__file__))


def tests(quick):
    return [Test("particles", ("/usr/bin/python3", "-B", os.path.join(HERE, "programs", "particles.py")), read_lines)]


SUITE = Suite("openmm", ("python3-simtk", "libopenmm-plugins", "python3-numpy"), tests)
