#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Why launches stay whole: one kernel for each reason that two PoCL devices can show, and some that only look like one.
The kernels run in a pyopencl program (this script with --child) under skmd-run; the reasons come from the statistics, the
results are checked in the child.

usage: reasons_test.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile

DEVICES = "portable:pthread@discrete,portable:basic@discrete"
N = 4096

# name: (reason or None for a split, body, [second kernel argument]) - `out` and `in` are buffers of N uints.
CASES = {
    "plain": (None, "out[i] = in[i] + 1;"),
    "atomic_used": ("atomic_result_used", "out[atomic_inc(&in[0]) % N] = 1;"),
    "atomic_unused": (None, "atomic_add(&out[in[i] % 16], 1u);"),
    "atomics_of_two_kinds": ("unmergeable", "atomic_add(&out[in[i] % 16], 1u); atomic_max(&out[in[i] % 8], 5u);"),
    "volatile_read": ("spinning", "volatile __global uint *v = in; out[i] = v[i] + 1;"),
    "prints": ("printf", 'if (i == N) printf("%u", in[0]); out[i] = in[i];'),
    "group_sum": (None, "__local uint s[64]; s[get_local_id(0)] = in[i]; barrier(CLK_LOCAL_MEM_FENCE);"
                        "uint t = 0; for (int k = 0; k < 64; ++k) t += s[k]; if (get_local_id(0) == 0) out[get_group_id(0)] = t;"),
    "local_atomics": (None, "__local uint c; if (get_local_id(0) == 0) c = 0; barrier(CLK_LOCAL_MEM_FENCE);"
                            "atomic_inc(&c); barrier(CLK_LOCAL_MEM_FENCE); out[i] = c;"),
    "scatters": (None, "out[in[i] % N] = 7;"),
    "global_fence": (None, "out[i] = in[i]; mem_fence(CLK_GLOBAL_MEM_FENCE);"),
    "keeps_pointer": ("pointer_in_memory", "__global uint *p = &in[i]; ((__global ulong *)out)[i / 2] = (ulong)p;"),
    # Elements of one and of four bytes in one buffer, both at unknown places: no unit to merge by, and what decides the
    # places was written by the same launch, so that stores cannot be replayed either.
    "mixed_elements": ("unmergeable", "in[i] += 1; if (i & 1) out[in[i] % N] = 7; else ((__global uchar *)out)[in[i] % N] = 7;"),
    "mixed_replayed": (None, "if (i & 1) out[in[i] % N] = 7; else ((__global uchar *)out)[in[i] % N] = 7;"),
    "float_index_alike": (None, "out[(uint)(sqrt((float)(i * (ulong)i)) + 0.5f)] = 1;"),
}
SOURCE = "#define N {0}u\n".format(N) + "".join(
    f"__kernel void {name}(__global uint *out, __global uint *in) {{ uint i = get_global_id(0); {case[1]} }}\n" for name, case in CASES.items())
SOURCE += """
__kernel void image_in(__read_only image2d_t image, __global uint *out) {
  int i = get_global_id(0); out[i] = read_imageui(image, (int2)(i % 64, i / 64)).x; }
__kernel void image_out(__write_only image2d_t image, __global uint *in) {
  int i = get_global_id(0); write_imageui(image, (int2)(i % 64, i / 64), (uint4)(in[i])); }
__kernel void image_anywhere(__write_only image2d_t image, __global uint *in) {
  int i = get_global_id(0); write_imageui(image, (int2)(in[i] % 64, in[i] / 64), (uint4)(in[i])); }
"""
EXPECTED = {**{name: case[0] for name, case in CASES.items()}, "image_in": None, "image_out": None, "image_anywhere": "unmergeable"}


def child():
    import numpy as np
    import pyopencl as cl

    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    flags = cl.mem_flags
    values = np.arange(N, dtype=np.uint32)
    for name in CASES:
        data = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=values)
        out = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=np.zeros(N, np.uint32))
        getattr(program, name)(queue, (N,), (64,), out, data)
        result = np.empty(N, np.uint32)
        cl.enqueue_copy(queue, result, out)
        check = {"plain": lambda: (result == values + 1).all(), "atomic_unused": lambda: (result[:16] == N // 16).all(),
                 "atomic_used": lambda: result.sum() > 0, "group_sum": lambda: result.sum() == values.sum(),
                 "local_atomics": lambda: (result == 64).all(), "scatters": lambda: (result == 7).all(),
                 "volatile_read": lambda: (result == values + 1).all(), "float_index_alike": lambda: (result == 1).all()}.get(name)
        assert check is None or check(), f"{name}: wrong result"
    form = cl.ImageFormat(cl.channel_order.R, cl.channel_type.UNSIGNED_INT32)
    image = cl.Image(context, flags.READ_WRITE, form, shape=(64, N // 64))
    data = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=values)
    out = cl.Buffer(context, flags.READ_WRITE, 4 * N)
    program.image_out(queue, (N,), (64,), image, data)
    program.image_in(queue, (N,), (64,), image, out)
    result = np.empty(N, np.uint32)
    cl.enqueue_copy(queue, result, out)
    assert (result == values).all(), "images: wrong result"
    program.image_anywhere(queue, (N,), (64,), image, data)
    program.image_in(queue, (N,), (64,), image, out)
    cl.enqueue_copy(queue, result, out)
    assert (result == values).all(), "images: wrong result at coordinates from memory"


def run(build, mode):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        subprocess.run([f"{build}/bin/skmd-run", "--devices", DEVICES, "--partition", mode, "--stats", stats, "--cache-dir",
                        f"{build}/tests/driver/cache", "--", sys.executable, __file__, "--child"],
                       env={**os.environ, "POCL_DEVICES": "pthread basic", "PYOPENCL_NO_CACHE": "1"}, check=True, timeout=300)
        with open(stats, encoding="utf-8") as file:
            return {kernel["name"]: kernel for kernel in json.load(file)["kernels"]}


def main():
    build = sys.argv[1]
    failed = False
    for mode in ("equal", "fixed:40,60", "single"):
        kernels = run(build, mode)
        for name, reason in EXPECTED.items():
            launches = 2 if name == "image_in" else 1
            expected = {"mode_single": launches} if mode == "single" else {reason: launches} if reason else {}
            entry = kernels.get(name, {"not_split": "never launched", "split_launches": -1})
            ok = entry["not_split"] == expected and entry["split_launches"] == (0 if expected else launches)
            failed = failed or not ok
            print(f"{'ok     ' if ok else 'FAILED '} {mode} {name}: not split {entry['not_split']}, expected {expected or 'a split'}")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child()
    else:
        sys.exit(main())
