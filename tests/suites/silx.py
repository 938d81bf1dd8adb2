# SPDX-License-Identifier: Apache-2.0
"""Python libraries for X-ray pictures and transforms, by the tests that their packages ship: silx's OpenCL modules, pyFAI's, and gpyfft, which is clFFT for
pyopencl. Not here: modules all of whose tests want pictures from the network or skip what they take for a known bug of the driver (silx: image, linalg,
medfilt, projections; pyFAI: peak finder, sorting), and one that asks how large a work-group every device of the machine takes."""
from harness import Suite, Test
from pyopencl_tests import ENVIRONMENT, read_junit

SILX = ("codec.test.test_byte_offset", "test.test_addition", "test.test_array_utils", "test.test_convolution", "test.test_doubleword", "test.test_kahan",
        "test.test_sparse", "test.test_stats")
PYFAI = ("test_ocl_azim_csr", "test_ocl_histo")
GPYFFT = ("test_batched", "test_callback", "test_gpyfft", "test_gpyfftlib")
LEFT_OUT = "not (TestAddition and test_measurement)"


def pytest(module):
    argv = ("/usr/bin/python3", "-B", "-m", "pytest", "-q", "-k", LEFT_OUT, "-p", "no:cacheprovider", "--junit-xml={folder}/junit.xml", "--pyargs", module)
    return Test(module.replace(".opencl", "").replace(".test", "", 1), argv, read_junit, env=(*ENVIRONMENT, ("HOME", "{folder}"), ("QT_QPA_PLATFORM", "offscreen")))


def tests(quick):
    modules = [f"silx.opencl.{name}" for name in SILX] + [f"pyFAI.opencl.test.{name}" for name in PYFAI] + [f"gpyfft.test.{name}" for name in GPYFFT]
    return [pytest(module) for module in modules]


SUITE = Suite("silx", ("python3-silx", "python3-pyfai", "python3-gpyfft", "python3-pytest", "python3-scipy"), tests)
