// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c %s > %t.cl
// RUN: %skmd-compile --describe %t.cl | %FileCheck %s
// RUN: not %skmd-compile --opencl-c %s -DBUILTINS 2>&1 | %FileCheck %s --check-prefix=BUILTINS
// Names of several kernels in one text, which are made of those of kernels, parameters and tables.

__constant uint g_t[4] = {1, 2, 3, 4};
__constant uint t[4] = {5, 6, 7, 8};
__constant uint INDEX_TABLE[64] = {9, 8, 7, 6};

// CHECK-DAG: kernel k
__kernel void k(__global uint* out) { out[0] = g_t[out[1] & 3]; }
// CHECK-DAG: kernel k_g
__kernel void k_g(__global uint* out) { out[0] = t[out[1] & 3]; }

typedef struct {
  uint content[5];
} Five;
// CHECK-DAG: kernel a
__kernel void a(__global uint* out, Five b_p_c) { out[0] = b_p_c.content[out[1] % 5]; }
// CHECK-DAG: kernel a_p_b
__kernel void a_p_b(__global uint* out, Five c) { out[0] = c.content[out[1] % 5]; }

// A copy of known and one of unknown length.
// CHECK-DAG: kernel copies
__kernel void copies(__global Five* outINDEX, __global const Five* in, __global uint* out) {
  outINDEX[0] = in[0];
  uint INDEX[64];
  for (uint i = 0; i < 64; ++i) INDEX[i] = INDEX_TABLE[i];
  out[0] = INDEX[out[1] & 63];
}

#ifdef BUILTINS
// BUILTINS: kernel rotate: its text calls a builtin of its name
__kernel void rotate(__global uint* p, uint n) { p[0] = (p[0] << (n & 31)) | (p[0] >> ((32 - n) & 31)); }
#endif
