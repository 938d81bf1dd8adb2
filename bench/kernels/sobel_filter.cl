// SPDX-License-Identifier: Apache-2.0
// The length of Sobel's gradient, channel by channel, halved and cut off at 255.
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

__kernel __attribute__((reqd_work_group_size(TILE_X, TILE_Y, 1))) void sobel_filter(__global const uchar4* in,
                                                                                     __global uchar4* out, int width,
                                                                                     int height) {
  __local uchar4 tile[TILE_Y + 2][TILE_X + 2];
  load_tile(in, width, height, tile);
  barrier(CLK_LOCAL_MEM_FENCE);

  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  const int4 a = convert_int4(tile[ly][lx]), b = convert_int4(tile[ly][lx + 1]), c = convert_int4(tile[ly][lx + 2]);
  const int4 d = convert_int4(tile[ly + 1][lx]), f = convert_int4(tile[ly + 1][lx + 2]);
  const int4 g = convert_int4(tile[ly + 2][lx]), h = convert_int4(tile[ly + 2][lx + 1]), i = convert_int4(tile[ly + 2][lx + 2]);
  const int4 across = (c + 2 * f + i) - (a + 2 * d + g);
  const int4 down = (g + 2 * h + i) - (a + 2 * b + c);
  const float4 length = 0.5f * sqrt(convert_float4(across * across + down * down));
  out[(int)get_global_id(1) * width + (int)get_global_id(0)] = convert_uchar4_sat(length);
}
