; Integer division stops in no lane: 32 bits go through double, 64 bits get a divisor that is not 0, in scalars as well.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4>' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @skmd.store.i32(i32, ptr addrspace(1), i1)
declare void @skmd.store.i64(i64, ptr addrspace(1), i1)

; CHECK-LABEL: define internal void @divide.x4(
; CHECK: sitofp <4 x i32> %{{.*}} to <4 x double>
; CHECK: fdiv <4 x double>
; CHECK: [[Q:%.*]] = fptosi <4 x double> %{{.*}} to <4 x i32>
; CHECK: freeze <4 x i32> [[Q]]
; CHECK: icmp eq <4 x i64> [[D:%.*]], zeroinitializer
; CHECK: [[SAFE:%.*]] = select <4 x i1> %{{.*}}, <4 x i64> splat (i64 1), <4 x i64> [[D]]
; CHECK: udiv <4 x i64> %{{.*}}, [[SAFE]]
; CHECK: icmp eq i64 [[N:%.*]], 0
; CHECK: select i1 %{{.*}}, i64 1, i64 [[N]]
; CHECK: srem i64
define internal void @divide(ptr addrspace(1) %a, i32 %n, i64 %m, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %t = trunc i64 %id to i32
  %q = sdiv i32 %n, %t
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.i32(i32 %q, ptr addrspace(1) align 4 %p, i1 %live)
  %u = udiv i64 %m, %id
  call void @skmd.store.i64(i64 %u, ptr addrspace(1) align 8 %p, i1 %live)
  %w = sext i32 %n to i64
  %s = srem i64 %m, %w
  call void @skmd.store.i64(i64 %s, ptr addrspace(1) align 8 %a, i1 %live)
  ret void
}
