// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
// A builtin that we do not know may be one of a vendor.
kernel void k(global int* a) { a[0] = amd_bitalign(1u, 2u, 3u); }
// CHECK: opaque: 'amd_bitalign' is unknown to our front end
