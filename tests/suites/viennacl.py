# SPDX-License-Identifier: Apache-2.0
"""ViennaCL's own tests, whose sources its documentation shows (programs/listing.py takes them from there), with OpenCL: conversions, scans, Fourier transforms, products
of structured matrices, inner products. Not here: those for which PoCL compiles for minutes (dense matrices, bisection), those that want files, and products of
sparse matrices, which spoil the heap on PoCL too."""
import os

from harness import Suite, Test

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = "/usr/share/doc/libviennacl-dev/html"
# name: page
TESTS = {"scan": "scan", "scalar": "scalar", "fft_1d": "fft__1d", "fft_2d": "fft__2d", "structured_matrices": "tests_2src_2structured-matrices",
         "vector_convert": "vector__convert", "vector_multi_inner_prod": "vector__multi__inner__prod", "self_assign": "self__assign"}


def test(name, page):
    listing = f"/usr/bin/python3 -B {os.path.join(HERE, 'programs', 'listing.py')} {PAGES}/{page}_8cpp_source.html > test.cpp"
    make = f"{listing} && g++ -O0 -w -DVIENNACL_WITH_OPENCL -DCL_TARGET_OPENCL_VERSION=120 test.cpp -o {{program}} -lOpenCL"
    return Test(name, ("{program}",), source=("/bin/sh", "-c", make))


def tests(quick):
    return [test(name, page) for name, page in TESTS.items()]


SUITE = Suite("viennacl", ("g++", "libviennacl-dev", "libviennacl-doc", "libboost1.74-dev", "ocl-icd-opencl-dev"), tests)
