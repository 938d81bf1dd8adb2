#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An application that uses PoCL's platform and SKMD's at once, as it finds them where SKMD is installed beside PoCL: one folder of
.icd files, which SKMD reads too and in which it has to pass over itself. Two threads launch on both platforms in turns, on buffers
that outlive programs of either; every byte is compared.

usage: two_platforms_test.py BUILD
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

N = 1 << 16
ROUNDS = 40
SOURCE = """__kernel void advance(__global uint *out, __global const uint *in, uint k) {
  size_t i = get_global_id(0);
  out[i] = in[i] * 1664525u + k + (uint)get_group_id(0);
}"""


def expected(numpy, first, rounds):
    values, groups = first, numpy.arange(N, dtype=numpy.uint32) // 64
    for k in range(rounds):
        values = values * numpy.uint32(1664525) + numpy.uint32(k) + groups
    return values


def run_on(device, seed, failures):
    import numpy
    import pyopencl as cl
    try:
        context = cl.Context([device])
        queue = cl.CommandQueue(context)
        first = numpy.random.default_rng(seed).integers(0, 1 << 32, N, dtype=numpy.uint32)
        buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, first.nbytes) for _ in range(2)]
        cl.enqueue_copy(queue, buffers[0], first)
        for k in range(ROUNDS):
            if k % 10 == 0:
                kernel = cl.Kernel(cl.Program(context, f"// {seed} {k}\n{SOURCE}").build(cache_dir=False), "advance")
            kernel(queue, (N,), (64,), buffers[(k + 1) % 2], buffers[k % 2], numpy.uint32(k))
        found = numpy.empty_like(first)
        cl.enqueue_copy(queue, found, buffers[ROUNDS % 2])
        if not numpy.array_equal(found, expected(numpy, first, ROUNDS)):
            failures.append(f"{device.platform.name}, seed {seed}: other results")
    except Exception as error:  # pylint: disable=broad-except
        failures.append(f"{device.platform.name}, seed {seed}: {error}")


def application():
    import pyopencl as cl
    platforms = {platform.name: platform for platform in cl.get_platforms()}
    if set(platforms) != {"SKMD", "Portable Computing Language"}:
        sys.exit(f"platforms: {set(platforms)}")
    devices = [platforms[name].get_devices()[0] for name in sorted(platforms)]
    failures = []
    threads = [threading.Thread(target=run_on, args=(devices[n % 2], n, failures)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        sys.exit("\n".join(failures))


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        vendors, stats, log = f"{folder}/vendors", f"{folder}/stats.json", f"{folder}/log"
        os.mkdir(vendors)
        shutil.copy("/etc/OpenCL/vendors/pocl.icd", vendors)
        with open(f"{vendors}/skmd.icd", "w", encoding="utf-8") as file:
            file.write(f"{build}/lib/libskmd.so.0\n")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SKMD_", "OCL_ICD", "OPENCL_"))}
        environment |= {"OCL_ICD_VENDORS": vendors, "SKMD_VENDORS": vendors, "POCL_DEVICES": "pthread basic", "SKMD_STATS": stats,
                        "SKMD_DEVICES": "portable:pthread@discrete,portable:basic@discrete", "SKMD_PARTITION": "equal",
                        "SKMD_LOG": f"info:{log}", "SKMD_CACHE_DIR": f"{folder}/cache", "SKMD_PROFILE_DB": "off", "PYOPENCL_NO_CACHE": "1"}
        subprocess.run([sys.executable, "-B", sys.argv[0], "--child"], env=environment, check=True, timeout=300)
        with open(stats, encoding="utf-8") as file:
            kernels = json.load(file)["kernels"]
        assert sum(kernel["launches"] for kernel in kernels) == 2 * ROUNDS, kernels
        assert all(kernel["split_launches"] == kernel["launches"] and min(kernel["groups"]) > 0 for kernel in kernels), kernels
        with open(log, encoding="utf-8") as file:
            text = file.read()
        # In the end clinfo releases contexts that PoCL failed to make, which only goes well while we keep none (VendorDevice::context).
        subprocess.run(["clinfo"], env=environment, check=True, timeout=300, stdout=subprocess.DEVNULL)
        assert f"{vendors}/skmd.icd: {build}/lib/libskmd.so.0: is this driver itself" in text, text
    print("ok")


if __name__ == "__main__":
    application() if sys.argv[1] == "--child" else main()
