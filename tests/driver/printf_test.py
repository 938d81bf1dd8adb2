#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What kernels print on our own CPU driver, beside what PoCL prints for the same program (this script with --child), and
where the text comes in what the application prints itself.

usage: printf_test.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile

# One work-item each, so that the whole text is decided. PoCL 3.1's own mistakes are not asked for.
ONE = r"""
printf("plain\n");
printf("%d %i %u %o %x %X\n", -5, 7, 3000000000u, 8, 255, 255);
printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%#x] [%#o]\n", 42, 42, 42, 42, 42, 42, 42, 42);
printf("%hhd %hd %ld %lu %lx\n", (char)-3, (short)-300, -5000000000l, 18446744073709551615ul, 81985529216486895l);
printf("%f %F %e %E %g %G\n", 1.5f, 2.5f, 12345.678f, 0.001f, 0.5f, 1e10f);
printf("[%8.3f] [%-8.2f] [%08.1f] [%+.0f] [%.10f]\n", 3.14159f, 2.5f, -2.25f, 7.0f, 0.1f);
printf("%f %f\n", INFINITY, -INFINITY);
printf("%c%c%c|%4c|%-4c|\n", 'a', 66, 'c', 'd', 'e');
printf("%s|%10s|%-10s|%.2s\n", "text", "right", "left", "cut");
printf("100%% of %s\n", in[1] == 1 ? "one" : "another");
printf("%v2hlf %v4hld\n", (float2)(1.0f, -2.0f), (int4)(1, -2, 3, -4));
printf("%v4hhx %v3hd %v8hu\n", (uchar4)(1, 20, 30, 255), (short3)(-1, 2, 3), (ushort8)(1, 2, 3, 4, 5, 6, 7, 65535));
printf("[%5.2v4hlf] [%-3v2hld]\n", (float4)(1.0f, 2.25f, -3.5f, 44.0f), (int2)(1, 2));
printf("%v2ld %v2lf\n", (long2)(-1, 1l << 40), (double2)(0.5, -0.25));
printf("%d %s %f %v2hld %c\n", 1, "two", 3.0f, (int2)(4, 4), '5');
"""
SOURCE = f"""
__kernel void one(__global uint *in) {{ {ONE} }}
__kernel void returns(__global int *out) {{ out[0] = printf("returned\\n"); }}
__kernel void lines(__global uint *in) {{
  int i = get_global_id(0);
  if (in[i] % 3 == 0) printf("%d: %u in group %d\\n", i, in[i], (int)get_group_id(0));
}}
__kernel void parts(__global uint *in) {{
  int i = get_global_id(0);
  printf("<%d", i);
  for (uint k = 0; k < in[i] % 4; ++k) printf(" %u", k);
  printf(">\\n");
}}
"""
N = 1000


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def child():
    import numpy as np
    import pyopencl as cl

    device = [d for p in cl.get_platforms() for d in p.get_devices()][0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    flags = cl.mem_flags
    data = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=np.arange(N, dtype=np.uint32))
    out = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=np.full(1, 7, np.int32))
    for name, size, local in (("one", 1, 1), ("returns", 1, 1), ("lines", N, 50), ("parts", N, 20)):
        os.write(1, f"== {name}\n".encode())
        getattr(program, name)(queue, (size,), (local,), out if name == "returns" else data)
        queue.finish()
    os.write(1, b"== end\n")
    got = np.empty(1, np.int32)
    cl.enqueue_copy(queue, got, out)
    assert got[0] == 0, f"printf gave {got[0]}"


def texts(output):
    """The text of each kernel by name."""
    made = {}
    for part in output.split("== ")[1:]:
        name, text = part.split("\n", 1)
        made[name] = text
    return made


def ours(build, folder):
    stats = os.path.join(folder, "stats.json")
    done = subprocess.run([f"{build}/bin/skmd-run", "--devices", "cpu", "--stats", stats, "--cache-dir", f"{build}/tests/driver/cache",
                           "--", sys.executable, __file__, "--child"], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "POCL_DEVICES": "pthread", "SKMD_TEST_CPU_DRIVER": "1", "PYOPENCL_NO_CACHE": "1"})
    expect(done.returncode == 0, f"exit {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    with open(stats, encoding="utf-8") as file:
        return texts(done.stdout), json.load(file)


def pocls(folder):
    vendors = os.path.join(folder, "vendors")
    os.mkdir(vendors)
    with open("/etc/OpenCL/vendors/pocl.icd", encoding="utf-8") as source, open(f"{vendors}/pocl.icd", "w", encoding="utf-8") as copy:
        copy.write(source.read())
    done = subprocess.run([sys.executable, __file__, "--child"], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "OCL_ICD_VENDORS": vendors, "POCL_DEVICES": "pthread", "PYOPENCL_NO_CACHE": "1"})
    expect(done.returncode == 0, f"PoCL: exit {done.returncode}: {done.stderr[-2000:]}")
    return texts(done.stdout)


def main():
    build = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        try:
            mine, stats = ours(build, folder)
            theirs = pocls(folder)
            expect(list(mine) == ["one", "returns", "lines", "parts", "end"], f"kernels printed in {list(mine)}")
            for own, other in zip(mine["one"].splitlines(), theirs["one"].splitlines()):
                expect(own == other, f"we print  {own}\nPoCL says {other}")
            expect(mine["one"] == theirs["one"], "one: lines are missing")
            expect(mine["returns"] == "returned\n", mine["returns"])
            expect(sorted(mine["lines"].splitlines()) == sorted(theirs["lines"].splitlines()), "lines differ")
            expect(len(mine["lines"].splitlines()) == (N + 2) // 3, "lines are missing")
            expected = [f"<{i}{''.join(f' {k}' for k in range(i % 4))}>" for i in range(N)]
            expect(mine["parts"].splitlines() == expected, "lines in parts are torn, or not in order")
            others = stats["other_cpu_driver"]["kernels"]
            expect(not others, f"on another CPU driver: {others}")
            expect(all(not kernel["split_launches"] for kernel in stats["kernels"]), "a launch was split")
        except Failure as failure:
            print(f"FAILED {failure}")
            return 1
    print(f"{len(mine['one'].splitlines())} lines of one work-item and {2 * N} work-items print as PoCL's")
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child()
    else:
        sys.exit(main())
