// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain --check %s | %FileCheck %s
// RUN: %skmd-compile --explain %s | %FileCheck --check-prefix=PLAIN %s
// Accesses to local memory are told of in checked programs, where launches are asked whether they stay inside.

// PLAIN-NOT: local arg
// PLAIN-NOT: local variable

// CHECK-LABEL: kernel tile
// CHECK-DAG: local arg 1 (shared) [(long)(int)local_id(0)*4] 4 bytes
// CHECK-DAG: local arg 1 (shared) [(ulong)i0*4] 4 bytes in i0
// CHECK-DAG: local variable of 68 [{{.*}}] 4 bytes if {{.*}}
__kernel void tile(__global int* out, __local int* shared, int n) {
  __local int own[17];
  int l = get_local_id(0), sum = 0;
  shared[l] = n;
  if (l < 17) own[16 - l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < n; ++k) sum += shared[k];
  out[get_global_id(0)] = sum + own[0];
}

// A read without a use may trap, too.
// CHECK-LABEL: kernel useless
// CHECK: local arg 0 (shared) [local_id(0)*4] 4 bytes
__kernel void useless(__local int* shared) {
  int x = shared[get_local_id(0)];
}

// CHECK-LABEL: kernel gathers
// CHECK: local arg 1 (shared) [(long)?*4] 4 bytes
__kernel void gathers(__global int* out, __local int* shared) {
  shared[get_local_id(0)] = shared[out[0]];
}

// Nothing is told where one access is not known.
// CHECK-LABEL: kernel copies
// CHECK-NOT: local arg
__kernel void copies(__global const int* in, __local int* shared) {
  shared[0] = 1;
  wait_group_events(0, 0);
  event_t event = async_work_group_copy(shared, in, 16, 0);
  wait_group_events(1, &event);
}
