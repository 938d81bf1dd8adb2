; Elements next to each other of a lane whose place is not known: one word for each lane, also of bytes.
; RUN: %skmd-opt -S --passes='skmd-widen<width=16;isa=avx512>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;isa=sse>,skmd-lower-gathers<sse>' %s | %FileCheck %s --check-prefix=SSE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i8 @skmd.load.i8(ptr addrspace(1), i1)
declare float @skmd.load.f32(ptr addrspace(1), i1)
declare void @skmd.store.f32(float, ptr addrspace(1), i1)
declare void @skmd.store.i8(i8, ptr addrspace(1), i1)
declare i64 @skmd.load.i64(ptr addrspace(1), i1)

; CHECK-LABEL: define internal void @pairs.x16(
; CHECK: call <16 x i64> @llvm.masked.gather.v16i64
; CHECK-NOT: call <16 x float> @llvm.masked.gather
; SSE-LABEL: define internal void @pairs.x4(
; SSE-COUNT-4: load i64, ptr addrspace(1) %{{.*}}, align 4
; SSE-NOT: load float
; SSE: store i64
; SSE-NOT: store float
; SSE: ret void
define internal void @pairs(ptr addrspace(1) %a, ptr addrspace(1) %places, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %pp = getelementptr i64, ptr addrspace(1) %places, i64 %id
  %i = call i64 @skmd.load.i64(ptr addrspace(1) align 8 %pp, i1 %live)
  %p0 = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %p1 = getelementptr i8, ptr addrspace(1) %p0, i64 4
  %y = call float @skmd.load.f32(ptr addrspace(1) align 4 %p1, i1 %live)
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %p0, i1 %live)
  call void @skmd.store.f32(float %y, ptr addrspace(1) align 4 %p0, i1 %live)
  call void @skmd.store.f32(float %x, ptr addrspace(1) align 4 %p1, i1 %live)
  ret void
}

; The aligned word that a byte is in, which is on the same page.
; CHECK-LABEL: define internal void @bytes.x16(
; CHECK: [[NUMBERS:%.*]] = ptrtoint <16 x ptr addrspace(1)> %{{.*}} to <16 x i64>
; CHECK: [[ALIGNED:%.*]] = and <16 x i64> [[NUMBERS]], splat (i64 -4)
; CHECK: [[WORDS:%.*]] = inttoptr <16 x i64> [[ALIGNED]] to <16 x ptr addrspace(1)>
; CHECK: call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> align 4 [[WORDS]]
; CHECK: lshr <16 x i32>
; SSE-LABEL: define internal void @bytes.x4(
; SSE-COUNT-4: load i8, ptr addrspace(1)
define internal void @bytes(ptr addrspace(1) %a, ptr addrspace(1) %places, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %pp = getelementptr i64, ptr addrspace(1) %places, i64 %id
  %i = call i64 @skmd.load.i64(ptr addrspace(1) align 8 %pp, i1 %live)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %x = call i8 @skmd.load.i8(ptr addrspace(1) align 1 %p, i1 %live)
  %q = getelementptr i8, ptr addrspace(1) %places, i64 %id
  call void @skmd.store.i8(i8 %x, ptr addrspace(1) align 1 %q, i1 %live)
  ret void
}
