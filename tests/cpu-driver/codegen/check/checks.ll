; SPDX-License-Identifier: Apache-2.0
; Each access is compared with the memory that its address comes from.
; RUN: %skmd-opt --passes=skmd-checks %s | %FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@table = internal addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

; CHECK: ; one: an unknown line{{.}}reads 4 bytes{{.}}a{{.}}out_of_bounds
; CHECK: ; one: an unknown line{{.}}writes 8 bytes{{.}}a
; CHECK: ; several: an unknown line{{.}}reads 4 bytes{{.}}table{{.}}a
; CHECK: ; unknown: an unknown line{{.}}writes 1 byte{{.}}a{{.}}b, table
; CHECK: ; exchange: an unknown line{{.}}updates 4 bytes{{.}}a
; CHECK: ; moves: it moves memory that cannot be checked

; CHECK-LABEL: define internal void @one.item(
; CHECK-SAME: ptr addrspace(1) %a,
; CHECK-SAME: ptr addrspace(2) %frame)
; CHECK: %own = alloca i32
; CHECK: %[[SIZE:.*]] = load i64, ptr addrspace(2) {{.*}}, !invariant.load
; CHECK: store i32 1, ptr %own
; CHECK: %[[OFFSET:.*]] = sub i64
; CHECK-DAG: %[[FITS:.*]] = icmp uge i64 %[[SIZE]], 4
; CHECK-DAG: %[[REST:.*]] = sub i64 %[[SIZE]], 4
; CHECK-DAG: %[[BELOW:.*]] = icmp ule i64 %[[OFFSET]], %[[REST]]
; CHECK: %[[INSIDE:.*]] = and i1 %[[FITS]], %[[BELOW]]
; CHECK: br i1 %[[INSIDE]], label %[[THEN:.*]], label %[[ELSE:.*]]
; CHECK: [[THEN]]:
; CHECK-NEXT: %value = load i32
; CHECK: [[ELSE]]:
; CHECK-NEXT: %[[X:.*]] = add i64
; CHECK-NEXT: %[[Y:.*]] = add i64
; CHECK-NEXT: %[[Z:.*]] = add i64
; CHECK-NEXT: call void @skmd.check.failed(ptr addrspace(2) %frame, i64 0, i64 %[[OFFSET]], i64 %[[SIZE]], i64 %[[X]], i64 %[[Y]], i64 %[[Z]])
; CHECK: phi i32 [ %value, %[[THEN]] ], [ 0, %[[ELSE]] ]
define spir_kernel void @one(ptr addrspace(1) %a, i64 %i) {
  %own = alloca i32, align 4
  store i32 1, ptr %own, align 4
  %place = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  %value = load i32, ptr addrspace(1) %place, align 4
  %wide = insertelement <2 x i32> zeroinitializer, i32 %value, i64 0
  store <2 x i32> %wide, ptr addrspace(1) %place, align 4
  ret void
}

define spir_kernel void @several(ptr addrspace(1) %a, i64 %i, ptr %own) {
  %constant = addrspacecast ptr addrspace(2) @table to ptr addrspace(1)
  %first = icmp eq i64 %i, 0
  %base = select i1 %first, ptr addrspace(1) %a, ptr addrspace(1) %constant
  %place = getelementptr i32, ptr addrspace(1) %base, i64 %i
  %value = load i32, ptr addrspace(1) %place, align 4
  store i32 %value, ptr %own, align 4
  ret void
}

define spir_kernel void @unknown(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %where) {
  %place = inttoptr i64 %where to ptr addrspace(1)
  store i8 1, ptr addrspace(1) %place, align 1
  ret void
}

; What is not exchanged is what was expected, so that no item waits for it.
; CHECK-LABEL: define internal void @exchange.item(
; CHECK: %pair = cmpxchg ptr addrspace(1) %a, i32 5, i32 6
; CHECK-DAG: %found = extractvalue { i32, i1 } %pair, 0
; CHECK-DAG: %done = extractvalue { i32, i1 } %pair, 1
; CHECK-DAG: phi i32 [ %found, %{{.*}} ], [ 5, %{{.*}} ]
; CHECK-DAG: phi i1 [ %done, %{{.*}} ], [ true, %{{.*}} ]
define spir_kernel void @exchange(ptr addrspace(1) %a, ptr %own) {
  %pair = cmpxchg ptr addrspace(1) %a, i32 5, i32 6 monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %both = select i1 %done, i32 %found, i32 0
  store i32 %both, ptr %own, align 4
  ret void
}

define spir_kernel void @moves(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 64, i1 false)
  ret void
}
