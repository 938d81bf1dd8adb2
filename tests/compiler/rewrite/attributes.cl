// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// RUN: %skmd-compile --describe %s | %FileCheck %s --check-prefix=DESCRIBE
// Attributes before and after the kernel's name stay, reqd_work_group_size too.

__attribute__((reqd_work_group_size(8, 4, 1))) kernel void before(global int* a) { a[0] = get_group_id(0); }
kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(16,1,1)))
void between(global int* a) { a[0] = get_group_id(0); }
kernel void after(global int* a) __attribute__((reqd_work_group_size(2,
    1, 1)));
kernel void after(global int* a) { a[0] = get_group_id(0); }

// CHECK: __attribute__((reqd_work_group_size(8, 4, 1))) kernel void before(global int* a, skmd_record_v1 skmd_launch) {
// CHECK: kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(16,1,1)))
// CHECK-NEXT: void between(global int* a, skmd_record_v1 skmd_launch) {
// CHECK: kernel void after(global int* a, skmd_record_v1 skmd_launch) __attribute__((reqd_work_group_size(2,
// DESCRIBE: kernel before with hidden record
// DESCRIBE-NEXT: attributes: reqd_work_group_size(8, 4, 1)
// DESCRIBE-NEXT: required local: 8 4 1
// DESCRIBE: kernel between with hidden record
// DESCRIBE-NEXT: attributes: vec_type_hint(float4) work_group_size_hint(16,1,1)
// DESCRIBE: kernel after with hidden record
// DESCRIBE-NEXT: attributes: reqd_work_group_size(2, 1, 1)
// DESCRIBE-NEXT: required local: 2 1 1
