#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels that count with atomics in the same bytes from every work-group: what an application reads must be what PoCL
alone makes, on two and three devices, with memories of their own and in place, launch after launch.

usage: atomics_test.py BUILD
"""
import beside_pocl

N, LOCAL, BINS = 8192, 64, 256
MODES = ("equal", "fixed", "three", "in_place", "auto")
MUST_COMBINE = ("equal", "fixed", "three")
OPERATIONS = ("add", "sub", "min", "max", "and", "or", "xor")
SOURCE = "#define BINS %du\n" % BINS + """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void hist_global(__global uint *bins, __global const uint *in) {
  atomic_inc(&bins[in[get_global_id(0)] % BINS]);
}
__kernel void hist_local(__global uint *bins, __global const uint *in) {
  __local uint own[BINS];
  for (uint b = get_local_id(0); b < BINS; b += get_local_size(0)) own[b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&own[in[get_global_id(0)] % BINS]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint b = get_local_id(0); b < BINS; b += get_local_size(0)) atomic_add(&bins[b], own[b]);
}
__kernel void sums(__global ulong *sums, __global const uint *in) {
  atom_add(&sums[in[get_global_id(0)] % 16u], (ulong)in[get_global_id(0)] << 20);
}
__kernel void beside(__global uint *data, uint n) {
  uint i = get_global_id(0);
  atomic_max(&data[2u * n], data[i]);
  atomic_sub(&data[2u * n + 1u], 3u);
  data[n + i] = data[i] ^ 0x55u;
}
""" + "".join(f"__kernel void {kind}_{op}(__global {kind} *out, __global const uint *in) {{ uint v = in[get_global_id(0)];"
              f" atomic_{op}(&out[v % BINS], ({kind})(v * 2654435761u)); }}\n" for op in OPERATIONS for kind in ("int", "uint"))
RELAXED = """
__kernel void relaxed(__global atomic_uint *bins, __global const uint *in) {
  atomic_fetch_add_explicit(&bins[in[get_global_id(0)] % 64u], 1u, memory_order_relaxed, memory_scope_device);
}
"""
COMBINED = ["hist_global", "hist_local", "sums", "beside", *(f"{kind}_{op}" for op in OPERATIONS for kind in ("int", "uint"))]


def child(out):
    import numpy as np
    import pyopencl as cl

    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    flags = cl.mem_flags
    random = np.random.default_rng(7)
    values = random.integers(0, 2**32, N, dtype=np.uint32)
    data = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=values)

    def buffer(words):
        return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=words)

    def show(name, memory, at=None):
        result = np.empty(memory.size // 4, np.uint32)
        cl.enqueue_copy(at or queue, result, memory)
        out.write(f"{name} {result.tobytes().hex()}\n")
        return result

    def run(name, *arguments, at=None, **keywords):
        return getattr(program, name)(at or queue, (N,), (LOCAL,), *arguments, **keywords)

    for name in ("hist_global", "hist_local"):
        bins = buffer(np.zeros(BINS, np.uint32))
        for launch in range(1, 6):  # the counts stay where they are between the launches
            run(name, bins, data)
            if launch in (1, 5):
                assert (show(name, bins) == launch * np.bincount(values % BINS, minlength=BINS)).all(), name
    for operation in OPERATIONS:
        for kind in ("int", "uint"):
            bins = buffer(random.integers(0, 2**32, BINS, dtype=np.uint32))
            for _ in range(3):
                run(f"{kind}_{operation}", bins, data)
            show(f"{kind}_{operation}", bins)
    bins = cl.Buffer(context, flags.READ_WRITE, 16 * 8)
    cl.enqueue_fill_buffer(queue, bins, np.uint32(0xFFFFFFFF), 0, 16 * 8)
    for _ in range(3):
        run("sums", bins, data)
    show("sums", bins)
    whole = buffer(np.concatenate([values, np.zeros(N, np.uint32), np.array([17, 5], np.uint32)]))
    for _ in range(2):
        run("beside", whole, np.uint32(N))
    show("beside", whole)
    share_buffers(cl, np, context, queue, values, data, (buffer, show, run))
    try:
        modern = cl.Program(context, RELAXED).build(options=["-cl-std=CL3.0"])
        bins = buffer(np.zeros(64, np.uint32))
        modern.relaxed(queue, (N,), (LOCAL,), bins, data)
        show("relaxed", bins)
    except cl.RuntimeError:
        out.write("relaxed is not for this device\n")


def share_buffers(cl, np, context, queue, values, data, tools):
    buffer, show, run = tools
    # Counts in a part of the buffer that the kernel reads through another part; then the same part twice.
    both = buffer(np.concatenate([values, np.zeros(2 * BINS, np.uint32)]))
    part, tail = both.get_sub_region(0, 4 * N), both.get_sub_region(4 * N, 4 * BINS)
    run("hist_global", tail, part)
    run("hist_local", tail, both)
    show("aliases", both)
    # Two queues: one after the other by events, counting in one buffer.
    bins = buffer(np.zeros(BINS, np.uint32))
    event, other = None, cl.CommandQueue(context)
    for step in range(6):
        event = run("hist_global", bins, data, at=(queue, other)[step % 2], wait_for=[event] if event else None)
    event.wait()
    show("queues", bins, other)
    free = cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    many = [buffer(np.zeros(BINS, np.uint32)) for _ in range(4)]
    for bins in many:
        run("hist_local", bins, data, at=free)
        run("hist_global", bins, data, at=free)  # unordered: they commute
    free.finish()
    for bins in many:
        show("unordered", bins)


def check(mode, partition, kernels):
    for name in COMBINED:
        kernel = kernels[name]
        if mode in MUST_COMBINE and kernel["merge"]["reduce"] == 0:
            yield f"{name}: never combined; not split: {kernel['not_split']}"
        if partition == "equal" and kernel["split_launches"] != kernel["launches"]:
            yield f"{name}: not split: {kernel['not_split']}"


def counted(kernels):
    return {name: kernels[name]["merge"]["reduce"] for name in COMBINED if name in kernels}, "relaxed" in kernels


if __name__ == "__main__":
    beside_pocl.run(child, MODES, check, counted, "not for this device")
