#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Array expressions with pyopencl.array, which writes its kernels itself, compared with NumPy."""
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.clmath as cl_math


def main():
    random = np.random.default_rng(2)
    x, y = (random.random(1 << 20, np.float32) for _ in range(2))
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    device_x, device_y = (cl_array.to_device(queue, values) for values in (x, y))
    hypotenuse = cl_math.sqrt(device_x * device_x + device_y * device_y)
    mixed = 2 * hypotenuse - device_x / (1 + device_y)
    expected = 2 * np.sqrt(x * x + y * y) - x / (1 + y)
    error = float(np.max(np.abs(mixed.get() - expected)))
    print(f"largest error over {x.size} elements: {error:.2g}")
    return 0 if error < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
