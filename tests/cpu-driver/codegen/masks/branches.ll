; RUN: %skmd-opt --passes=skmd-masks %s | %FileCheck %s
; Divergent branches become masks and selections; uniform ones stay, also within divergent code.

; CHECK-LABEL: define void @either(i64 "skmd-lane" %i, ptr addrspace(1) %out, i1 "skmd-live" %live)
; CHECK-NEXT: entry:
; CHECK: [[C:%.*]] = icmp slt i64 %i, 5
; CHECK-NEXT: [[NOT:%.*]] = xor i1 [[C]], true
; CHECK-NEXT: [[SECOND:%.*]] = select i1 %live, i1 [[NOT]], i1 false
; CHECK-NOT: br
; CHECK: [[X:%.*]] = add i64 %i, 7
; CHECK: [[Y:%.*]] = mul i64 %i, 3
; CHECK: [[R:%.*]] = select i1 [[SECOND]], i64 [[Y]], i64 [[X]]
; CHECK: call void @skmd.store.i64.p1(i64 [[R]], ptr addrspace(1) align 8 %{{.*}}, i1 %live)
; CHECK: ret void
define void @either(i64 "skmd-lane" %i, ptr addrspace(1) %out) "skmd-item" {
entry:
  %c = icmp slt i64 %i, 5
  br i1 %c, label %a, label %b
a:
  %x = add nsw i64 %i, 7
  br label %join
b:
  %y = mul nsw i64 %i, 3
  br label %join
join:
  %r = phi i64 [%x, %a], [%y, %b]
  %p = getelementptr inbounds i64, ptr addrspace(1) %out, i64 %i
  store i64 %r, ptr addrspace(1) %p, align 8
  ret void
}

; CHECK-LABEL: define void @uniform(
; CHECK: br i1 %flag, label %a, label %{{.*}}
; CHECK: a:
; CHECK: call void @skmd.store.i64.p1(i64 1, ptr addrspace(1) align 8 %{{.*}}, i1 %live)
; CHECK-NOT: select
define void @uniform(i64 "skmd-lane" %i, i1 %flag, ptr addrspace(1) %out) "skmd-item" {
entry:
  br i1 %flag, label %a, label %end
a:
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 1, ptr addrspace(1) %p, align 8
  br label %end
end:
  ret void
}

; The condition of a uniform branch that perhaps no lane runs is frozen: it may be poison.
; CHECK-LABEL: define void @uniform_inside(
; CHECK: [[MASK:%.*]] = select i1 %live, i1 %c, i1 false
; CHECK: [[V:%.*]] = call i32 @skmd.load.i32.p1(ptr addrspace(1) align 4 %where, i1 [[MASK]])
; CHECK: [[T:%.*]] = icmp eq i32 [[V]], 0
; CHECK: [[F:%.*]] = freeze i1 [[T]]
; CHECK: br i1 [[F]]
; CHECK: call void @skmd.store.i64.p1(i64 1, ptr addrspace(1) align 8 %{{.*}}, i1 [[MASK]])
define void @uniform_inside(i64 "skmd-lane" %i, ptr addrspace(1) %where, ptr addrspace(1) %out) "skmd-item" {
entry:
  %c = icmp slt i64 %i, 5
  br i1 %c, label %a, label %end
a:
  %v = load i32, ptr addrspace(1) %where
  %t = icmp eq i32 %v, 0
  br i1 %t, label %b, label %end
b:
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 1, ptr addrspace(1) %p, align 8
  br label %end
end:
  ret void
}

; What wraps in lanes that are not there says nothing of them.
; CHECK-LABEL: define void @flags(
; CHECK: add nsw i32 %n, %m
; CHECK: add i64 %i, 3
; CHECK: add nsw i64 %i, 4
define void @flags(i64 "skmd-lane" %i, i32 %n, i32 %m, ptr addrspace(1) %out) "skmd-item" {
entry:
  %q = add nsw i32 %n, %m
  %c = icmp slt i64 %i, 5
  br i1 %c, label %a, label %end
a:
  %s = add nuw nsw i64 %i, 3
  %p = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %s
  store i32 %q, ptr addrspace(1) %p
  br label %end
end:
  %e = add nsw i64 %i, 4
  %p2 = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %e
  store i32 %q, ptr addrspace(1) %p2
  ret void
}
