// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Wherever an expression may stand: initialisers, sizeof, conditions, subscripts, arguments, nested queries.

typedef struct { int x; size_t y; } pair;
int two(int a, int b) { return a + b; }
kernel void k(global int* a) {
  int list[2] = {get_group_id(0), 1};
  pair p = {.y = get_num_groups(0)};
  size_t bytes = sizeof(get_group_id(0));
  for (int i = get_group_id(0); i < get_num_groups(0); i += get_global_size(0)) a[i] = get_group_id(1) ? two(get_group_id(0), 2) : list[0];
  a[get_group_id(get_group_id(0))] = (int)bytes + p.y;
  switch (get_group_id(2)) { case 0: return; default: a[get_num_groups(0)]++; }
}

// CHECK: int two(int a, int b) { return a + b; }
// CHECK: int list[2] = {skmd_get_group_id(0, skmd_launch), 1};
// CHECK: pair p = {.y = skmd_get_num_groups(0, skmd_launch)};
// CHECK: size_t bytes = sizeof(skmd_get_group_id(0, skmd_launch));
// CHECK: for (int i = skmd_get_group_id(0, skmd_launch); i < skmd_get_num_groups(0, skmd_launch); i += skmd_get_global_size(0, skmd_launch)) a[i] = skmd_get_group_id(1, skmd_launch) ? two(skmd_get_group_id(0, skmd_launch), 2) : list[0];
// CHECK: a[skmd_get_group_id(skmd_get_group_id(0, skmd_launch), skmd_launch)] = (int)bytes + p.y;
// CHECK: switch (skmd_get_group_id(2, skmd_launch)) { case 0: return; default: a[skmd_get_num_groups(0, skmd_launch)]++; }
