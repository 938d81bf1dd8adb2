// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s -cl-std=CL3.0 -D__opencl_c_atomic_order_acq_rel=1 -D__opencl_c_atomic_scope_device=1 | %FileCheck %s
__kernel void k(__global atomic_int* c) {
  // CHECK: facts: device_scope_sync global_atomics
  atomic_fetch_add_explicit(c, 1, memory_order_acq_rel, memory_scope_device);
}
