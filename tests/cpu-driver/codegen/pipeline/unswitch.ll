; An innermost loop that asks whether a shortcut can be taken becomes two, however large it is; no other loop does.
; RUN: %skmd-opt -S --passes='function(loop-simplify,lcssa),skmd-unswitch-shortcuts' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK-LABEL: define void @asks(
; CHECK: br i1 %near.fr, label %entry.split.us, label %entry.split
; CHECK: loop.us:
; CHECK-NOT: call void @slow(
; CHECK: call void @fast(
; CHECK-NOT: call void @slow(
; CHECK: loop:
; CHECK-NOT: call void @fast(
; CHECK: call void @slow(
; CHECK-NOT: call void @fast(
; CHECK: ret void
define void @asks(i64 %n, i1 %near) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %next, %join ]
  %a = call i64 @work(i64 %x)
  %b = call i64 @work(i64 %a)
  %c = call i64 @work(i64 %b)
  %d = call i64 @work(i64 %c)
  %e = call i64 @work(i64 %d)
  %f = call i64 @work(i64 %e)
  br i1 %near, label %one, label %other, !skmd.shortcut !0
one:
  call void @fast(i64 %f)
  br label %join
other:
  call void @slow(i64 %f)
  br label %join
join:
  %next = add i64 %x, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: define void @other(
; CHECK: loop:
; CHECK: br i1 %near, label %one, label %other
define void @other(i64 %n, i1 %near) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %next, %join ]
  %a = call i64 @work(i64 %x)
  %b = call i64 @work(i64 %a)
  %c = call i64 @work(i64 %b)
  %d = call i64 @work(i64 %c)
  %e = call i64 @work(i64 %d)
  %f = call i64 @work(i64 %e)
  br i1 %near, label %one, label %other
one:
  call void @fast(i64 %f)
  br label %join
other:
  call void @slow(i64 %f)
  br label %join
join:
  %next = add i64 %x, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; What the answer depends on changes in the loop.
; CHECK-LABEL: define void @changes(
; CHECK: loop:
; CHECK: br i1 %near, label %one, label %other
define void @changes(i64 %n) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %next, %join ]
  %near = icmp ult i64 %x, 7
  br i1 %near, label %one, label %other, !skmd.shortcut !0
one:
  call void @fast(i64 %x)
  br label %join
other:
  call void @slow(i64 %x)
  br label %join
join:
  %next = add i64 %x, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Eight loops would be too many.
; CHECK-LABEL: define void @three(
; CHECK: loop:
; CHECK: br i1 %a, label %a1, label %a2
define void @three(i64 %n, i1 %a, i1 %b, i1 %c) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %next, %join ]
  br i1 %a, label %a1, label %a2, !skmd.shortcut !0
a1:
  call void @fast(i64 %x)
  br label %b0
a2:
  call void @slow(i64 %x)
  br label %b0
b0:
  br i1 %b, label %b1, label %b2, !skmd.shortcut !0
b1:
  call void @fast(i64 %x)
  br label %c0
b2:
  call void @slow(i64 %x)
  br label %c0
c0:
  br i1 %c, label %c1, label %c2, !skmd.shortcut !0
c1:
  call void @fast(i64 %x)
  br label %join
c2:
  call void @slow(i64 %x)
  br label %join
join:
  %next = add i64 %x, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

declare i64 @work(i64)
declare void @fast(i64)
declare void @slow(i64)

!0 = !{}
