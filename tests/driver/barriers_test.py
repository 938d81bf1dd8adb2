#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A kernel with eighty barriers on the CPU driver, as vectors: each instruction set gives what NumPy does (this script with --child under
skmd-run).

usage: barriers_test.py BUILD
"""
import os
import re
import subprocess
import sys
import tempfile

STEPS, GROUP = 40, 64
LAUNCHES = ((4096, 5), (640, 50), (64, 200))  # items, and the kernel's n


def source():
    """Items write their own places only, and read others' between barriers; some steps are left out by n."""
    steps = "".join(f"""
  if (x % {3 + i % 5} != {i % 3}) t[x] = s[(x + {i * 7 + 1}) & 63] * {2 * i + 3} + v;
  barrier(CLK_LOCAL_MEM_FENCE);
  {f"if (n > {i})" if i % 4 == 0 else ""} {{
    v ^= t[(x * {i | 1}) & 63] + {i};
    for (int k = 0; k < n % 7; ++k) v += t[(x + k) & 63];
  }}
  s[x] = t[x] + v;
  barrier(CLK_LOCAL_MEM_FENCE);""" for i in range(STEPS))
    return f"""
__kernel void many(__global uint *out, __local uint *s, __local uint *t, int n) {{
  uint x = get_local_id(0), v = get_global_id(0) * 17;
  s[x] = v;
  t[x] = x;
  barrier(CLK_LOCAL_MEM_FENCE);{steps}
  out[get_global_id(0)] = v + s[x] + t[x];
}}"""


def expected(items, n):
    import numpy as np
    v = (np.arange(items, dtype=np.uint32) * np.uint32(17)).reshape(-1, GROUP)
    x = np.arange(GROUP)
    s, t = v.copy(), np.broadcast_to(x.astype(np.uint32), v.shape).copy()
    for i in range(STEPS):
        written = s[:, (x + i * 7 + 1) & 63] * np.uint32(2 * i + 3) + v
        t = np.where(x % (3 + i % 5) != i % 3, written, t)
        if i % 4 != 0 or n > i:
            v = v ^ (t[:, (x * (i | 1)) & 63] + np.uint32(i))
            for k in range(n % 7):
                v = v + t[:, (x + k) & 63]
        s = t + v
    return (v + s + t).ravel()


def child():
    import numpy as np
    import pyopencl as cl
    device, = cl.get_platforms()[0].get_devices()
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    kernel = cl.Program(context, source()).build().many
    for items, n in LAUNCHES:
        buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * items)
        kernel(queue, (items,), (GROUP,), buffer, cl.LocalMemory(4 * GROUP), cl.LocalMemory(4 * GROUP), np.int32(n))
        found = np.empty(items, np.uint32)
        cl.enqueue_copy(queue, found, buffer)
        queue.finish()
        if not np.array_equal(found, expected(items, n)):
            sys.exit(f"{items} items, n {n}: another result")


def main(build):
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        kernel = os.path.join(folder, "many.cl")
        with open(kernel, "w", encoding="utf-8") as file:
            file.write(source())
        env = {name: value for name, value in os.environ.items() if not name.startswith("SKMD_")}
        env |= {"SKMD_CACHE_DIR": os.path.join(folder, "cache"), "SKMD_PROFILE_DB": "off"}
        for isa in ("sse", "avx2", "avx512"):  # at most: the processor may have less
            remarks = subprocess.run([os.path.join(build, "bin", "skmd-compile"), "--kernel", "many", "--emit", "remarks", "--isa", isa, kernel],
                                     stdout=subprocess.PIPE, text=True, check=True, env=env).stdout
            done = subprocess.run([os.path.join(build, "bin", "skmd-run"), "--devices", "cpu", "--", sys.executable, os.path.abspath(__file__), "--child"],
                                  env=env | {"SKMD_TEST_ISA": isa}, check=False)
            good = done.returncode == 0 and re.search(r"region 0: (4|8|16) lanes", remarks) is not None
            print(f"{'ok     ' if good else 'FAILED '} {isa}", flush=True)
            failed |= not good
    return failed


if __name__ == "__main__":
    sys.exit(child() if "--child" in sys.argv else main(sys.argv[1]))
