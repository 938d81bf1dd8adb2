; From work-items that load, change and store structures to vectors.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4>,skmd-pack-members<sse>,adce' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare float @skmd.load.f32(ptr addrspace(1), i1)
declare void @skmd.store.f32(float, ptr addrspace(1), i1)

; The same is done to all members: nothing is sorted.
; CHECK-LABEL: define internal void @scaled.x4(
; CHECK: [[PATTERN:%.*]] = shufflevector <2 x float> %{{.*}}, <2 x float> poison, <8 x i32> <i32 0, i32 1, i32 0, i32 1, i32 0, i32 1, i32 0, i32 1>
; CHECK: [[ALL:%.*]] = load <8 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK: [[SCALED:%.*]] = fmul <8 x float> [[ALL]], [[PATTERN]]
; CHECK: store <8 x float> [[SCALED]], ptr addrspace(1) %{{.*}}, align 4
; CHECK: ret void
define internal void @scaled(ptr addrspace(1) %a, float %sx, float %sy, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %i = shl i64 %id, 1
  %px = getelementptr float, ptr addrspace(1) %a, i64 %i
  %py = getelementptr i8, ptr addrspace(1) %px, i64 4
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %px, i1 %live)
  %y = call float @skmd.load.f32(ptr addrspace(1) align 4 %py, i1 %live)
  %x1 = fmul float %x, %sx
  %y1 = fmul nnan float %y, %sy
  call void @skmd.store.f32(float %x1, ptr addrspace(1) align 4 %px, i1 %live)
  call void @skmd.store.f32(float %y1, ptr addrspace(1) align 4 %py, i1 %live)
  ret void
}

; Not the same: sorted.
; CHECK-LABEL: define internal void @unlike.x4(
; CHECK: fmul <4 x float>
; CHECK: fadd <4 x float>
; CHECK: store <8 x float>
define internal void @unlike(ptr addrspace(1) %a, float %s, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %i = shl i64 %id, 1
  %px = getelementptr float, ptr addrspace(1) %a, i64 %i
  %py = getelementptr i8, ptr addrspace(1) %px, i64 4
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %px, i1 %live)
  %y = call float @skmd.load.f32(ptr addrspace(1) align 4 %py, i1 %live)
  %x1 = fmul float %x, %s
  %y1 = fadd float %y, %s
  call void @skmd.store.f32(float %x1, ptr addrspace(1) align 4 %px, i1 %live)
  call void @skmd.store.f32(float %y1, ptr addrspace(1) align 4 %py, i1 %live)
  ret void
}
