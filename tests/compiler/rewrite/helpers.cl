// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// A helper that asks, and every function between it and a kernel, takes the record and hands it on.

size_t ask(uint d) { return get_group_id(d); }
int between(int x) { return x + (int)ask(0); }
int apart(int x) { return x * 2; }
kernel void k(global int* a) { a[get_global_id(0)] = between(apart(1)); }
kernel void untouched(global int* a) { a[get_global_id(0)] = apart(2); }

// CHECK: typedef struct skmd_record_v1 {
// CHECK-NEXT: ulong global_offset[3];
// CHECK-NEXT: ulong global_size[3];
// CHECK-NEXT: ulong group_count[3];
// CHECK-NEXT: ulong first_group[3];
// CHECK-NEXT: ulong local_size[3];
// CHECK-NEXT: } skmd_record_v1;
// CHECK: size_t ask(uint d, skmd_record_v1 skmd_launch) { return skmd_get_group_id(d, skmd_launch); }
// CHECK: int between(int x, skmd_record_v1 skmd_launch) { return x + (int)ask(0, skmd_launch); }
// CHECK: int apart(int x) { return x * 2; }
// CHECK: kernel void k(global int* a, skmd_record_v1 skmd_launch) { a[get_global_id(0)] = between(apart(1), skmd_launch); }
// CHECK: kernel void untouched(global int* a) { a[get_global_id(0)] = apart(2); }
