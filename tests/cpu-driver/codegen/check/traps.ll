; SPDX-License-Identifier: Apache-2.0
; Divisors are compared with zero, and arm_terminate_kernel tells and ends the item.
; RUN: %skmd-opt --passes=skmd-checks %s | %FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; The places of divisions come before those of accesses.
; CHECK: ; divides: an unknown line{{.}}divides by zero{{.}}division_by_zero
; CHECK: ; divides: an unknown line{{.}}takes a remainder by zero{{.}}division_by_zero
; CHECK: ; divides: an unknown line{{.}}writes 4 bytes{{.}}a{{.}}out_of_bounds
; CHECK: ; ends: an unknown line{{.}}ends the launch{{.}}terminated
; CHECK: ; waits: an unknown line{{.}}ends the launch{{.}}terminated

; CHECK-LABEL: define internal void @divides.item(
; CHECK: %[[DIVISOR:.*]] = freeze i32 %d
; CHECK: %[[ZERO:.*]] = icmp eq i32 %[[DIVISOR]], 0
; CHECK: br i1 %[[ZERO]], label %[[TELL:.*]], label
; CHECK: [[TELL]]:
; CHECK: call void @skmd.check.failed(ptr addrspace(2) %frame, i64 0, i64 0, i64 0,
; CHECK: %quotient = sdiv i32 %n, %[[DIVISOR]]
; CHECK: call i1 @llvm.vector.reduce.or.v2i1(
; CHECK-NOT: icmp eq i32 7
; CHECK: call void @skmd.check.failed(ptr addrspace(2) %frame, i64 2,
define spir_kernel void @divides(ptr addrspace(1) %a, i32 %n, i32 %d, <2 x i32> %v) {
  %quotient = sdiv i32 %n, %d
  %wide = insertelement <2 x i32> zeroinitializer, i32 %n, i64 0
  %rest = urem <2 x i32> %wide, %v
  %known = udiv i32 %quotient, 7
  %last = extractelement <2 x i32> %rest, i64 0
  %sum = add i32 %known, %last
  store i32 %sum, ptr addrspace(1) %a, align 4
  ret void
}

; CHECK-LABEL: define internal void @ends.item(
; CHECK: call void @skmd.check.failed(ptr addrspace(2) %frame, i64 0, i64 1, i64 0,
; CHECK-NEXT: br label %[[END:.*]]
; CHECK-NOT: store i32 1
; CHECK: store i32 2
; CHECK: ret void
; CHECK-NOT: ret void
define spir_kernel void @ends(ptr %own, i1 %bad) {
  br i1 %bad, label %stop, label %go
stop:
  call void @arm_terminate_kernel(i32 1)
  store i32 1, ptr %own, align 4
  br label %go
go:
  store i32 2, ptr %own, align 4
  ret void
}

; Where others may wait for the item it goes on.
; CHECK-LABEL: define internal void @waits.item(
; CHECK: call void @skmd.check.failed(ptr addrspace(2) %frame, i64 0, i64 0, i64 0,
; CHECK-NEXT: store i32 1
define spir_kernel void @waits(ptr %own) {
  call void @arm_terminate_kernel(i32 0)
  store i32 1, ptr %own, align 4
  call void @_Z7barrierj(i32 1)
  ret void
}

declare void @arm_terminate_kernel(i32)
declare void @_Z7barrierj(i32)
