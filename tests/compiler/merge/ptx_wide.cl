// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge-ptx %s | %FileCheck %s
// A kernel with more parameters than every device takes has a merge function on the host only.
typedef struct { int a[900]; } large;
__kernel void many(__global uint* out, large x, uint n) { out[(get_global_id(0) ^ x.a[5]) % n] = 1; }
typedef struct { int a[1000]; } larger;
__kernel void too_many(__global uint* out, larger x, uint n) { out[(get_global_id(0) ^ x.a[5]) % n] = 1; }
// CHECK: .entry skmd_merge_many(
// CHECK-NOT: skmd_merge_too_many
