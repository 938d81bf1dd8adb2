# SPDX-License-Identifier: Apache-2.0
"""Input for the programs beside it, and their way of saying what is right."""
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

N = 100_003
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
random = np.random.default_rng(11)
floats = random.random(N, dtype=np.float32)
more_floats = random.random(N, dtype=np.float32) + np.float32(0.5)
ints = random.integers(-1000, 1000, N, dtype=np.int32)
a, b, i = (cl_array.to_device(queue, values) for values in (floats, more_floats, ints))
_wrong = 0


def check(name, here, there, tolerance=0.0):
    global _wrong
    here = here.get() if isinstance(here, cl_array.Array) else np.asarray(here)
    ok = here.shape == np.shape(there) and (np.allclose(here, there, rtol=tolerance, atol=tolerance) if tolerance else np.array_equal(here, there))
    _wrong += not ok
    print(f"{name}: {'ok' if ok else 'wrong'}", flush=True)


def finish():
    raise SystemExit(_wrong > 0)
