# SPDX-License-Identifier: Apache-2.0
"""Boost.Compute: the examples that its documentation's package ships, and two programs over its algorithms (programs/boost_*.cpp), which compare with the
standard library. Its own tests are not packaged. Of the examples those are left out that need a window, a picture,
OpenCV, Eigen (does not compile), another Boost library or another vendor's compiler."""
import os
import re

from harness import Suite, Test, by_status

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = "/usr/share/doc/libboost1.74-doc/examples/libs/compute/example"
# What these print is the same on every device; the others print times or names.
SAME = ("copy_data", "fizz_buzz", "host_sort", "longest_vector", "mapped_view", "point_centroid",
        "price_cross", "print_vector", "simple_kernel", "simple_moving_average", "sort_vector", "threefry_engine", "transform_sqrt", "vector_addition")
OTHERS = ("black_scholes", "hello_world", "list_devices", "memory_limits", "monte_carlo", "opencl_test", "time_copy")
_DEVICE = re.compile(r"^device: .*\n", re.MULTILINE)
_LINE = re.compile(r"^(.+): (ok|wrong)$", re.MULTILINE)


def read_lines(finished):
    outcomes = {name: "pass" if said == "ok" else "fail" for name, said in _LINE.findall(finished.output)}
    return outcomes | {"exit": "pass" if finished.status == 0 else "fail"}


def read_text(finished):
    return {"": "=" + _DEVICE.sub("", finished.output) if finished.status == 0 else "fail"}


def compiler(path, *options):
    return ("g++", "-std=c++17", "-O0", "-w", "-DCL_TARGET_OPENCL_VERSION=120", *options, path, "-o", "{program}", "-lOpenCL")


def example(name):
    return Test(name, ("{program}",), read_text if name in SAME else by_status,
                source=compiler(os.path.join(EXAMPLES, f"{name}.cpp"), "-DCI_BUILD"))


def tests(quick):
    programs = [Test(name, ("{program}",), read_lines, source=compiler(os.path.join(HERE, "programs", f"{name}.cpp"))) for name in ("boost_numbers", "boost_order")]
    return programs + [example(name) for name in (*SAME, *OTHERS)]


SUITE = Suite("boost_compute", ("g++", "libboost1.74-dev", "libboost1.74-doc", "ocl-icd-opencl-dev"), tests)
