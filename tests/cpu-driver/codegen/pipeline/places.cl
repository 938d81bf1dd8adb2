// SPDX-License-Identifier: Apache-2.0
// Remarks name the source's own lines, however the text is preprocessed and inlined.
// RUN: %skmd-compile --kernel spin --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=SPIN
// RUN: %skmd-compile --kernel pick --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=PICK
// RUN: %skmd-compile --kernel pick --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=CODE
#define FAR 77








// SPIN: region 0: item by item: {{.*}}places.cl:[[@LINE+2]]:3: not vectorised: a loop waits for another work-item
kernel void spin(global int* lock, global int* out) {
  while (atomic_cmpxchg(lock, 0, 1) != 0);
  out[0] += 1;
  atomic_xchg(lock, 0);
}

// PICK: {{^}}  {{.*}}places.cl:[[@LINE+2]]:{{[0-9]+}}: lanes are loaded one by one: not next to each other
float at(global const float* from, int i) {
  return from[i * FAR];
}
// PICK: {{^}}  made.cl:8:{{[0-9]+}}: lanes are stored one by one: not next to each other
// CODE-NOT: !DILocation
// CODE-NOT: !dbg
#line 7 "made.cl"
kernel void pick(global const float* from, global const int* places, global float* to) {
  to[places[get_global_id(0)]] = at(from, get_global_id(0));
}
