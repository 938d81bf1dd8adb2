// SPDX-License-Identifier: Apache-2.0
// The OpenCL C of the kernels that the stub driver can run. Any program may hold any of them; kernels of other names
// run as empty ones. A name counts if it contains one of these.
#pragma once

namespace stub {

inline constexpr const char* kKernelSource = R"(
kernel void stub_empty() {}
kernel void stub_add(global const float* a, global const float* b, global float* c) {
  size_t i = get_global_id(0); c[i] = a[i] + b[i];
}
kernel void stub_axpy(global float* y, global const float* x, float a) {
  size_t i = get_global_id(0); y[i] = a * x[i] + y[i];
}
kernel void stub_copy(global const uint* from, global uint* to) {
  size_t i = get_global_id(0); to[i] = from[i];
}
kernel void stub_fill(global uint* out, uint value) { out[get_global_id(0)] = value; }
kernel void stub_count(global uint* counts) { counts[get_global_id(0)] += 1; }
kernel void stub_scatter(global uint* out, global const uint* index) {
  size_t i = get_global_id(0); out[index[i]] = (uint)i;
}
kernel void stub_grid(global uint* out, uint width) {
  size_t x = get_global_id(0), y = get_global_id(1); out[y * width + x] = (uint)(1000 * y + x);
}
kernel void stub_histogram(global uint* bins, global const uint* values) {
  atomic_inc(&bins[values[get_global_id(0)] % 256]);
}
)";

}  // namespace stub
