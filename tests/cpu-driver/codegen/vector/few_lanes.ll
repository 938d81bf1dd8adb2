; Accesses of which it is known that they touch one lane, or some next to each other.
; RUN: %skmd-opt -S --passes='skmd-few-lanes,adce' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p1(<4 x i32>, <4 x ptr addrspace(1)>, <4 x i1>)
declare void @skmd.vector.store.v16i8.p1(<16 x i8>, ptr addrspace(1), <16 x i1>)
declare <4 x float> @skmd.vector.load.v4f32.p1(ptr addrspace(1), <4 x i1>)

; The lane's place is computed alone.
; CHECK-LABEL: define <4 x i32> @one(
; CHECK-NEXT: [[N:%.*]] = add i64 %n, 3
; CHECK-NEXT: [[P:%.*]] = getelementptr i32, ptr addrspace(1) %a, i64 [[N]]
; CHECK-NEXT: [[X:%.*]] = load i32, ptr addrspace(1) [[P]], align 4
; CHECK-NEXT: [[R:%.*]] = insertelement <4 x i32> %other, i32 [[X]], i64 3
; CHECK-NEXT: ret <4 x i32> [[R]]
define <4 x i32> @one(ptr addrspace(1) %a, i64 %n, <4 x i32> %other) {
  %s0 = insertelement <4 x i64> poison, i64 %n, i64 0
  %s = shufflevector <4 x i64> %s0, <4 x i64> poison, <4 x i32> zeroinitializer
  %ns = add <4 x i64> %s, <i64 0, i64 1, i64 2, i64 3>
  %p = getelementptr i32, ptr addrspace(1) %a, <4 x i64> %ns
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %p, <4 x i1> <i1 false, i1 false, i1 false, i1 true>, <4 x i32> %other)
  ret <4 x i32> %v
}

; In the order of lanes; three are left alone.
; CHECK-LABEL: define void @two(
; CHECK: [[A:%.*]] = extractelement <4 x i32> %v, i64 0
; CHECK: store i32 [[A]], ptr addrspace(1)
; CHECK: [[C:%.*]] = extractelement <4 x i32> %v, i64 2
; CHECK: store i32 [[C]], ptr addrspace(1)
; CHECK-NEXT: call void @llvm.masked.scatter
; CHECK-NEXT: ret void
define void @two(<4 x ptr addrspace(1)> %p, <4 x i32> %v) {
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %v, <4 x ptr addrspace(1)> align 4 %p, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %v, <4 x ptr addrspace(1)> align 4 %p, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  ret void
}

; CHECK-LABEL: define <4 x float> @neighbours(
; CHECK: [[PART:%.*]] = shufflevector <16 x i8> %v, <16 x i8> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
; CHECK: store <4 x i8> [[PART]], ptr addrspace(1) %{{.*}}, align 4
; CHECK-NEXT: call void @skmd.vector.store.v16i8.p1({{.*}}<i1 true, i1 false, i1 true,
; CHECK: load <4 x float>, ptr addrspace(1) %{{.*}}, align 8
define <4 x float> @neighbours(ptr addrspace(1) %p, <16 x i8> %v) {
  call void @skmd.vector.store.v16i8.p1(<16 x i8> %v, ptr addrspace(1) align 8 %p, <16 x i1> <i1 0, i1 0, i1 0, i1 0, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  call void @skmd.vector.store.v16i8.p1(<16 x i8> %v, ptr addrspace(1) align 8 %p, <16 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %x = call <4 x float> @skmd.vector.load.v4f32.p1(ptr addrspace(1) align 8 %p, <4 x i1> splat (i1 true))
  ret <4 x float> %x
}
