; RUN: %skmd-opt --passes=skmd-masks %s | %FileCheck %s
; What single instructions become.

declare float @_Z3sinf(float) memory(none)
declare i32 @_Z6remquoPi(ptr)
declare i32 @printf(ptr addrspace(2), ...)
@text = addrspace(2) constant [3 x i8] c"%d\00"

; CHECK-LABEL: define void @calls(
; CHECK: [[MASK:%.*]] = select i1 %live, i1 %c, i1 false
; CHECK: call float @_Z3sinf(float %x) [ "skmd.mask"(i1 [[MASK]]) ]
; CHECK: call i32 @skmd.each.0(i64 %i) [ "skmd.mask"(i1 [[MASK]]) ]
define void @calls(i64 "skmd-lane" %i, ptr addrspace(1) %out) "skmd-item" {
entry:
  %f = uitofp i64 %i to float
  %c = icmp slt i64 %i, 5
  %x = fadd float %f, 1.0
  br i1 %c, label %a, label %end
a:
  %s = call float @_Z3sinf(float noundef %x)
  %n = call i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @text, i64 %i)
  store float %s, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; Old value and success of an exchange are both made from the old value; a weak exchange becomes a strong one.
; CHECK-LABEL: define void @exchange(
; CHECK: [[OLD:%.*]] = call i32 @skmd.each.0.{{[0-9]+}}(ptr addrspace(1) %p, i32 %n) [ "skmd.mask"(i1 %live) ]
; CHECK: icmp eq i32 [[OLD]], %n
define void @exchange(i64 "skmd-lane" %i, i32 %n, ptr addrspace(1) %p, ptr addrspace(1) %out) "skmd-item" {
  %pair = cmpxchg weak ptr addrspace(1) %p, i32 %n, i32 7 monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %did = extractvalue { i32, i1 } %pair, 1
  %wide = zext i1 %did to i32
  %sum = add i32 %wide, %old
  store i32 %sum, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: define void @divisions(
; CHECK: udiv i32 %n, 7
; CHECK: [[BY:%.*]] = freeze i32 %n
; CHECK: [[ZERO:%.*]] = icmp eq i32 [[BY]], 0
; CHECK: [[SAFE:%.*]] = select i1 [[ZERO]], i32 1, i32 [[BY]]
; CHECK: urem i32 %q, [[SAFE]]
; CHECK-DAG: icmp eq i32 %{{.*}}, -2147483648
; CHECK-DAG: icmp eq i32 %{{.*}}, -1
; CHECK: sdiv
define void @divisions(i64 "skmd-lane" %i, i32 %n, ptr addrspace(1) %out) "skmd-item" {
  %q = udiv i32 %n, 7
  %r = urem i32 %q, %n
  %s = sdiv i32 %q, %n
  %t = add i32 %r, %s
  store i32 %t, ptr addrspace(1) %out
  ret void
}

; A lane's own variable at a fixed place is read without a mask; it is written so where all live lanes write.
; CHECK-LABEL: define void @private(
; CHECK: store i32 1, ptr %v
; CHECK: call void @skmd.store.i32.p0(i32 2, ptr align 4 %v, i1 %{{.*}})
; CHECK: load i32, ptr %v
; CHECK: call i32 @skmd.load.i32.p0(ptr align 4 %far, i1 %live)
define void @private(i64 "skmd-lane" %i, ptr addrspace(1) %out) "skmd-item" {
entry:
  %v = alloca [4 x i32]
  store i32 1, ptr %v
  %c = icmp slt i64 %i, 5
  br i1 %c, label %a, label %end
a:
  store i32 2, ptr %v
  br label %end
end:
  %x = load i32, ptr %v
  %far = getelementptr i32, ptr %v, i64 %i
  %y = load i32, ptr %far
  %z = add i32 %x, %y
  store i32 %z, ptr addrspace(1) %out
  ret void
}

; All lanes go on at one place, which the lanes that have an item know.
; CHECK-LABEL: define i32 @outcome(
; CHECK: [[IS:%.*]] = select i1 %live, i1 %c, i1 false
; CHECK: [[HERE:%.*]] = select i1 %live, i1 [[IS]], i1 false
; CHECK: [[ANY:%.*]] = call i1 @skmd.any(i1 [[HERE]])
; CHECK: [[TO:%.*]] = select i1 [[ANY]], i32 4, i32 3
; CHECK: ret i32 [[TO]]
define i32 @outcome(i64 "skmd-lane" %i) "skmd-item" {
entry:
  %c = icmp slt i64 %i, 5
  br i1 %c, label %a, label %end
a:
  br label %end
end:
  %to = phi i32 [3, %entry], [4, %a]
  ret i32 %to
}

; Hints would not be true for all lanes any more; tbaa is.
; CHECK-LABEL: define void @hints(
; CHECK-NOT: llvm.assume
; CHECK-NOT: !range
; CHECK: call i32 @skmd.load.i32.p1(ptr addrspace(1) align 4 %p, i1 %live), !tbaa
; CHECK: ret void
define void @hints(i64 "skmd-lane" %i, i1 %c, ptr addrspace(1) %p) "skmd-item" {
  call void @llvm.assume(i1 %c)
  %x = load i32, ptr addrspace(1) %p, !range !3, !tbaa !0
  store i32 %x, ptr addrspace(1) %p
  ret void
}

; CHECK: define internal i32 @skmd.each.0(i64 %0)
; CHECK: call i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @text, i64 %0)
; CHECK: define internal i32 @skmd.each.0.
; CHECK-NEXT: cmpxchg ptr addrspace(1) %0, i32 %1, i32 7 monotonic monotonic

!0 = !{!1, !1, i64 0}
!1 = !{!"int", !2}
!2 = !{!"root"}
!3 = !{i32 0, i32 5}
