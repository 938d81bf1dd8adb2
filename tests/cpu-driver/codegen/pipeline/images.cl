// SPDX-License-Identifier: Apache-2.0
// Images are descriptions in constant memory and samplers numbers; reads and writes call the library lane by lane, and
// sizes are read where they stand.
// RUN: %skmd-compile --kernel copy --emit llvm %s | %FileCheck %s
// RUN: %skmd-compile --kernel copy --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=REMARKS
// RUN: %skmd-compile --kernel layers --emit llvm %s | %FileCheck %s --check-prefix=LAYERS
// RUN: %skmd-compile --kernel copy --emit llvm %s | %FileCheck %s --check-prefix=QUICK
// RUN: %skmd-compile --kernel many --emit llvm %s | %FileCheck %s --check-prefix=MANY
// RUN: %skmd-compile --kernel copy --emit asm %s | %FileCheck %s --check-prefix=ASM

constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

// CHECK: define {{.*}}void @skmd_item_copy(ptr addrspace(2) %in, ptr addrspace(2) %out, i32 %given
// CHECK: call void @skmd_image_readf_at_floats(ptr addrspace(2) %in, i32 39, i32 2, float {{.*}}, float 2.000000e+00, float 0.000000e+00, ptr
// CHECK: call void @skmd_image_readf_at_ints(ptr addrspace(2) %in, i32 0, i32 2, i32 {{.*}}, i32 3, i32 0, ptr
// CHECK: call void @skmd_image_readf_at_floats(ptr addrspace(2) %in, i32 %given, i32 2,
// CHECK: call void @skmd_image_writef(ptr addrspace(2) %out, i32 2,
// Bytes and floats of two-dimensional images are there without a call.
// QUICK: fdiv {{.*}}2.550000e+02
// REMARKS: copy: has code
// REMARKS: region 0: 8 lanes
// REMARKS: runs lane by lane
// What reads is there once.
// ASM-COUNT-1: {{^}}skmd_image_readf_at_floats:
float4 through(read_only image2d_t in, sampler_t with, float2 at) { return read_imagef(in, with, at); }
kernel void copy(read_only image2d_t in, write_only image2d_t out, sampler_t given) {
  const int x = get_global_id(0);
  float4 color = through(in, linear, (float2)((float)x, 2.0f)) + read_imagef(in, (int2)(x, 3));
  color += through(in, given, (float2)(0.5f * (float)x, 2.0f));
  write_imagef(out, (int2)(x, 2), color);
}

// LAYERS: load i32, ptr addrspace(2) {{.*}} !invariant.load
// LAYERS: call void @skmd_image_readi_at_ints(ptr addrspace(2) %in, i32 16, i32 6,
// LAYERS: call void @skmd_image_writei(ptr addrspace(2) %out, i32 1,
kernel void layers(read_only image2d_array_t in, write_only image1d_t out) {
  const int x = get_global_id(0);
  const sampler_t nearest = CLK_FILTER_NEAREST;
  uint4 sum = (uint4)(get_image_channel_order(in));
  for (int layer = 0; layer < (int)get_image_array_size(in); ++layer)
    sum += read_imageui(in, nearest, (int4)(x, 1, layer, 0));
  write_imageui(out, x, sum);
}

// Too many to be inlined.
// MANY: call void @skmd_image_readf_at_ints(
// MANY-NOT: fdiv
#define FOUR(x) read_imagef(in, (int2)(x, 0)) + read_imagef(in, (int2)(x, 1)) + read_imagef(in, (int2)(x, 2)) + read_imagef(in, (int2)(x, 3))
#define SIXTEEN(x) FOUR(x) + FOUR(x + 1) + FOUR(x + 2) + FOUR(x + 3)
kernel void many(read_only image2d_t in, global float4* out) {
  const int x = get_global_id(0);
  out[x] = SIXTEEN(x) + SIXTEEN(x + 4) + FOUR(x + 8);
}
