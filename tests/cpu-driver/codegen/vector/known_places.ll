; Lanes whose places differ by constants: one load and a shuffle.
; RUN: %skmd-opt -S --passes=skmd-known-places %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x i32>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p3(<4 x ptr addrspace(3)>, <4 x i1>, <4 x i32>)

; A loop by 4: id ^ 1 and id & 2 are known in each lane.
; CHECK-LABEL: define void @neighbours(
; CHECK: [[AT:%.*]] = getelementptr i8, ptr addrspace(1) %a, i64
; CHECK: [[FIRST:%.*]] = getelementptr i8, ptr addrspace(1) [[AT]], i64 0
; CHECK: [[LOADED:%.*]] = load <4 x i32>, ptr addrspace(1) [[FIRST]], align 4
; CHECK: shufflevector <4 x i32> [[LOADED]], <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p1
; CHECK-NOT: call <4 x i32> @llvm.masked.gather
; CHECK: ret void
define void @neighbours(ptr addrspace(1) %a, ptr addrspace(1) %r, i64 %n) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = insertelement <4 x i64> poison, i64 %x, i64 0
  %s = shufflevector <4 x i64> %s0, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i64> %s, <i64 0, i64 1, i64 2, i64 3>
  %other = xor <4 x i64> %ids, splat (i64 1)
  %o = shl <4 x i64> %other, splat (i64 2)
  %p = getelementptr i8, ptr addrspace(1) %a, <4 x i64> %o
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %p, <4 x i1> splat (i1 true), <4 x i32> poison)
  ; The second element of each pair is not read.
  %even = and <4 x i64> %ids, splat (i64 -2)
  %e = shl <4 x i64> %even, splat (i64 2)
  %q = getelementptr i8, ptr addrspace(1) %a, <4 x i64> %e
  %w = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %q, <4 x i1> splat (i1 true), <4 x i32> poison)
  %sum = add <4 x i32> %v, %w
  %t = getelementptr i32, ptr addrspace(1) %r, i64 %x
  store <4 x i32> %sum, ptr addrspace(1) %t
  %next = add i64 %x, 4
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; What is added may wrap before it is extended: only in local memory are places then too far from each other.
; CHECK-LABEL: define <4 x i32> @local_sum(
; CHECK: load <4 x i32>, ptr addrspace(3)
; CHECK-NOT: gather
; CHECK: ret
define <4 x i32> @local_sum(ptr addrspace(3) %a, i32 %b) {
  %s0 = insertelement <4 x i32> poison, i32 %b, i64 0
  %s = shufflevector <4 x i32> %s0, <4 x i32> poison, <4 x i32> zeroinitializer
  %i = add <4 x i32> %s, <i32 3, i32 2, i32 1, i32 0>
  %x = sext <4 x i32> %i to <4 x i64>
  %o = shl <4 x i64> %x, splat (i64 2)
  %p = getelementptr i8, ptr addrspace(3) %a, <4 x i64> %o
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p3(<4 x ptr addrspace(3)> align 4 %p, <4 x i1> splat (i1 true), <4 x i32> poison)
  ret <4 x i32> %v
}

; CHECK-LABEL: define <4 x i32> @global_sum(
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p1
define <4 x i32> @global_sum(ptr addrspace(1) %a, i32 %b) {
  %s0 = insertelement <4 x i32> poison, i32 %b, i64 0
  %s = shufflevector <4 x i32> %s0, <4 x i32> poison, <4 x i32> zeroinitializer
  %i = add <4 x i32> %s, <i32 3, i32 2, i32 1, i32 0>
  %x = sext <4 x i32> %i to <4 x i64>
  %o = shl <4 x i64> %x, splat (i64 2)
  %p = getelementptr i8, ptr addrspace(1) %a, <4 x i64> %o
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %p, <4 x i1> splat (i1 true), <4 x i32> poison)
  ret <4 x i32> %v
}

; Sums that wrap in all lanes could come back to local memory.
; CHECK-LABEL: define <4 x i32> @far_sum(
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p3
define <4 x i32> @far_sum(ptr addrspace(3) %a, i32 %b) {
  %s0 = insertelement <4 x i32> poison, i32 %b, i64 0
  %s = shufflevector <4 x i32> %s0, <4 x i32> poison, <4 x i32> zeroinitializer
  %i = add <4 x i32> %s, <i32 -2147483645, i32 -2147483646, i32 -2147483647, i32 -2147483648>
  %x = sext <4 x i32> %i to <4 x i64>
  %o = shl <4 x i64> %x, splat (i64 2)
  %p = getelementptr i8, ptr addrspace(3) %a, <4 x i64> %o
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p3(<4 x ptr addrspace(3)> align 4 %p, <4 x i1> splat (i1 true), <4 x i32> poison)
  ret <4 x i32> %v
}

; A number of which the lowest bits are not known: (b + l) & 3 differs from lane to lane as it likes.
; CHECK-LABEL: define <4 x i32> @unknown_bits(
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p3
define <4 x i32> @unknown_bits(ptr addrspace(3) %a, i64 %b, <4 x i1> %m) {
  %s0 = insertelement <4 x i64> poison, i64 %b, i64 0
  %s = shufflevector <4 x i64> %s0, <4 x i64> poison, <4 x i32> zeroinitializer
  %i = add <4 x i64> %s, <i64 0, i64 1, i64 2, i64 3>
  %x = and <4 x i64> %i, splat (i64 3)
  %o = shl <4 x i64> %x, splat (i64 2)
  %p = getelementptr i8, ptr addrspace(3) %a, <4 x i64> %o
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p3(<4 x ptr addrspace(3)> align 4 %p, <4 x i1> splat (i1 true), <4 x i32> poison)
  ret <4 x i32> %v
}

; Lanes that do not run.
; CHECK-LABEL: define <4 x i32> @some(
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p3
define <4 x i32> @some(ptr addrspace(3) %a, <4 x i1> %m) {
  %p = getelementptr i8, ptr addrspace(3) %a, <4 x i64> <i64 12, i64 8, i64 4, i64 0>
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p3(<4 x ptr addrspace(3)> align 4 %p, <4 x i1> %m, <4 x i32> poison)
  ret <4 x i32> %v
}

; What lanes' addresses have in common does not get through the mask.
; CHECK-LABEL: define <4 x i32> @bits_of_address(
; CHECK: ret <4 x i32> <i32 0, i32 8, i32 16, i32 24>
define <4 x i32> @bits_of_address(ptr addrspace(3) align 16 %a) {
  %p = getelementptr i8, ptr addrspace(3) %a, <4 x i64> <i64 0, i64 5, i64 10, i64 15>
  %n = ptrtoint <4 x ptr addrspace(3)> %p to <4 x i64>
  %t = trunc <4 x i64> %n to <4 x i32>
  %e = shl <4 x i32> %t, splat (i32 3)
  %b = and <4 x i32> %e, splat (i32 24)
  ret <4 x i32> %b
}
