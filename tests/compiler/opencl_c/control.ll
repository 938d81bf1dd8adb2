; SPDX-License-Identifier: Apache-2.0
; RUN: %print-ir %s | %FileCheck %s
; Phis take their values at once, and keep them behind their loop.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"

; CHECK-LABEL: kernel void swap(
; CHECK: [[A:v[0-9]+]] = 1u; [[B:v[0-9]+]] = 2u; [[I:v[0-9]+]] = 0u;
; CHECK: [[NEXT:v[0-9]+]] = [[I]] + 1u;
; CHECK-NEXT: if ([[NEXT]] < p_n) { [[I]] = [[NEXT]]; [[KEPT:v[0-9]+]] = [[A]]; [[A]] = [[B]]; [[B]] = [[KEPT]]; goto [[LOOP:block[0-9]+]]; }
; CHECK: = [[A]];
; CHECK: = [[I]];
define spir_kernel void @swap(ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i32 %a, ptr addrspace(1) %out, align 4
  %place = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %i, ptr addrspace(1) %place, align 4
  ret void
}

; CHECK-LABEL: kernel void choices(
; CHECK: switch (p_n) {
; CHECK-NEXT: case 3u: goto block1;
; CHECK-NEXT: case 0xffffffff{{u?}}: goto [[GONE:block[0-9]+]];
; CHECK-NEXT: default: [[V:v[0-9]+]] = 9u; goto [[END:block[0-9]+]];
; CHECK-NEXT: }
; CHECK: [[GONE]]:;
; CHECK-NEXT: return;
define spir_kernel void @choices(ptr addrspace(1) %out, i32 %n) {
entry:
  switch i32 %n, label %end [
    i32 3, label %three
    i32 -1, label %gone
  ]
three:
  br label %end
gone:
  unreachable
end:
  %v = phi i32 [ 9, %entry ], [ 7, %three ]
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
