# SPDX-License-Identifier: Apache-2.0
"""Kernels that pyopencl writes for programs: elementwise, reduction, scan, selection. Results are compared with numpy's."""
import numpy as np
import pyopencl.algorithm
import pyopencl.array as cl_array
from checks import a, b, check, context, finish, floats, i, ints, more_floats
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel

axpy = ElementwiseKernel(context, "float s, float *x, float *y, float *out", "out[i] = s * x[i] + y[i]", "axpy")
out = cl_array.empty_like(a)
axpy(np.float32(3), a, b, out)
check("elementwise", out, 3 * floats + more_floats, 1e-6)
squares = ReductionKernel(context, np.int64, neutral="0", reduce_expr="a+b", map_expr="(long) x[i] * x[i]", arguments="__global int *x")
check("reduction", squares(i), (ints.astype(np.int64) ** 2).sum())
running = i.copy()
InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(running)
check("inclusive_scan", running, ints.cumsum(dtype=np.int32))
copied, count, _event = pyopencl.algorithm.copy_if(i, "ary[i] > 500")
check("copy_if", copied[:int(count.get())], ints[ints > 500])
finish()
