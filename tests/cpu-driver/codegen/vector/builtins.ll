; A builtin of uniform values is called once; the bundle with the mask is no access of memory.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4>' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare float @_Z3expf(float) memory(none)
declare void @skmd.store.f32(float, ptr addrspace(1), i1)

; CHECK-LABEL: define internal void @uniform.x4(
; CHECK-NOT: lanes
; CHECK: call float @_Z3expf(float %x)
; CHECK-NOT: call float
; CHECK: store <4 x float>
define internal void @uniform(ptr addrspace(1) %a, float %x, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %e = call float @_Z3expf(float %x) [ "skmd.mask"(i1 %live) ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.f32(float %e, ptr addrspace(1) align 4 %p, i1 %live)
  ret void
}
