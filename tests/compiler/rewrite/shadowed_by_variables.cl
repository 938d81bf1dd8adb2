// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Variables, parameters and fields of a query's name are not the query.

struct s { int get_group_id; };
int f(int get_num_groups) { return get_num_groups; }
kernel void k(global int* a) {
  struct s v = {1};
  int get_global_size = 2;
  a[0] = v.get_group_id + get_global_size + f(3);
}
kernel void asks(global int* a) { a[0] = get_global_size(0); }

// CHECK: int f(int get_num_groups) { return get_num_groups; }
// CHECK: kernel void k(global int* a) {
// CHECK: int get_global_size = 2;
// CHECK: a[0] = v.get_group_id + get_global_size + f(3);
// CHECK: kernel void asks(global int* a, skmd_record_v1 skmd_launch) { a[0] = skmd_get_global_size(0, skmd_launch); }
