// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of images of 256 x 256 complex numbers: of all rows, then of all columns. A group of 8 x 16 items
// transforms eight neighbouring lines in local memory, by four passes of radix 4 in place (decimation in frequency), after
// which the numbers' places are their indices with the digits of base 4 in reverse. Item (x, y) works on line x.
// roots[k] is exp(-2 pi i k / 256).
#define LENGTH 256
#define LINES 8
#define ITEMS 16

double2 times(double2 a, double2 b) { return (double2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// One pass: of numbers that lie `span` apart. `re` and `im` hold the lines, whose numbers with one index are neighbours.
void pass(__local double* re, __local double* im, __global const double2* roots, int x, int y, int span) {
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int j = 0; j < LENGTH / 4 / ITEMS; ++j) {
    const int b = y + j * ITEMS, k = b % span, turn = k * (LENGTH / 4 / span);
    const int at = ((b - k) * 4 + k) * LINES + x, far = span * LINES;
    const double2 p = (double2)(re[at], im[at]), q = (double2)(re[at + far], im[at + far]);
    const double2 r = (double2)(re[at + 2 * far], im[at + 2 * far]);
    const double2 s = (double2)(re[at + 3 * far], im[at + 3 * far]);
    const double2 even = p + r, odd = p - r, sum = q + s, difference = (double2)(q.y - s.y, s.x - q.x);
    const double2 first = times(odd + difference, roots[turn]);
    const double2 second = times(even - sum, roots[2 * turn]);
    const double2 third = times(odd - difference, roots[3 * turn]);
    re[at] = even.x + sum.x;
    im[at] = even.y + sum.y;
    re[at + far] = first.x;
    im[at + far] = first.y;
    re[at + 2 * far] = second.x;
    im[at + 2 * far] = second.y;
    re[at + 3 * far] = third.x;
    im[at + 3 * far] = third.y;
  }
}

// Begins and ends with a barrier.
void transform(__local double* re, __local double* im, __global const double2* roots, int x, int y) {
  pass(re, im, roots, x, y, 64);
  pass(re, im, roots, x, y, 16);
  pass(re, im, roots, x, y, 4);
  pass(re, im, roots, x, y, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Where the number of index i is after the passes.
int place(int i) { return ((i & 3) << 6) | ((i & 12) << 2) | ((i & 48) >> 2) | (i >> 6); }

__kernel __attribute__((reqd_work_group_size(LINES, ITEMS, 1))) void fft_rows(__global const double2* in,
                                                                              __global double2* out,
                                                                              __global const double2* roots) {
  __local double re[LENGTH * LINES], im[LENGTH * LINES];
  const int x = get_local_id(0), y = get_local_id(1);
  const size_t row = (size_t)get_global_id(0) * LENGTH;
  for (int i = y; i < LENGTH; i += ITEMS) {
    const double2 number = in[row + i];
    re[i * LINES + x] = number.x;
    im[i * LINES + x] = number.y;
  }
  transform(re, im, roots, x, y);
  for (int i = y; i < LENGTH; i += ITEMS) {
    const int from = place(i) * LINES + x;
    out[row + i] = (double2)(re[from], im[from]);
  }
}

// In place; neighbouring columns of all images are counted through.
__kernel __attribute__((reqd_work_group_size(LINES, ITEMS, 1))) void fft_columns(__global double2* numbers,
                                                                                 __global const double2* roots) {
  __local double re[LENGTH * LINES], im[LENGTH * LINES];
  const int x = get_local_id(0), y = get_local_id(1);
  const size_t first = get_group_id(0) * LINES, column = first / LENGTH * (LENGTH * LENGTH) + first % LENGTH + x;
  for (int i = y; i < LENGTH; i += ITEMS) {
    const double2 number = numbers[column + i * LENGTH];
    re[i * LINES + x] = number.x;
    im[i * LINES + x] = number.y;
  }
  transform(re, im, roots, x, y);
  for (int i = y; i < LENGTH; i += ITEMS) {
    const int from = place(i) * LINES + x;
    numbers[column + i * LENGTH] = (double2)(re[from], im[from]);
  }
}
