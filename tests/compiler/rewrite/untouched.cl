// RUN: %skmd-compile --rewrite %s > %t.rewritten && %skmd-compile --preprocess %s > %t.preprocessed
// RUN: cmp %t.rewritten %t.preprocessed
// RUN: %FileCheck %s --implicit-check-not=skmd_ < %t.rewritten
// Global and local ids are right in a box as they are.

kernel void k(global int* a) {
  a[get_global_id(0)] = get_local_id(0) + get_local_size(0) + get_work_dim() + get_global_id(get_local_id(1));
}

// CHECK: get_work_dim()
