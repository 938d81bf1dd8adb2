// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__kernel void k(__global uint* out, uint n) {
  uint i = get_global_id(0);
  out[(i * 389) % n] = i;
}
// CHECK: kernel k: merge function, loads from nothing
// CHECK: mul i32 {{.*}}389
// CHECK: urem i32
// CHECK: store i32
