; Where only the lower half of a number of 64 bits matters, lanes of that half differ by one, around loops, too.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;full>' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @skmd.store.i32(i32, ptr addrspace(1), i1)
declare void @skmd.store.i64(i64, ptr addrspace(1), i1)

; The sum is extended and cut in every turn; of its half, lane 0 is enough.
; CHECK-LABEL: define internal void @strides.x4(
; CHECK: %i.half = phi i32
; CHECK: br i1 {{%.*}}, label %fast, label %slow
; CHECK: fast:
; CHECK: store <4 x i32>
; CHECK: add i32 %i.half,
; CHECK-NOT: <4 x i64>
; CHECK: br i1 %goes
define internal void @strides(ptr addrspace(1) %a, i64 %size, i32 %n, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = and i64 %i, 4294967295
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %place
  call void @skmd.store.i32(i32 1, ptr addrspace(1) align 4 %q, i1 %live)
  %next = add nuw nsw i64 %place, %size
  %more = add i32 %k, 1
  %goes = icmp ult i32 %more, %n
  br i1 %goes, label %loop, label %exit
exit:
  ret void
}

; All of its bits are used.
; CHECK-LABEL: define internal void @whole.x4(
; CHECK-NOT: half
; CHECK: phi <4 x i64>
; CHECK: br i1 %goes
define internal void @whole(ptr addrspace(1) %a, i64 %size, i32 %n, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = and i64 %i, 4294967295
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %place
  call void @skmd.store.i64(i64 %i, ptr addrspace(1) align 8 %q, i1 %live)
  %next = add nuw nsw i64 %place, %size
  %more = add i32 %k, 1
  %goes = icmp ult i32 %more, %n
  br i1 %goes, label %loop, label %exit
exit:
  ret void
}
