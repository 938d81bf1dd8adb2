// SPDX-License-Identifier: Apache-2.0
// Remarks say by what a table is looked up, and what that and the other costs.
// RUN: %skmd-compile --kernel quads --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=AVX2
// RUN: %skmd-compile --kernel quads --emit remarks --isa sse %s | %FileCheck %s --check-prefix=SSE
// RUN: %skmd-compile --kernel bytes --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=LOADS
// RUN: %skmd-compile --kernel quads --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel quads --emit asm --isa avx2 %s | %FileCheck %s --check-prefix=CODE

// AVX2: a table is looked up by shuffles for 32 lanes: 60 instructions, not 128
// SSE: a table is looked up by shuffles for 16 lanes: 60 instructions, not 64
// LOADS: a gather of 8 lanes is done by loads: 32 micro-operations
// LOADS: a table is looked up by loads for 8 lanes: 32 instructions, not 60
// NONE: has code
// NONE-NOT: a table is looked up
// CODE-LABEL: {{^}}skmd_kernel_quads.limited:
// CODE-COUNT-16: vpshufb
kernel void quads(global uchar4* data, constant uchar* table) {
  const uchar4 v = data[get_global_id(0)];
  data[get_global_id(0)] = (uchar4)(table[v.x], table[v.y], table[v.z], table[v.w]);
}
kernel void bytes(global uchar* data, constant uchar* table) {
  data[get_global_id(0)] = table[data[get_global_id(0)]];
}
