# SPDX-License-Identifier: Apache-2.0
"""OpenCV's functions on UMats (programs/opencv_umat.py), which it runs in OpenCL: against its own code for the processor within a tolerance, and byte by byte
against what PoCL alone computes. An error in OpenCL is one here: OpenCV does not fall back. Not here: HoughLines, which spoils its own heap on PoCL."""
import os
import re

from harness import Suite, Test

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = ("arithmetic", "mathematics", "reductions", "shape", "filters", "morphology", "geometry", "colours", "features", "video")
_LINE = re.compile(r"^(\w+): (near|far .*|used|not used)$", re.MULTILINE)
_BYTES = re.compile(r"^(\w+ bytes): ([0-9a-f]{8})$", re.MULTILINE)
# The device is of the type CPU, which OpenCV does not take by itself. Its cache of binaries has PoCL compile every kernel of a program.
ENVIRONMENT = (("OPENCV_OPENCL_DEVICE", ":CPU|GPU|ACCELERATOR:"), ("OPENCV_OPENCL_RAISE_ERROR", "1"), ("OPENCV_OPENCL_CACHE_ENABLE", "0"))


def read(finished):
    outcomes = {name: "pass" if said in ("near", "used") else "fail" for name, said in _LINE.findall(finished.output)}
    outcomes |= {name: "=" + checksum for name, checksum in _BYTES.findall(finished.output)}
    return outcomes | {"exit": "pass" if finished.status == 0 else "fail"}


def tests(quick):
    program = os.path.join(HERE, "programs", "opencv_umat.py")
    return [Test(group, ("/usr/bin/python3", "-B", program, group), read, env=ENVIRONMENT) for group in GROUPS]


SUITE = Suite("opencv", ("python3-opencv", "python3-numpy"), tests)
