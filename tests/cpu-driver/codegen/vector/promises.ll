; Promises of lane 0 that need not hold: what is under a condition may have been moved before it with its nuw, nsw,
; nneg or disjoint, where it is poison in the lanes that do not use it.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;isa=avx512;full>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-masks' %s | %FileCheck %s --check-prefix=MASKED

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @skmd.load.i64(ptr addrspace(1), i1)
declare void @skmd.store.i64(i64, ptr addrspace(1), i1)

; Chosen where it is good only: each lane is extended by itself.
; CHECK-LABEL: define internal void @chosen.x4(
; CHECK: [[V:%.*]] = zext <4 x i32> %{{.*}} to <4 x i64>
; CHECK: select <4 x i1> %{{.*}}, <4 x i64> [[V]], <4 x i64> splat (i64 1099511627776)
define internal void @chosen(ptr addrspace(1) %a, i32 %r, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %x = trunc i64 %id to i32
  %far = icmp uge i32 %x, %r
  %less = sub nuw i32 %x, %r
  %wide = zext i32 %less to i64
  %v = select i1 %far, i64 %wide, i64 1099511627776
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.i64(i64 %v, ptr addrspace(1) align 8 %q, i1 %live)
  ret void
}

; Used by an access of some lanes: checked before lanes count as neighbours.
; CHECK-LABEL: define internal void @under_mask.x4(
; CHECK: [[NEXT:%.*]] = icmp eq i64
; CHECK: [[SURE:%.*]] = freeze i1 [[NEXT]]
; CHECK: br i1 [[SURE]], label %fast, label %slow
define internal void @under_mask(ptr addrspace(1) %a, i32 %r, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %x = trunc i64 %id to i32
  %far = icmp uge i32 %x, %r
  %mask = select i1 %live, i1 %far, i1 false
  %less = sub nuw i32 %x, %r
  %wide = zext i32 %less to i64
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %wide
  call void @skmd.store.i64(i64 1, ptr addrspace(1) align 8 %q, i1 %mask)
  ret void
}

; Every lane needs it: then it holds. Also where it goes round a loop to such accesses only.
; CHECK-LABEL: define internal void @needed.x4(
; CHECK-NOT: br i1
; CHECK: store <4 x i64>
; CHECK: loop:
; CHECK-NOT: slow
; CHECK: store <4 x i64>
define internal void @needed(ptr addrspace(1) %a, i32 %r, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %x = trunc i64 %id to i32
  %less = sub nuw i32 %x, %r
  %wide = zext i32 %less to i64
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %wide
  call void @skmd.store.i64(i64 1, ptr addrspace(1) align 8 %q, i1 %live)
  %sum = add nsw i32 %x, %r
  %start = sext i32 %sum to i64
  br label %loop
loop:
  %i = phi i64 [ %start, %0 ], [ %next, %loop ]
  %n = phi i32 [ 0, %0 ], [ %m, %loop ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  call void @skmd.store.i64(i64 2, ptr addrspace(1) align 8 %p, i1 %live)
  %next = add i64 %i, 64
  %m = add i32 %n, 1
  %end = icmp eq i32 %m, 8
  br i1 %end, label %out, label %loop
out:
  ret void
}

; A disjoint `or` is a sum in every lane, and what is not negative keeps its sign.
; CHECK-LABEL: define internal void @sums.x4(
; CHECK-NOT: or i64
; CHECK: add <4 x i64> %{{.*}}, <i64 0, i64 1, i64 2, i64 3>
; CHECK: [[W:%.*]] = sext i32 %{{.*}} to i64
define internal void @sums(ptr addrspace(1) %a, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %bit = and i64 %id, 1
  %even = icmp eq i64 %bit, 0
  %odd = or disjoint i64 %id, 1
  %v = select i1 %even, i64 %odd, i64 3
  %x = trunc i64 %id to i32
  %back = add i32 %x, -3
  %wide = zext nneg i32 %back to i64
  %some = icmp ugt i64 %id, 2
  %w = select i1 %some, i64 %wide, i64 %v
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.i64(i64 %w, ptr addrspace(1) align 8 %q, i1 %live)
  ret void
}

; MASKED-LABEL: define internal void @behind(
; MASKED: sext i32 %back to i64
define internal void @behind(ptr addrspace(1) %a, i64 range(i64 0, 1000) "skmd-lane" %id) "skmd-item" {
  %x = trunc i64 %id to i32
  %some = icmp ugt i32 %x, 2
  br i1 %some, label %then, label %end
then:
  %back = add nsw i32 %x, -3
  %wide = zext nneg i32 %back to i64
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %wide
  store i64 1, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; The same in all lanes, made of numbers that differ: lane 0's, which may not run.
; CHECK-LABEL: define internal void @distance.x4(
; CHECK: sub i32
; CHECK-NOT: sub nsw
define internal void @distance(ptr addrspace(1) %a, i32 %r, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %x = trunc i64 %id to i32
  %y = mul i32 %x, 3
  %z = add i32 %y, %r
  %twice = shl i32 %x, 1
  %thrice = add i32 %twice, %x
  %same = sub nsw i32 %z, %thrice
  %wide = sext i32 %same to i64
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.i64(i64 %wide, ptr addrspace(1) align 8 %q, i1 %live)
  ret void
}
