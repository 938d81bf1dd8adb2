// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// Signed overflow wraps on every device; the merge function must not know better.
__kernel void k(__global uint* out, int n) {
  int i = get_global_id(0);
  int h = i * 1234567891 + 7;
  out[(uint)h % (uint)n] = i;
}
// CHECK: kernel k: merge function, loads from nothing
// CHECK: mul i32
// CHECK-NOT: nsw i32
