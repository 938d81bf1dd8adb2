; A parameter that lanes' places are multiples of gets code of its own for its being 1.
; RUN: %skmd-opt -S --passes='skmd-unit-factors,function(instcombine<no-verify-fixpoint>)' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK-LABEL: define void @strided(
; CHECK: [[ONE:%.*]] = icmp eq i32 %stride, 1
; CHECK-NEXT: br i1 [[ONE]], label %[[UNIT:.*]], label %[[OTHER:.*]]
; CHECK: [[OTHER]]:
; CHECK: mul i32
; CHECK: ret void
; CHECK: [[UNIT]]:
; CHECK-NOT: mul
; CHECK: ret void
define void @strided(ptr addrspace(1) %x, i32 %stride, i64 "skmd-lane" %id) "skmd-item" {
  %i = trunc i64 %id to i32
  %m = mul i32 %i, %stride
  %e = sext i32 %m to i64
  %p = getelementptr float, ptr addrspace(1) %x, i64 %e
  store float 1.0, ptr addrspace(1) %p
  ret void
}

; A row's width is no lane's factor, and what is only stored is no place.
; CHECK-LABEL: define void @others(
; CHECK-NOT: icmp
; CHECK: ret void
define void @others(ptr addrspace(1) %x, i32 %width, i32 %row, i64 "skmd-lane" %id) "skmd-item" {
  %i = trunc i64 %id to i32
  %m = mul i32 %row, %width
  %s = add i32 %m, %i
  %e = sext i32 %s to i64
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %e
  %v = mul i32 %i, %row
  store i32 %v, ptr addrspace(1) %p
  ret void
}
