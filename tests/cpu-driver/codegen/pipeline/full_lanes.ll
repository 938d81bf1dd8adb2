; Vectors all of whose lanes are below a bound have a loop of their own, that does not ask.
; RUN: %skmd-opt -S --passes='function(loop-simplify),skmd-full-lanes' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='function(loop-simplify),skmd-full-lanes,skmd-full-lanes,function(instcombine,simplifycfg)' %s | %FileCheck %s --check-prefix=TWICE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; The bound is what the loop has before it; the rest begins where the first ends, with what that hands on.
; CHECK-LABEL: define i32 @below(
; CHECK: [[SIGNED:%.*]] = call i64 @llvm.smax.i64(i64 {{%.*}}, i64 0)
; CHECK: [[NEAR:%.*]] = call i64 @llvm.smin.i64(i64 [[SIGNED]], i64 1073741824)
; CHECK: [[COUNT:%.*]] = call i64 @llvm.umin.i64(i64 %items,
; CHECK: %full = and i64 [[COUNT]], -4
; CHECK: loop.full:
; CHECK: %sum.full = phi i32
; CHECK: store <4 x i32> {{.*}}
; CHECK: icmp ult i64 %x1.full, %full
; CHECK: between:
; CHECK: icmp ult i64 %full, %items
; CHECK: [[START:%.*]] = phi i64 [ 0, %entry ], [ %full, %between ]
; CHECK: [[SUM:%.*]] = phi i32 [ 7, %entry ], [ %sum1.full, %between ]
; CHECK: loop:
; CHECK: phi i64 [ [[START]], %entry.split ], [ %x1, %join ]
; CHECK: phi i32 [ [[SUM]], %entry.split ], [ %sum1, %join ]
; CHECK: icmp slt <4 x i32> %ids, %ns

; Once is enough; the loop that does not ask has no masks.
; TWICE-LABEL: define i32 @below(
; TWICE: loop.full:
; TWICE-NOT: icmp {{s[a-z]+}} <4
; TWICE: between
; TWICE: icmp {{s[a-z]+}} <4
; TWICE-NOT: icmp {{s[a-z]+}} <4
; TWICE: ret i32
define i32 @below(ptr addrspace(3) %p, i64 %items, i32 %n) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %sum = phi i32 [ 7, %entry ], [ %sum1, %join ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %mask = icmp slt <4 x i32> %ids, %ns
  %bits = bitcast <4 x i1> %mask to i4
  %every = icmp eq i4 %bits, -1
  br i1 %every, label %run, label %join
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store <4 x i32> %ids, ptr addrspace(3) %at
  br label %join
join:
  %sum1 = add i32 %sum, %t
  %x1 = add nuw nsw i64 %x, 4
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret i32 %sum1
}

; The counter's bits beyond 30 are not there, nor those below the step: only what takes them away goes.
; CHECK-LABEL: define void @bits(
; CHECK: loop.full:
; CHECK-NOT: %same
; CHECK: %other.full = and i64 %a, %b
; CHECK: %fewer.full = and i64 %x.full, 536870908
; CHECK: %low.full = and i64 %x.full, 4092
; CHECK: between:
define void @bits(ptr addrspace(3) %p, i64 %items, i32 %n, i64 %a, i64 %b) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %loop ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %mask = icmp slt <4 x i32> %ids, %ns
  %kept = zext <4 x i1> %mask to <4 x i32>
  %wide = shl i64 %x, 4
  %same1 = and i64 %wide, 68719476672
  %same2 = zext i32 %t to i64
  %other = and i64 %a, %b
  %fewer = and i64 %x, 536870908
  %low = and i64 %x, 4092
  %s1 = add i64 %same1, %same2
  %s2 = add i64 %other, %s1
  %s3 = add i64 %low, %s2
  %s4 = add i64 %fewer, %s3
  %at = getelementptr i8, ptr addrspace(3) %p, i64 %s4
  store <4 x i32> %kept, ptr addrspace(3) %at
  %x1 = add nuw nsw i64 %x, 4
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret void
}

; Not where lanes are above something, where the bound changes, or where lanes do not follow each other.
; CHECK-LABEL: define void @others(
; CHECK-NOT: .full
; CHECK: ret void
define void @others(ptr addrspace(3) %p, i64 %items, i32 %n) {
entry:
  %n0 = insertelement <4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %loop ]
  %t = trunc i64 %x to i32
  %t0 = insertelement <4 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <4 x i32> %t0, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %ts, <i32 0, i32 1, i32 2, i32 3>
  %above = icmp sgt <4 x i32> %ids, %ns
  %wide = add <4 x i32> %ts, <i32 0, i32 -1, i32 2, i32 3>
  %odd = icmp slt <4 x i32> %wide, %ns
  %self = icmp slt <4 x i32> %ids, %ts
  %some = and <4 x i1> %above, %odd
  %all = and <4 x i1> %some, %self
  %kept = zext <4 x i1> %all to <4 x i32>
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store <4 x i32> %kept, ptr addrspace(3) %at
  %x1 = add nuw nsw i64 %x, 4
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret void
}

; Item by item the same: the condition goes.
; CHECK-LABEL: define void @items(
; CHECK: [[COUNT:%.*]] = call i64 @llvm.umin.i64(i64 %items,
; CHECK: loop.full:
; CHECK-NOT: icmp ult i32
; CHECK: br i1 true, label %run.full
; CHECK: icmp eq i64 %x1.full, %full
; CHECK: between:
; CHECK: icmp ult i64 %full, %items
; CHECK: loop:
; CHECK: icmp ult i32 %t, %n
; CHECK: icmp eq i64 %x1, %items
define void @items(ptr addrspace(3) %p, i64 %items, i32 %n) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %t = trunc i64 %x to i32
  %runs = icmp ult i32 %t, %n
  br i1 %runs, label %run, label %join
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 %t, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 1
  %end = icmp eq i64 %x1, %items
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; Once, too, where the loop asks whether its counter is below the number of items.
; CHECK-LABEL: define void @items_below(
; CHECK: [[COUNT:%.*]] = call i64 @llvm.umin.i64(i64 %items,
; CHECK: loop.full:
; CHECK-NOT: icmp ult i32
; CHECK: br i1 true, label %run.full
; CHECK: icmp ult i64 %x1.full, %full
; CHECK-NOT: .full.full
; CHECK: between:
; CHECK: icmp ult i64 %full, %items
; CHECK: loop:
; CHECK: icmp ult i32 %t, %n
; CHECK: icmp ult i64 %x1, %items
define void @items_below(ptr addrspace(3) %p, i64 %items, i32 %n) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %join ]
  %t = trunc i64 %x to i32
  %runs = icmp ult i32 %t, %n
  br i1 %runs, label %run, label %join
run:
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 %t, ptr addrspace(3) %at
  br label %join
join:
  %x1 = add nuw nsw i64 %x, 1
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret void
}

; Not where the only thing that is asked for is the loop's own end, nor where the number is another one.
; CHECK-LABEL: define void @own_end(
; CHECK-NOT: .full
; CHECK: ret void
define void @own_end(ptr addrspace(3) %p, i64 %items, i32 %n) {
entry:
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %x1, %loop ]
  %t = trunc i64 %x to i32
  %twice = shl i32 %t, 1
  %runs = icmp ult i32 %twice, %n
  %kept = zext i1 %runs to i32
  %at = getelementptr i32, ptr addrspace(3) %p, i64 %x
  store i32 %kept, ptr addrspace(3) %at
  %x1 = add nuw nsw i64 %x, 1
  %more.items = icmp ult i64 %x1, %items
  br i1 %more.items, label %loop, label %exit
exit:
  ret void
}
