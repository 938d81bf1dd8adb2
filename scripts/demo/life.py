#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Conway's Game of Life on a torus with pyopencl: 64 generations that stay on the device, compared with NumPy at the end."""
import sys

import numpy as np
import pyopencl as cl

SOURCE = """
kernel void generation(global const uchar *now, global uchar *next, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
  int above = y == 0 ? height - 1 : y - 1, below = y == height - 1 ? 0 : y + 1;
  int alive = now[above * width + left] + now[above * width + x] + now[above * width + right]
            + now[y * width + left]                              + now[y * width + right]
            + now[below * width + left] + now[below * width + x] + now[below * width + right];
  next[y * width + x] = alive == 3 || (alive == 2 && now[y * width + x]);
}
"""
WIDTH, HEIGHT, GENERATIONS = 512, 256, 64


def reference(cells):
    for _ in range(GENERATIONS):
        alive = sum(np.roll(cells, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0))
        cells = ((alive == 3) | ((alive == 2) & (cells == 1))).astype(np.uint8)
    return cells


def main():
    cells = np.random.default_rng(1).integers(0, 2, (HEIGHT, WIDTH), np.uint8)
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    generation = cl.Program(context, SOURCE).build().generation
    now = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=cells)
    following = cl.Buffer(context, cl.mem_flags.READ_WRITE, cells.nbytes)
    for _ in range(GENERATIONS):
        generation(queue, (WIDTH, HEIGHT), (32, 8), now, following, np.int32(WIDTH), np.int32(HEIGHT))
        now, following = following, now
    result = np.empty_like(cells)
    cl.enqueue_copy(queue, result, now)
    same = np.array_equal(result, reference(cells))
    print(f"{GENERATIONS} generations on {context.devices[0].name}: {int(result.sum())} cells alive,",
          "equal to NumPy" if same else "DIFFERENT from NumPy")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
