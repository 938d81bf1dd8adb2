// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --emit-llvm %s > %t.ll
// RUN: %skmd-opt --passes=skmd-regions %t.ll | %FileCheck %s

// One region for each barrier and one for the start. The loop's counter is the group's, what an item computed from its
// id is computed again, and what it loaded and multiplied is kept.
// CHECK: ; loop: 8 bytes per item, 1 group values
// CHECK: ;   region 0 -> 1 end
// CHECK: ;   region 1 -> 2
// CHECK: ;   region 2 -> 1 end
kernel void loop(global const int* in, global int* out, local int* l, int n) {
  const int x = get_local_id(0);
  const int mine = in[get_global_id(0)];
  for (int i = 0; i < n; ++i) {
    l[x] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int other = l[x ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[x] += other * mine + i;
  }
}

// Where some items may have ended, each has a byte that says so.
// CHECK: ; ended: 1 bytes per item, 0 group values
// CHECK: ;   region 0 -> 1 end
// CHECK: ;   region 1 -> end
kernel void ended(global int* out, local int* l, int n) {
  if (get_global_id(0) >= n) return;
  l[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l[get_local_id(0) ^ 1];
}

// CHECK: ; plain: 0 bytes per item, 0 group values
// CHECK: ;   region 0 -> end
kernel void plain(global int* out) { out[get_global_id(0)] = 1; }

// The first barrier's region is left before the second, which nothing behind it needs anything of.
// CHECK: ; condition: 0 bytes per item, 0 group values
// CHECK: ;   region 0 -> 1 2
// CHECK: ;   region 1 -> 2
// CHECK: ;   region 2 -> end
kernel void condition(global int* out, local int* l, int n) {
  const int x = get_local_id(0);
  l[x] = x;
  if (n > 3) {
    barrier(CLK_LOCAL_MEM_FENCE);
    l[x ^ 1] += 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l[x ^ 2];
}
