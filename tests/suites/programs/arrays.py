# SPDX-License-Identifier: Apache-2.0
"""What programs do with pyopencl's arrays: arithmetic, mathematics, indexing, sums, scans, algorithms. Results are compared with numpy's."""
import numpy as np
import pyopencl.algorithm
import pyopencl.array as cl_array
import pyopencl.clmath
from checks import N, a, b, check, context, finish, floats, i, ints, more_floats, queue
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.scan import ExclusiveScanKernel, GenericScanKernel

check("arithmetic", 2 * a + b / a - 3, 2 * floats + more_floats / floats - 3, 1e-5)
check("in_place", (lambda x: x.__iadd__(b))(a.copy()), floats + more_floats)
check("math", pyopencl.clmath.sin(a), np.sin(floats), 1e-6)
check("compare", (a > b).astype(np.int32), (floats > more_floats).astype(np.int32))
check("reverse", i.reverse(), ints[::-1])
check("take", cl_array.take(i, cl_array.to_device(queue, np.arange(0, N, 3, dtype=np.int32))), ints[::3])
check("if_positive", cl_array.if_positive(i, a, b), np.where(ints > 0, floats, more_floats))
check("slice", a[1000:50_000] + b[2000:51_000], floats[1000:50_000] + more_floats[2000:51_000])
check("arange", cl_array.arange(queue, 7, 70_007, 7, dtype=np.int32), np.arange(7, 70_007, 7))
check("fill", cl_array.zeros(queue, N, np.int32).fill(42), np.full(N, 42))

check("sum", cl_array.sum(i), ints.sum())
check("max", cl_array.max(i), ints.max())
check("min", cl_array.min(a), floats.min())
check("dot", cl_array.dot(i, i), (ints * ints).sum(dtype=np.int32))

collatz = ElementwiseKernel(context, "int *out", "int n = i + 1, s = 0; while (n != 1 && s < 200) { n = n & 1 ? 3 * n + 1 : n / 2; ++s; } out[i] = s", "collatz")
steps = cl_array.empty(queue, 1000, np.int32)
collatz(steps)
check("elementwise_loop", steps[:6], np.array([0, 1, 7, 2, 5, 8]))

running = i.copy()
ExclusiveScanKernel(context, np.int32, "a+b", neutral="0")(running)
check("exclusive_scan", running, ints.cumsum(dtype=np.int32) - ints)
ends = GenericScanKernel(context, np.int32, arguments="__global int *x, __global int *out", input_expr="x[i] > 0 ? 1 : 0", scan_expr="a+b",
                         neutral="0", output_statement="if (item != prev_item) out[prev_item] = x[i];")
kept = cl_array.zeros(queue, N, np.int32)
ends(i, kept)
check("stream_compaction", kept[:int((ints > 0).sum())], ints[ints > 0])
chosen, _rest, count, _event = pyopencl.algorithm.partition(i, "ary[i] < 0")
check("partition", chosen[:int(count.get())], ints[ints < 0])
unique, count, _event = pyopencl.algorithm.unique(cl_array.to_device(queue, np.sort(ints)))
check("unique", unique[:int(count.get())], np.unique(ints))
sort = pyopencl.algorithm.RadixSort(context, "__global int *ary", key_expr="ary[i] + 1000", sort_arg_names=["ary"])
check("radix_sort", sort(i, key_bits=12)[0][0], np.sort(ints))
finish()
