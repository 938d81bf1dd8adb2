; RUN: %skmd-opt --passes=skmd-masks %s | %FileCheck %s

; Lanes leave in different iterations: the mask of those that go on is a phi, and so is what they leave with.
; CHECK-LABEL: define void @divergent(
; CHECK: loop:
; CHECK-DAG: [[LIVE:%.*]] = phi i1 [ %live, %{{.*}} ], [ [[ON:%.*]], %{{.*}} ]
; CHECK-DAG: [[K:%.*]] = phi i64 [ 0, %{{.*}} ], [ [[K1:%.*]], %{{.*}} ]
; CHECK-DAG: [[LEFT:%.*]] = phi i64 [ {{.*}} ], [ [[TRACKED:%.*]], %{{.*}} ]
; CHECK: [[K1]] = add nuw nsw i64 [[K]], 1
; CHECK: [[MORE:%.*]] = icmp ult i64 [[K1]], %i
; CHECK: [[ON]] = select i1 [[LIVE]], i1 [[MORE]], i1 false
; CHECK: [[OUT:%.*]] = select i1 [[LIVE]], i1 {{.*}}, i1 false
; CHECK: [[TRACKED]] = select i1 [[OUT]], i64 [[K1]], i64 [[LEFT]]
; CHECK: [[ANY:%.*]] = call i1 @skmd.any(i1 [[ON]])
; CHECK: br i1 [[ANY]], label %loop
; CHECK: call void @skmd.store.i64.p1(i64 [[TRACKED]], ptr addrspace(1) align 8 %{{.*}}, i1 %live)
define void @divergent(i64 "skmd-lane" %i, ptr addrspace(1) %out) "skmd-item" {
entry:
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k1, %loop]
  %k1 = add nuw nsw i64 %k, 1
  %c = icmp ult i64 %k1, %i
  br i1 %c, label %loop, label %end
end:
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %k1, ptr addrspace(1) %p, align 8
  ret void
}

; A loop of which all lanes run the same iterations stays as it is. In divergent code somebody must be there for it.
; CHECK-LABEL: define void @uniform(
; CHECK: [[MASK:%.*]] = select i1 %live, i1 %d, i1 false
; CHECK: [[ANY:%.*]] = call i1 @skmd.any(i1 [[MASK]])
; CHECK: br i1 [[ANY]], label %[[IN:.*]], label %[[PAST:.*]]
; CHECK: loop:
; CHECK: [[K:%.*]] = phi i64
; CHECK: call void @skmd.store.i64.p1(i64 [[K]], ptr addrspace(1) align 8 %{{.*}}, i1 [[MASK]])
; CHECK: %c = icmp ult i64 %k1, %n
; CHECK: br i1 %c, label %loop
define void @uniform(i64 "skmd-lane" %i, i64 %n, ptr addrspace(1) %out) "skmd-item" {
entry:
  %d = icmp slt i64 %i, 100
  br i1 %d, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i64 [0, %before], [%k1, %loop]
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %k, ptr addrspace(1) %p, align 8
  %k1 = add nuw nsw i64 %k, 1
  %c = icmp ult i64 %k1, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
