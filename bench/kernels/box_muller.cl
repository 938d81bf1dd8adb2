// SPDX-License-Identifier: Apache-2.0
// In place: pairs of uniform numbers in (0, 1] become pairs of normal ones. Numbers of one work-item lie `stride` apart.
__kernel void box_muller(__global float* numbers, int stride, int per_item) {
  const int item = get_global_id(0);
  for (int i = 0; i < per_item; i += 2) {
    const int first = item + i * stride;
    const int second = first + stride;
    const float radius = sqrt(-2.0f * log(numbers[first]));
    const float angle = 6.28318530717958648f * numbers[second];
    numbers[first] = radius * cos(angle);
    numbers[second] = radius * sin(angle);
  }
}
