; A private array has a copy per lane. Its elements are interleaved where every access is of one size, so that one element
; of all lanes is a vector; else copies lie one after the other.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4>' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @skmd.store.i32(i32, ptr addrspace(1), i1)

; CHECK-LABEL: define internal void @interleaved.x4(
; CHECK: %array = alloca [128 x i8], align 64
; CHECK: [[INDEX:%.*]] = mul i64 %{{.*}}, 4
; CHECK: [[OFFSET:%.*]] = mul i64 [[INDEX]], 4
; CHECK: [[PLACE:%.*]] = getelementptr i8, ptr %array, i64 [[OFFSET]]
; CHECK: store <4 x i32> %{{.*}}, ptr [[PLACE]], align 16
define internal void @interleaved(ptr addrspace(1) %a, i64 %n, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %array = alloca [8 x i32]
  %i = and i64 %n, 7
  %p = getelementptr [8 x i32], ptr %array, i64 0, i64 %i
  %t = trunc i64 %id to i32
  store i32 %t, ptr %p
  %j = and i64 %id, 7
  %q = getelementptr [8 x i32], ptr %array, i64 0, i64 %j
  %v = load i32, ptr %q
  %r = getelementptr i32, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.i32(i32 %v, ptr addrspace(1) align 4 %r, i1 %live)
  ret void
}

; CHECK-LABEL: define internal void @apart.x4(
; CHECK: %array = alloca [128 x i8], align 64
; CHECK-COUNT-4: store i16
; CHECK-COUNT-4: load i32
define internal void @apart(ptr addrspace(1) %a, i64 %n, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %array = alloca [8 x i32]
  %t = trunc i64 %id to i16
  store i16 %t, ptr %array
  %v = load i32, ptr %array
  %r = getelementptr i32, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.i32(i32 %v, ptr addrspace(1) align 4 %r, i1 %live)
  ret void
}
