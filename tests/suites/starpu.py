# SPDX-License-Identifier: Apache-2.0
"""StarPU's packaged examples whose tasks have OpenCL kernels, with no other processing unit. The others look for their kernels in a folder that is not packaged, or have none."""
from harness import Suite, Test

FOLDER = "/usr/lib/x86_64-linux-gnu/starpu/examples"
NAMES = ("vector_scal", "block", "fblock", "incrementer", "incrementer_cpp", "matvecmult", "variable")


def tests(quick):
    environment = (("STARPU_NCPU", "0"), ("STARPU_OPENCL_ON_CPUS", "1"), ("STARPU_HOME", "{folder}"), ("STARPU_SILENT", "1"))
    return [Test(name, (f"{FOLDER}/{name}",), env=environment) for name in NAMES]


SUITE = Suite("starpu", ("starpu-examples",), tests)
