// SPDX-License-Identifier: Apache-2.0
// y becomes a·x + y.
__kernel void axpy(float a, __global const float* x, __global float* y) {
  const size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
