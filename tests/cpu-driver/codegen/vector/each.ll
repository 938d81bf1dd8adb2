; What must run lane by lane does so in the order of lanes, for those in the mask; the code is inlined into the loop.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;live>' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @skmd.store.i32(i32, ptr addrspace(1), i1)

define internal i32 @skmd.each.0(ptr addrspace(1) %p, i32 %v) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 %v seq_cst
  ret i32 %old
}

; CHECK-LABEL: define internal void @count.x4.live(
; CHECK: [[BITS:%.*]] = bitcast <4 x i1> %{{.*}} to i4
; CHECK: [[WIDE:%.*]] = zext i4 [[BITS]] to i32
; CHECK: lanes.head:
; CHECK: [[LEFT:%.*]] = phi i32 [ [[WIDE]], %{{.*}} ], [ [[REST:%.*]], %lanes ]
; CHECK: lanes:
; CHECK: [[LANE:%.*]] = call i32 @llvm.cttz.i32(i32 [[LEFT]], i1 true)
; CHECK: atomicrmw add ptr addrspace(1) %a, i32
; CHECK: sub i32 [[LEFT]], 1
; CHECK: [[REST]] = and i32 [[LEFT]],
; CHECK: lanes.end:
; CHECK: load <4 x i32>, ptr
define internal void @count(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %t = trunc i64 %id to i32
  %s = mul i32 %t, %t
  %old = call i32 @skmd.each.0(ptr addrspace(1) %a, i32 %s) [ "skmd.mask"(i1 %live) ]
  %r = getelementptr i32, ptr addrspace(1) %b, i64 %id
  call void @skmd.store.i32(i32 %old, ptr addrspace(1) align 4 %r, i1 %live)
  ret void
}
