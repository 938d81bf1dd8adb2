; What cannot be widened is said, and nothing is left of the attempt.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4>' %s 2>&1 | %FileCheck %s --implicit-check-not=.x4

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK-DAG: apart: not widened: lanes disagree about where to go on: br
define internal void @apart(i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %c = icmp eq i64 %id, 3
  br i1 %c, label %one, label %other
one:
  br label %other
other:
  ret void
}

; CHECK-DAG: vectors: not widened: lanes of this type are not supported: insertelement
define internal void @vectors(ptr %p, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %v = insertelement <4 x i64> zeroinitializer, i64 %id, i32 0
  store <4 x i64> %v, ptr %p
  ret void
}

; CHECK-DAG: atomic: not widened: an access that is not simple: atomicrmw
define internal void @atomic(ptr %p, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %v = atomicrmw add ptr %p, i64 %id seq_cst
  ret void
}

; CHECK-DAG: large: not widened: private variables are too large
define internal void @large(ptr %p, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %a = alloca [20000 x i8]
  store ptr %a, ptr %p
  ret void
}

; CHECK-DAG: item: not widened: item is not in masked form
define internal void @item(i64 "skmd-lane" %id) "skmd-masked" {
  ret void
}
