// RUN: %skmd-compile --rewrite %s -cl-std=CL3.0 | %FileCheck %s
// RUN: %skmd-compile --rewrite %s -cl-std=CL3.0 > %t.cl && %skmd-compile --describe %t.cl -cl-std=CL3.0
// The linear id counts over the whole launch; the local linear id and local size are the box's own.

kernel void k(global size_t* a) {
  a[0] = get_global_linear_id();
  a[1] = get_enqueued_local_size(0);
  a[2] = get_local_linear_id() + get_local_size(0);
}

// CHECK: static size_t skmd_get_enqueued_local_size(uint dimension, skmd_record_v1 skmd_launch) {
// CHECK-NEXT: skmd_launch.local_size[0] {{.*}} : (size_t)1;
// CHECK: static size_t skmd_get_global_linear_id(skmd_record_v1 skmd_launch) {
// CHECK: a[0] = skmd_get_global_linear_id(skmd_launch);
// CHECK: a[1] = skmd_get_enqueued_local_size(0, skmd_launch);
// CHECK: a[2] = get_local_linear_id() + get_local_size(0);
