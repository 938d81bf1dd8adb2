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

; A loop of which all lanes run the same iterations stays as it is. In divergent code it runs only if some lane does.
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

; As Clang writes `while (step < limit) { if (...) break; ...; ++step; }`: the joint at the end of the body has lost its
; sense, and the count of the lanes that stay is uniform.
; CHECK-LABEL: define void @break(
; CHECK: [[STEP:%.*]] = phi i32 [ 0, %{{.*}} ], [ [[NEXT:%.*]], %{{.*}} ]
; CHECK: icmp sge i32 [[STEP]], %limit
; CHECK: [[NEXT]] = add {{.*}}i32 [[STEP]], 1
; CHECK: call i1 @skmd.any(
; CHECK: ret void
define void @break(i64 "skmd-lane" %i, i32 %limit, ptr addrspace(1) %out) "skmd-item" {
entry:
  %start = trunc i64 %i to i32
  br label %cond
cond:
  %step = phi i32 [0, %entry], [%step1, %cleanup]
  %x = phi i32 [%start, %entry], [%x1, %cleanup]
  %more = icmp slt i32 %step, %limit
  br i1 %more, label %body, label %end
body:
  %far = icmp sgt i32 %x, 1000
  br i1 %far, label %cleanup, label %go
go:
  %y = mul i32 %x, 3
  %inc = add nsw i32 %step, 1
  br label %cleanup
cleanup:
  %step1 = phi i32 [%inc, %go], [%step, %body]
  %x1 = phi i32 [%y, %go], [%x, %body]
  br i1 %far, label %end, label %cond
end:
  %s = phi i32 [%step, %cond], [%step1, %cleanup]
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %s, ptr addrspace(1) %p
  ret void
}
