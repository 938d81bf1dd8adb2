#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels over images: what an application reads must be, bit by bit, what PoCL alone makes, and kernels whose
coordinates are known must have been split. Integer formats, so that no rounding is excused.

usage: images_test.py BUILD
"""
import functools
import os

import beside_pocl

W, H, LAYERS = 96, 40, 5
MODES = ("equal", "fixed", "three", "in_place", "single", "cpu", "cpu_discrete", "cpu_in_place")
SOURCE = """
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
uint4 mixed(int x, int y, int z) { return (uint4)(x * 7 + y, y * 31 + z, x ^ (y << 3), z * 5 + x) & 255u; }
kernel void fill(write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(out, at, mixed(at.x, at.y, 3));
}
kernel void rows_of_items(write_only image2d_t out) {  // one dimension, two coordinates
  int i = get_global_id(0), w = get_image_width(out);
  write_imageui(out, (int2)(i % w, i / w), mixed(i, i >> 4, 1));
}
kernel void blur(read_only image2d_t in, write_only image2d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= get_image_width(out) || y >= get_image_height(out)) return;
  uint4 sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += read_imageui(in, nearest, (int2)(x + dx, y + dy));
  write_imageui(out, (int2)(x, y), sum / 9u + (uint4)(x & 3));
}
kernel void middle(write_only image2d_t out, int from, int to) {  // the ends of rows stay
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= from && x < to && y > 2) write_imageui(out, (int2)(x, y), (uint4)(9, 8, 7, 6));
}
kernel void meeting(write_only image2d_t out) {  // every slice writes the same texels
  int x = get_global_id(0) % 90;
  write_imageui(out, (int2)(x, 1), mixed(x, 1, 5));
}
kernel void turned(write_only image2d_t out) {  // slices are columns
  write_imageui(out, (int2)(get_global_id(1), get_global_id(0)), mixed(get_global_id(1), get_global_id(0), 2));
}
kernel void scattered(write_only image2d_t out, global const uint *where) {
  uint i = get_global_id(0);
  write_imageui(out, (int2)(where[i] % 90u, i / 96u), (uint4)(1, 2, 3, 4));
}
kernel void sums(read_only image2d_t in, global uint *out) {
  uint y = get_global_id(0), sum = 0;
  for (int x = 0; x < get_image_width(in); ++x) sum = sum * 3u + read_imageui(in, nearest, (int2)(x, (int)y)).x;
  out[y] = sum;
}
kernel void counts(read_only image2d_t in, global uint *bins) {
  atomic_inc(&bins[read_imageui(in, (int2)(get_global_id(0), get_global_id(1))).x & 31u]);
}
kernel void line(write_only image1d_t out) { write_imageui(out, (int)get_global_id(0), mixed(get_global_id(0), 1, 2)); }
kernel void layers(write_only image2d_array_t out) {
  write_imageui(out, (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0),
                mixed(get_global_id(0), get_global_id(1), get_global_id(2)));
}
kernel void volume(write_only image3d_t out) {
  write_imageui(out, (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0),
                mixed(get_global_id(0), get_global_id(1), get_global_id(2)));
}
kernel void over_buffer(write_only image1d_buffer_t out, global uint *other) {
  write_imageui(out, (int)get_global_id(0), mixed(get_global_id(0), 1, 2));
  other[get_global_id(0)] = 5;
}
"""
SPLIT = ["fill", "rows_of_items", "blur", "middle", "turned", "sums", "counts", "line", "layers", "volume", "over_buffer"]
WHOLE = {"meeting": "unmergeable"}


def cases(cl, np, context, queue, out, alone):
    program = cl.Program(context, SOURCE).build()
    flags, channels = cl.mem_flags, cl.channel_order
    formats = [cl.ImageFormat(channels.R, cl.channel_type.UNSIGNED_INT32), cl.ImageFormat(channels.RGBA, cl.channel_type.UNSIGNED_INT8),
               cl.ImageFormat(channels.RGBA, cl.channel_type.UNSIGNED_INT16)]
    random = np.random.default_rng(3)

    def image(form, shape, layered=False, contents=False):
        hostbuf = random.integers(0, 256, int(np.prod(shape)) * form.itemsize, dtype=np.uint8) if contents else None
        made = cl.Image(context, flags.READ_WRITE | (flags.COPY_HOST_PTR if contents else 0), form, shape, hostbuf=hostbuf, is_array=layered)
        made.elements = shape
        return made

    def show(name, source):
        if isinstance(source, cl.Image):
            region = (*source.elements, 1, 1)[:3]
            result = np.empty(int(np.prod(region)) * source.format.itemsize, np.uint8)
            cl._cl._enqueue_read_image(queue, source, (0, 0, 0), region, result, is_blocking=True)  # enqueue_copy: 2D and 3D only
        else:
            result = np.empty(source.size, np.uint8)
            cl.enqueue_copy(queue, result, source)
        out.write(f"{name} {result.tobytes().hex()}\n")
        return result

    where = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=random.integers(0, 2**32, W * H, dtype=np.uint32))
    for form in formats:
        two_dimensions(cl, np, context, queue, program, where, functools.partial(image, form, (W, H)), show)
    form = formats[1]
    small = [("line", (512,), (16,), image(form, (512,))),
             ("layers", (W, H, LAYERS), (8, 4, 1), image(form, (W, H, LAYERS), layered=True, contents=True))]
    for name, size, local, target in small:
        getattr(program, name)(queue, size, local, target)
        show(name, target)
    deep = image(form, (W, H, LAYERS))
    program.volume(queue, (W, H, LAYERS), (8, 4, 1), deep)
    show("volume", deep)
    both = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=np.arange(2048, dtype=np.uint32))
    view = cl.Image(context, flags.READ_WRITE, form, shape=(1024,), buffer=both)
    rest = cl.Buffer(context, flags.READ_WRITE, 4096)
    program.over_buffer(queue, (1024,), (32,), view, rest)
    show("over_buffer", both)
    if not alone:
        mapped_while_written(cl, np, queue, program, image(formats[0], (W, H), contents=True), show)


def two_dimensions(cl, np, context, queue, program, where, image, show):
    flags = cl.mem_flags
    a, b = image(), image(contents=True)
    program.fill(queue, (W, H), (8, 4), a)
    show("fill", a)
    for _ in range(3):  # what was written stays where it is until the next one reads it
        program.blur(queue, (W + 16, H + 8), (16, 8), a, b)
        program.blur(queue, (W + 16, H + 8), (16, 8), b, a)
    show("blur", a)
    program.middle(queue, (W, H), (8, 4), b, np.int32(10), np.int32(71))
    show("middle", b)
    c = image(contents=True)
    program.middle(queue, (W, H), (8, 4), c, np.int32(0), np.int32(W - 1))
    sums = cl.Buffer(context, flags.READ_WRITE, 4 * H)
    program.sums(queue, (H,), (4,), c, sums)
    show("sums", sums)
    bins = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=np.zeros(32, np.uint32))
    program.counts(queue, (W, H), (8, 4), c, bins)
    program.counts(queue, (W, H), (8, 4), a, bins)
    show("counts", bins)
    program.turned(queue, (H, W), (4, 8), c)
    show("turned", c)
    program.meeting(queue, (W * H,), (32,), c)
    show("meeting", c)
    program.scattered(queue, (W * H,), (32,), c, where)
    show("scattered", c)
    program.rows_of_items(queue, (W * H,), (32,), c)
    show("rows_of_items", c)


def mapped_while_written(cl, np, queue, program, target, show):
    """A kernel writes the whole image while a part of it is mapped for writing: the part is the application's."""
    part, _, _, _ = cl.enqueue_map_image(queue, target, cl.map_flags.WRITE, (8, 4, 0), (16, 8, 1), (8, 16), np.uint32,
                                         strides=(4 * W, 4), is_blocking=True)
    part[...] = 777
    program.fill(queue, (W, H), (8, 4), target)
    queue.finish()
    part[0, 0] = 778
    part.base.release(queue)
    result = np.empty((H, W), np.uint32)
    cl.enqueue_copy(queue, result, target, origin=(0, 0), region=(W, H))
    x, y = np.meshgrid(np.arange(W), np.arange(H))
    expected = (x * 7 + y) & 255
    expected[4:12, 8:24] = 777
    expected[4, 8] = 778
    assert (result == expected).all(), "mapped bytes were lost, or others"


def child(out):
    import numpy as np
    import pyopencl as cl

    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    cases(cl, np, context, cl.CommandQueue(context), out, "SKMD_STATS" not in os.environ)


def check(_, partition, kernels):
    for name in SPLIT if partition != "single" else ():
        if kernels[name]["split_launches"] != kernels[name]["launches"]:
            yield f"{name}: not split: {kernels[name]['not_split']}"
    for name, reason in WHOLE.items() if partition == "equal" else ():
        if list(kernels[name]["not_split"]) != [reason]:
            yield f"{name}: whole for {kernels[name]['not_split']}, expected {reason}"


def counted(kernels):
    return {name: kernel["split_launches"] for name, kernel in kernels.items()}


if __name__ == "__main__":
    beside_pocl.run(child, MODES, check, counted)
