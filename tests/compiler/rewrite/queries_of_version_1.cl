// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Each query of OpenCL C 1.2 that a box would answer wrongly, with its answer beyond the launch's dimensions.

kernel void k(global size_t* a, uint d) {
  a[0] = get_group_id(d);
  a[1] = get_num_groups(d);
  a[2] = get_global_size(d);
  a[3] = get_global_offset(d);
}

// CHECK: static size_t skmd_get_group_id(uint dimension, skmd_record_v1 skmd_launch) {
// CHECK-NEXT: return dimension < 3 ? (size_t)(get_group_id(dimension) + (dimension == 0 ? skmd_launch.first_group[0] : dimension == 1 ? skmd_launch.first_group[1] : skmd_launch.first_group[2])) : (size_t)0;
// CHECK: static size_t skmd_get_num_groups(uint dimension, skmd_record_v1 skmd_launch) {
// CHECK-NEXT: skmd_launch.group_count[0] {{.*}} : (size_t)1;
// CHECK: static size_t skmd_get_global_size(uint dimension, skmd_record_v1 skmd_launch) {
// CHECK-NEXT: skmd_launch.global_size[0] {{.*}} : (size_t)1;
// CHECK: static size_t skmd_get_global_offset(uint dimension, skmd_record_v1 skmd_launch) {
// CHECK-NEXT: skmd_launch.global_offset[0] {{.*}} : (size_t)0;
// CHECK: a[0] = skmd_get_group_id(d, skmd_launch);
// CHECK: a[1] = skmd_get_num_groups(d, skmd_launch);
// CHECK: a[2] = skmd_get_global_size(d, skmd_launch);
// CHECK: a[3] = skmd_get_global_offset(d, skmd_launch);
