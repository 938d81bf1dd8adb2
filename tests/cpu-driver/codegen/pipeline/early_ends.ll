; A loop over items ends with the first vector that none of them runs in.
; RUN: %skmd-opt -S --passes='function(loop-simplify,lcssa),skmd-early-ends' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; What a turn without items leaves is what the next would: `next`, by what does not change.
; CHECK-LABEL: define i32 @tree(
; CHECK: %far = icmp ugt i64 %items, 1073741824
; CHECK: join:
; CHECK-NEXT: %more = phi i1 [ true, %run ], [ %far, %loop ]
; CHECK: [[COUNT:%.*]] = icmp ult i64 %x1, %items
; CHECK: [[GO:%.*]] = and i1 [[COUNT]], %more
; CHECK: br i1 [[GO]], label %loop
define i32 @tree(ptr addrspace(3) %p, i64 %items, i32 %n, i1 %last) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %next = phi i32 [ 7, %entry ], [ %next1, %join ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %below = icmp ugt <4 x i32> %ns, %ids
  %mask = freeze <4 x i1> %below
  %bits = bitcast <4 x i1> %mask to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %join, label %run
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store <4 x i32> %ids, ptr addrspace(3) %at
  br label %join
join:
  %next1 = select i1 %last, i32 3, i32 %next
  %x1 = add nuw nsw i64 %x, 4
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret i32 %next1
}

; Not where lanes may come again, where each turn counts, or where something is done without items.
; CHECK-LABEL: define void @again(
; CHECK-NOT: %far
; CHECK: ret void
define void @again(ptr addrspace(3) %p, i64 %items, i32 %n) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %above = icmp ult <4 x i32> %ns, %ids
  %bits = bitcast <4 x i1> %above to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %join, label %run
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store <4 x i32> %ids, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 4
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: define i32 @counted(
; CHECK-NOT: %far
; CHECK: ret i32
define i32 @counted(ptr addrspace(3) %p, i64 %items, i32 %n) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %turns = phi i32 [ 0, %entry ], [ %turns1, %join ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %below = icmp ugt <4 x i32> %ns, %ids
  %bits = bitcast <4 x i1> %below to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %join, label %run
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store <4 x i32> %ids, ptr addrspace(3) %at
  br label %join
join:
  %turns1 = add i32 %turns, 1
  %x1 = add nuw nsw i64 %x, 4
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret i32 %turns1
}

; CHECK-LABEL: define void @busy(
; CHECK-NOT: %far
; CHECK: ret void
define void @busy(ptr addrspace(3) %p, i64 %items, i32 %n) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %below = icmp ugt <4 x i32> %ns, %ids
  %bits = bitcast <4 x i1> %below to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %join, label %run
run:
  br label %join
join:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store <4 x i32> %ids, ptr addrspace(3) %at
  %x1 = add nuw nsw i64 %x, 4
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret void
}

; Items one by one, where lanes are something else, and a loop that ends where the next is equal.
; CHECK-LABEL: define i32 @each(
; CHECK: %far = icmp ugt i64 %items, 1073741824
; CHECK: join:
; CHECK-NEXT: %more = phi i1 [ true, %run ], [ %far, %loop ]
; CHECK: [[END:%.*]] = icmp eq i64 %x1, %items
; CHECK: [[NONE:%.*]] = xor i1 %more, true
; CHECK: [[STOP:%.*]] = or i1 [[END]], [[NONE]]
; CHECK: br i1 [[STOP]], label %exit, label %loop
define i32 @each(ptr addrspace(3) %p, i64 %items, i32 %n, i1 %last) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %next = phi i32 [ 7, %entry ], [ %next1, %join ]
  %t = trunc nuw nsw i64 %x to i32
  %below = icmp samesign ugt i32 %n, %t
  br i1 %below, label %run, label %join
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 %t, ptr addrspace(3) %at
  br label %join
join:
  %next1 = select i1 %last, i32 3, i32 %next
  %x1 = add nuw nsw i64 %x, 1
  %done = icmp eq i64 %x1, %items
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %next1
}

; The other way round.
; CHECK-LABEL: define void @each_above(
; CHECK: %more = phi i1 [ true, %run ], [ %far, %loop ]
; CHECK: br i1 {{.*}}, label %exit, label %loop
define void @each_above(ptr addrspace(3) %p, i64 %items, i64 %n) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %above = icmp sge i64 %x, %n
  br i1 %above, label %join, label %run
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 5, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 1
  %done = icmp eq i64 %x1, %items
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Not where items come again, or a bound moves.
; CHECK-LABEL: define void @each_again(
; CHECK-NOT: %far
; CHECK: ret void
define void @each_again(ptr addrspace(3) %p, i64 %items, i64 %n) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %above = icmp sgt i64 %x, %n
  br i1 %above, label %run, label %join
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 5, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 1
  %done = icmp eq i64 %x1, %items
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; CHECK-LABEL: define void @each_moving(
; CHECK-NOT: %far
; CHECK: ret void
define void @each_moving(ptr addrspace(3) %p, i64 %items) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %half = xor i64 %x, 3
  %below = icmp ult i64 %x, %half
  br i1 %below, label %run, label %join
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 5, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 1
  %done = icmp eq i64 %x1, %items
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; An `or` with lanes' numbers is a sum where the counter's lowest bits are 0, also if LLVM froze the counter.
; CHECK-LABEL: define void @frozen(
; CHECK: %far
define void @frozen(ptr addrspace(3) %p, i64 %items, i32 %n, i64 %first) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  %start = and i64 %first, -4
  br label %loop
loop:
  %x = phi i64 [ %start, %entry ], [ %x1, %join ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %tf = freeze <4 x i32> %ts
  %ids = or <4 x i32> %tf, <i32 0, i32 1, i32 2, i32 3>
  %below = icmp ugt <4 x i32> %ns, %ids
  %bits = bitcast <4 x i1> %below to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %join, label %run
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 5, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 4
  %done = icmp ult i64 %x1, %items
  br i1 %done, label %loop, label %exit
exit:
  ret void
}

; It is none where the counter begins anywhere.
; CHECK-LABEL: define void @no_sum(
; CHECK-NOT: %far
; CHECK: ret void
define void @no_sum(ptr addrspace(3) %p, i64 %items, i32 %n, i64 %first) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ %first, %entry ], [ %x1, %join ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %below = icmp ugt <4 x i32> %ns, %ids
  %bits = bitcast <4 x i1> %below to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %join, label %run
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 5, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 4
  %done = icmp ult i64 %x1, %items
  br i1 %done, label %loop, label %exit
exit:
  ret void
}

; A frozen sum with what may be poison is anything in each turn.
; CHECK-LABEL: define void @frozen_sum(
; CHECK-NOT: %far
; CHECK: ret void
define void @frozen_sum(ptr addrspace(3) %p, i64 %items, i32 %n, i32 %first) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %t = trunc i64 %x to i32
  %sum = add i32 %t, %first
  %frozen = freeze i32 %sum
  %t0 = insertelement <4 x i32> poison, i32 %frozen, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = add <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %below = icmp ugt <4 x i32> %ns, %ids
  %bits = bitcast <4 x i1> %below to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %join, label %run
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 5, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 4
  %done = icmp ult i64 %x1, %items
  br i1 %done, label %loop, label %exit
exit:
  ret void
}
