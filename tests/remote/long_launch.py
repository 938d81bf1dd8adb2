# SPDX-License-Identifier: Apache-2.0
"""An application with one launch that takes a second or two, whose every value is known beforehand. When the launch is under way it
prints `launched` and how many seconds that will take, then as JSON how many values are `wrong`.
"""
import json
import time

import numpy
import pyopencl as cl

N = 1 << 17
STEPS = 1 << 17
MULTIPLIER, INCREMENT = 1664525, 1013904223
SOURCE = """
kernel void generate(global const uint* from, global uint* to, uint steps) {
  size_t i = get_global_id(0);
  uint x = from[i];
  for (uint k = 0; k < steps; ++k) x = x * 1664525u + 1013904223u + (x >> 31);
  to[i] = x;
}"""


def reference(values, steps):
    values = values.astype(numpy.uint32)
    with numpy.errstate(over="ignore"):
        for _ in range(steps):
            values = values * numpy.uint32(MULTIPLIER) + numpy.uint32(INCREMENT) + (values >> numpy.uint32(31))
    return values


def main():
    platform, = cl.get_platforms()
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    kernel = cl.Program(context, SOURCE).build(cache_dir=False).generate
    # A few values that repeat, so that the reference takes milliseconds.
    few = numpy.arange(16, dtype=numpy.uint32) * 2654435
    values = numpy.tile(few, N // few.size)
    flags = cl.mem_flags
    source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=values)
    target = cl.Buffer(context, flags.READ_WRITE, values.nbytes)
    for _ in range(2):  # the first one waits for compilers
        start = time.monotonic()
        kernel(queue, (N // 4,), (64,), source, target, numpy.uint32(STEPS))
        queue.finish()
        took = 4 * (time.monotonic() - start)
    kernel(queue, (N,), (64,), source, target, numpy.uint32(STEPS))
    queue.flush()
    print("launched", took, flush=True)
    result = numpy.empty_like(values)
    cl.enqueue_copy(queue, result, target)
    expected = numpy.tile(reference(few, STEPS), N // few.size)
    print(json.dumps({"wrong": int((result != expected).sum())}))


main()
