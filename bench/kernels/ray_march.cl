// SPDX-License-Identifier: Apache-2.0
// Rays through a scene of spheres over a floor: each goes on by the distance to what is nearest, until it is there or far away.
float nearest(float x, float y, float z, __constant float4* spheres, int count) {
  float distance = y + 1.0f;
  for (int k = 0; k < count; ++k) {
    const float dx = x - spheres[k].x, dy = y - spheres[k].y, dz = z - spheres[k].z;
    distance = fmin(distance, sqrt(dx * dx + dy * dy + dz * dz) - spheres[k].w);
  }
  return distance;
}

// Distance from the eye to what a pixel shows; -1 where that is nothing.
__kernel void ray_march(__global float* depth, __constant float4* spheres, int count, int width, int height, int steps,
                        float near, float far) {
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  if (column >= width || row >= height) return;
  const float x = (2 * column - width + 1) / (float)height;
  const float y = (height - 1 - 2 * row) / (float)height;
  const float scale = rsqrt(x * x + y * y + 2.25f);
  float travelled = 0.0f;
  float result = -1.0f;
  for (int step = 0; step < steps; ++step) {
    const float distance = nearest(x * scale * travelled, y * scale * travelled, 1.5f * scale * travelled, spheres, count);
    if (distance < near) {
      result = travelled;
      break;
    }
    travelled += distance;
    if (travelled > far) break;
  }
  depth[row * width + column] = result;
}
