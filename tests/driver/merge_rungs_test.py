#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Merge rungs by force: kernels that scatter, on two and on three PoCL devices, with SKMD_TEST_RUNGS naming one rung. What
the application reads must be what PoCL alone gives, byte for byte, and every launch must have taken that rung.
The kernels run in a pyopencl program (this script with --child).

usage: merge_rungs_test.py BUILD
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

N = 4096
LINE = ((N,), (64,), None)
# name: (geometry, rungs that can merge it, body) - every buffer has N uints; `out` starts with a pattern, `perm` is a
# permutation, `data` are numbers below N, `n` is N.
CASES = {
    "permutation": (LINE, "kernel diff", "out[perm[i]] = data[i] * 3;"),
    "arithmetic": (LINE, "kernel diff", "out[(i * 389) % n] = data[i] + i;"),
    "multiplication_wraps": (LINE, "kernel diff", "int k = (int)i * 1234567891; out[(uint)k % n] = 7;"),
    "guard_from_data": (LINE, "kernel diff", "if (data[i] & 1) out[perm[i]] = i; else if (data[i] % 3 == 0) out[perm[i]] = ~i;"),
    "offset": (((N - 192,), (64,), (128,)), "kernel diff", "out[perm[i]] = data[i] ^ (uint)get_global_offset(0);"),
    "two_dimensions": (((64, 64), (16, 4), None), "kernel diff",
                       "uint x = get_global_id(0), y = get_global_id(1); out[perm[x * 64 + y]] = data[y * 64 + x] + (uint)get_group_id(1);"),
    "three_dimensions": (((16, 16, 16), (4, 2, 8), (0, 0, 0)), "kernel diff",
                         "uint k = get_global_id(0) + 16 * (get_global_id(1) + 16 * get_global_id(2)); out[perm[k]] = data[k] + (uint)get_local_id(2);"),
    "loop": (((N // 16,), (16,), None), "kernel diff", "for (uint k = 0; k < 16; ++k) out[perm[i * 16 + k]] = data[i * 16 + k] + k;"),
    "loop_bound_from_data": (((N // 16,), (16,), None), "kernel diff",
                             "for (uint k = 0; k < data[i] % 16; ++k) out[perm[i * 16 + k]] = k;"),
    "dead_loop": (LINE, "kernel diff", "float s = 0; for (uint k = 0; k < 50 && s < 1e9f; ++k) s += (float)data[(i + k) % n];"
                                       "out[perm[i]] = as_uint(s);"),
    "barriers": (LINE, "kernel diff", "__local uint t[64]; uint l = get_local_id(0); t[l] = data[i]; barrier(CLK_LOCAL_MEM_FENCE);"
                                      "out[perm[i]] = t[63 - l] + t[l];"),
    "one_of_a_group": (LINE, "kernel diff", "__local uint t; if (get_local_id(0) == 0) t = data[i]; barrier(CLK_LOCAL_MEM_FENCE);"
                                            "if (get_local_id(0) == 5) out[perm[get_group_id(0)]] = t;"),
    "divisions": (LINE, "kernel diff", "int d = (int)(data[i] % 5) - 2; int q = (int)i / (d == 0 ? 1 : d); out[perm[(uint)q % n]] = 1;"),
    "private_table": (LINE, "kernel diff", "uint t[4]; for (int k = 0; k < 4; ++k) t[k] = perm[(i + k) % n];"
                                           "out[t[data[i] % 4] / 4 * 4 + i % 4] = 9;"),
    "table_of_the_program": (LINE, "kernel diff", "out[perm[i] ^ odd_bits[perm[i] / 8 % 4]] = data[i];"),
    "in_place": (LINE, "kernel diff", "out[perm[i]] += data[i];"),
    "same_value": (LINE, "kernel diff", "if (i % 2) out[perm[i]] = 0x01020304u; else out[perm[i]] = i;"),
    "vectors": (((N // 4,), (64,), None), "kernel diff", "((__global uint4 *)out)[perm[i] % (n / 4)] = (uint4)(perm[i] % (n / 4), 1, 2, 3);"),
    "three_of_four": (((N // 4,), (64,), None), "kernel diff", "vstore3((uint3)(1, 2, 3) + perm[i] % (n / 4), perm[i] % (n / 4), out);"),
    "bytes_and_words": (LINE, "kernel", "if (i & 1) out[perm[i]] = 7; else ((__global uchar *)out)[perm[i] * 4 + 1] = 7;"),
    "unaligned": (LINE, "kernel diff", "vstore2((uchar2)(1, 2), 0, (__global uchar *)out + (perm[i] * 4 + 1));"),
    "structures": (((N // 4,), (64,), None), "kernel diff",
                   "pair p; p.a = data[i]; p.b = i; p.c[0] = 1; p.c[1] = data[i]; ((__global pair *)out)[perm[i] % (n / 4)] = ((i >> 1) == i) ? p : (pair){4, 3, {2, perm[i] % (n / 4)}};"),
    "structures_apart": (((N // 4,), (64,), None), "kernel diff",
                         "pair p; p.a = data[i]; p.b = i; p.c[0] = 1; p.c[1] = data[i]; ((__global pair *)out)[(i * 389) % (n / 4)] = p;"),
    "bytes": (LINE, "kernel diff", "((__global uchar *)out)[perm[i]] = (uchar)(data[i] + 1);"),
    "shorts": (LINE, "kernel diff", "((__global ushort *)out)[perm[i]] = (ushort)(data[i] + 1);"),
    "longs": (((N // 2,), (64,), None), "kernel diff", "((__global ulong *)out)[(i * 389) % (n / 2)] = ((ulong)data[i] << 32) + i;"),
    "two_outputs": (LINE, "kernel diff", "out[perm[i]] = data[i]; more[(i * 5) % n] = i;"),
    "copies_of_a_group": (LINE, "kernel diff", "__local uint t[64]; t[get_local_id(0)] = data[i] + 1; barrier(CLK_LOCAL_MEM_FENCE);"
                                               "event_t e = async_work_group_copy(out + (get_group_id(0) * 5 % 64) * 64, t, 64, 0); wait_group_events(1, &e);"),
    "float_decides": (LINE, "diff", "out[(uint)((float)perm[i])] = data[i];"),
    "local_decides": (LINE, "diff", "__local uint t[64]; uint l = get_local_id(0); t[l] = perm[i]; barrier(CLK_LOCAL_MEM_FENCE); out[t[63 - l]] = l;"),
    "own_output_decides": (LINE, "diff", "if (more[i] < 100000) { more[i] = data[i]; out[perm[(more[i] + i) % n]] = 5; }"),
}
SOURCE = "typedef struct { uint a, b; uint c[2]; } pair;\n__constant uint odd_bits[4] = {1, 3, 5, 7};\n" + "".join(
    f"__kernel void {name}(__global uint *out, __global uint *more, __global const uint *perm, __global const uint *data, uint n) {{\n"
    f"  uint i = get_global_id(0);\n  {body}\n}}\n" for name, (_, _, body) in CASES.items())
# POCL_DEVICES, --devices, --partition
MACHINES = {
    "two": ("pthread basic", "portable:pthread@discrete,portable:basic@discrete", "equal"),
    "three": ("pthread basic pthread", "portable:0@discrete,portable:1,portable:2@discrete", "fixed:20,50,30"),
}


def child(folder):
    import numpy as np
    import pyopencl as cl

    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    random = np.random.default_rng(389)
    perm = random.permutation(N).astype(np.uint32)
    data = random.integers(0, N, N, dtype=np.uint32)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    for name, ((size, local, offset), _, _) in CASES.items():
        pattern = (np.arange(N, dtype=np.uint32) * 0x01000193 + 0x01020304) if name != "same_value" else np.full(N, 0x01020304, np.uint32)
        out, more = (cl.Buffer(context, flags, hostbuf=pattern) for _ in range(2))
        inputs = [cl.Buffer(context, flags, hostbuf=values) for values in (perm, data)]
        for _ in range(2):  # the second time, results lie where the first merge left them
            getattr(program, name)(queue, size, local, out, more, *inputs, np.uint32(N), global_offset=offset)
        for label, buffer in (("out", out), ("more", more)):
            result = np.empty(N, np.uint32)
            cl.enqueue_copy(queue, result, buffer)
            result.tofile(os.path.join(folder, f"{name}.{label}"))


def run(build, folder, machine, rungs):
    os.makedirs(folder)
    cache = os.path.join(build, "tests", "driver", "cache")
    environment = {**os.environ, "POCL_DEVICES": "pthread", "PYOPENCL_NO_CACHE": "1", "POCL_CACHE_DIR": os.path.join(cache, "pocl")}
    os.makedirs(environment["POCL_CACHE_DIR"], exist_ok=True)
    program = [sys.executable, __file__, "--child", folder]
    stats = os.path.join(folder, "stats.json")
    if machine:
        environment["POCL_DEVICES"], devices, partition = MACHINES[machine]
        if rungs:
            environment["SKMD_TEST_RUNGS"] = rungs
        program = [f"{build}/bin/skmd-run", "--devices", devices, "--partition", partition, "--stats", stats, "--cache-dir", cache,
                   "--", *program]
    subprocess.run(program, env=environment, check=True, timeout=300)
    if not machine:
        return {}
    with open(stats, encoding="utf-8") as file:
        return {kernel["name"]: kernel for kernel in json.load(file)["kernels"]}


def differs(folder, reference, name):
    return [label for label in ("out", "more")
            if pathlib.Path(folder, f"{name}.{label}").read_bytes() != pathlib.Path(reference, f"{name}.{label}").read_bytes()]


def check(name, kernel, rungs, wrong):
    """What is wrong with one case on one machine, or nothing."""
    able = CASES[name][1].split()
    if wrong:
        return f"wrong bytes in {', '.join(wrong)}"
    if rungs and rungs not in able:
        return None if kernel["not_split"] == {"unmergeable": 2} else f"{rungs} was to refuse it: {kernel}"
    merges = kernel["merge"]
    expected = rungs or able[-1]  # without force, the difference where it can
    if kernel["split_launches"] != 2 or merges[expected] < 2 or any(merges[other] for other in merges if other not in (expected, "disjoint")):
        return f"{expected} was to merge it: {kernel}"
    return None


def main():
    build = sys.argv[1]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        reference = os.path.join(folder, "reference")
        run(build, reference, None, None)
        for machine, rungs in (("two", "kernel"), ("three", "kernel"), ("two", "diff"), ("two", None), ("three", None)):
            results = os.path.join(folder, f"{machine}-{rungs}")
            kernels = run(build, results, machine, rungs)
            for name in CASES:
                fault = check(name, kernels[name], rungs, differs(results, reference, name))
                failed = failed or fault is not None
                print(f"{'FAILED ' if fault else 'ok     '} {machine} {rungs or 'any'} {name}{': ' + fault if fault else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(sys.argv[2])
    else:
        sys.exit(main())
