// RUN: %skmd-compile --options %s -DX=1 -I. -cl-mad-enable -w -cl-std=CL1.2 -cl-fast-relaxed-math -cl-kernel-arg-info | %FileCheck %s
kernel void k() {}
// CHECK: {{^}}-cl-mad-enable -cl-fast-relaxed-math -cl-std=CL1.2{{$}}
