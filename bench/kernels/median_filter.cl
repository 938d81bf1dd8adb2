// SPDX-License-Identifier: Apache-2.0
// The middle one of each pixel's 3 x 3 neighbours, channel by channel.
#define TILE_X 16
#define TILE_Y 4

// Fills the group's tile of pixels and a frame of one; pixels outside the image repeat its edge.
void load_tile(__global const uchar4* in, int width, int height, __local uchar4 (*tile)[TILE_X + 2]) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  const int left = max(x - 1, 0);
  const int right = min(x + 1, width - 1);
  const int above = max(y - 1, 0) * width;
  const int here = y * width;
  const int below = min(y + 1, height - 1) * width;

  tile[ly + 1][lx + 1] = in[here + x];
  if (lx == 0) tile[ly + 1][0] = in[here + left];
  if (lx == TILE_X - 1) tile[ly + 1][TILE_X + 1] = in[here + right];
  if (ly == 0) {
    tile[0][lx + 1] = in[above + x];
    if (lx == 0) tile[0][0] = in[above + left];
    if (lx == TILE_X - 1) tile[0][TILE_X + 1] = in[above + right];
  }
  if (ly == TILE_Y - 1) {
    tile[TILE_Y + 1][lx + 1] = in[below + x];
    if (lx == 0) tile[TILE_Y + 1][0] = in[below + left];
    if (lx == TILE_X - 1) tile[TILE_Y + 1][TILE_X + 1] = in[below + right];
  }
}

#define SORT(a, b)                    \
  {                                   \
    const uchar4 smaller = min(a, b); \
    b = max(a, b);                    \
    a = smaller;                      \
  }

__kernel __attribute__((reqd_work_group_size(TILE_X, TILE_Y, 1))) void median_filter(__global const uchar4* in,
                                                                                      __global uchar4* out, int width,
                                                                                      int height) {
  __local uchar4 tile[TILE_Y + 2][TILE_X + 2];
  load_tile(in, width, height, tile);
  barrier(CLK_LOCAL_MEM_FENCE);

  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  uchar4 a = tile[ly][lx], b = tile[ly][lx + 1], c = tile[ly][lx + 2];
  uchar4 d = tile[ly + 1][lx], e = tile[ly + 1][lx + 1], f = tile[ly + 1][lx + 2];
  uchar4 g = tile[ly + 2][lx], h = tile[ly + 2][lx + 1], i = tile[ly + 2][lx + 2];
  // Sort rows, then columns as far as needed: the median is that of the greatest low, the middle middle and the least high.
  SORT(a, b) SORT(b, c) SORT(a, b)
  SORT(d, e) SORT(e, f) SORT(d, e)
  SORT(g, h) SORT(h, i) SORT(g, h)
  uchar4 low = max(max(a, d), g);
  uchar4 high = min(min(c, f), i);
  SORT(b, e) SORT(e, h) SORT(b, e)
  SORT(low, e) SORT(e, high) SORT(low, e)
  out[(int)get_global_id(1) * width + (int)get_global_id(0)] = e;
}
