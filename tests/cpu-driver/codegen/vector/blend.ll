; Masked accesses of memory that only one thread uses are whole vectors where processors have no masks for them.
; RUN: %skmd-opt -S --passes='skmd-lower-masked<avx2>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-lower-masked<sse>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-lower-masked<avx512>' %s | %FileCheck %s --check-prefix=MASKS

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @skmd.vector.store.v8f32.p3(<8 x float>, ptr addrspace(3), <8 x i1>)
declare void @skmd.vector.store.v16f32.p3(<16 x float>, ptr addrspace(3), <16 x i1>)
declare void @skmd.vector.store.v8f32.p1(<8 x float>, ptr addrspace(1), <8 x i1>)
declare void @skmd.vector.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)
declare <8 x float> @skmd.vector.load.v8f32.p0(ptr, <8 x i1>)
declare <8 x float> @skmd.vector.load.v8f32.p3(ptr addrspace(3), <8 x i1>)
declare void @skmd.vector.store.v8i1.p3(<8 x i1>, ptr addrspace(3), <8 x i1>)

; A group's memory has room around it: beside a lane that is set, the others may be read. Where none is, nothing is.
; MASKS-LABEL: define void @local(
; MASKS: call void @llvm.masked.store.v8f32.p3(
; CHECK-LABEL: define void @local(
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> %mask to i8
; CHECK: [[SOME:%.*]] = icmp ne i8 [[BITS]], 0
; CHECK: br i1 [[SOME]], label %[[STORE:.*]], label
; CHECK: [[STORE]]:
; CHECK: [[OLD:%.*]] = load <8 x float>, ptr addrspace(3) %p, align 4
; CHECK: [[FROZEN:%.*]] = freeze <8 x float> [[OLD]]
; CHECK: [[BOTH:%.*]] = select <8 x i1> %mask, <8 x float> %v, <8 x float> [[FROZEN]]
; CHECK: store <8 x float> [[BOTH]], ptr addrspace(3) %p, align 4
define void @local(<8 x float> %v, ptr addrspace(3) %p, <8 x i1> %mask) {
  call void @skmd.vector.store.v8f32.p3(<8 x float> %v, ptr addrspace(3) align 4 %p, <8 x i1> %mask)
  ret void
}

; The branch that there is already is enough, also if it asks for items of two members each.
; CHECK-LABEL: define void @asked(
; CHECK: br i1 %none, label %end, label %some
; CHECK: some:
; CHECK-NOT: br
; CHECK: store <16 x float>
define void @asked(<16 x float> %v, ptr addrspace(3) %p, <8 x i1> %items) {
  %bits = bitcast <8 x i1> %items to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %some
some:
  %members = shufflevector <8 x i1> %items, <8 x i1> poison, <16 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3, i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7>
  call void @skmd.vector.store.v16f32.p3(<16 x float> %v, ptr addrspace(3) align 4 %p, <16 x i1> %members)
  br label %end
end:
  ret void
}

; The way where none is set, or a question about some of the lanes, says nothing.
; CHECK-LABEL: define void @asked_else(
; CHECK: none.set:
; CHECK: br i1 {{.*}}
; CHECK: store <8 x float>
define void @asked_else(<8 x float> %v, ptr addrspace(3) %p, <8 x i1> %items) {
  %bits = bitcast <8 x i1> %items to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %none.set, label %end
none.set:
  call void @skmd.vector.store.v8f32.p3(<8 x float> %v, ptr addrspace(3) align 4 %p, <8 x i1> %items)
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @asked_others(
; CHECK: some:
; CHECK: br i1 {{.*}}
; CHECK: store <8 x float>
define void @asked_others(<8 x float> %v, ptr addrspace(3) %p, <16 x i1> %items) {
  %bits = bitcast <16 x i1> %items to i16
  %none = icmp eq i16 %bits, 0
  br i1 %none, label %end, label %some
some:
  %half = shufflevector <16 x i1> %items, <16 x i1> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  call void @skmd.vector.store.v8f32.p3(<8 x float> %v, ptr addrspace(3) align 4 %p, <8 x i1> %half)
  br label %end
end:
  ret void
}

; Stack memory needs no question where all lanes are in it; what is behind a variable may be in use.
; CHECK-LABEL: define <8 x float> @stack(
; CHECK: load <8 x float>, ptr %second
; CHECK: select <8 x i1> %mask
; CHECK: store <8 x float> {{.*}}, ptr %second
; CHECK: call void @llvm.masked.store.v8f32.p0({{.*}} %third
; CHECK: call void @llvm.masked.store.v8f32.p0({{.*}} %before
; CHECK: call void @llvm.masked.store.v8f32.p0({{.*}} %any
; CHECK: [[ALL:%.*]] = load <8 x float>, ptr %variable, align 32
; CHECK-NEXT: ret <8 x float> [[ALL]]
define <8 x float> @stack(<8 x float> %v, <8 x i1> %mask, i64 %at) {
  %variable = alloca [16 x float], align 32
  %second = getelementptr i8, ptr %variable, i64 32
  %third = getelementptr i8, ptr %variable, i64 36
  %before = getelementptr i8, ptr %variable, i64 -4
  %any = getelementptr i8, ptr %variable, i64 %at
  call void @skmd.vector.store.v8f32.p0(<8 x float> %v, ptr align 4 %second, <8 x i1> %mask)
  call void @skmd.vector.store.v8f32.p0(<8 x float> %v, ptr align 4 %third, <8 x i1> %mask)
  call void @skmd.vector.store.v8f32.p0(<8 x float> %v, ptr align 4 %before, <8 x i1> %mask)
  call void @skmd.vector.store.v8f32.p0(<8 x float> %v, ptr align 4 %any, <8 x i1> %mask)
  %r = call <8 x float> @skmd.vector.load.v8f32.p0(ptr align 32 %variable, <8 x i1> %mask)
  ret <8 x float> %r
}

; Other threads may write what is between, and memory of lanes that are not set may not be there.
; CHECK-LABEL: define <8 x float> @others(
; CHECK: call void @llvm.masked.store.v8f32.p1(
; CHECK: call void @llvm.masked.store.v8f32.p0(
; CHECK: call <8 x float> @llvm.masked.load.v8f32.p3(
define <8 x float> @others(<8 x float> %v, ptr addrspace(1) %p, ptr %q, ptr addrspace(3) %l, <8 x i1> %mask) {
  call void @skmd.vector.store.v8f32.p1(<8 x float> %v, ptr addrspace(1) align 4 %p, <8 x i1> %mask)
  call void @skmd.vector.store.v8f32.p0(<8 x float> %v, ptr align 4 %q, <8 x i1> %mask)
  %r = call <8 x float> @skmd.vector.load.v8f32.p3(ptr addrspace(3) align 4 %l, <8 x i1> %mask)
  ret <8 x float> %r
}

; A load behind the question is whole. What types and aliases say of the lanes that are set is not said of all.
; CHECK-LABEL: define <8 x float> @asked_load(
; CHECK: some:
; CHECK-NEXT: load <8 x float>, ptr addrspace(3) %p, align 4{{$}}
define <8 x float> @asked_load(<8 x float> %v, ptr addrspace(3) %p, <8 x i1> %items) {
  %bits = bitcast <8 x i1> %items to i8
  %any = icmp ne i8 %bits, 0
  br i1 %any, label %some, label %end
some:
  %r = call <8 x float> @skmd.vector.load.v8f32.p3(ptr addrspace(3) align 4 %p, <8 x i1> %items), !alias.scope !0
  br label %end
end:
  %all = phi <8 x float> [ %r, %some ], [ %v, %0 ]
  ret <8 x float> %all
}

; A branch both of whose ways lead here says nothing; elements that are no whole bytes stay masked.
; CHECK-LABEL: define void @both_ways(
; CHECK: here:
; CHECK: br i1
; CHECK: store <8 x float>
; CHECK: call void @llvm.masked.store.v8i1.p3(
define void @both_ways(<8 x float> %v, ptr addrspace(3) %p, <8 x i1> %items) {
  %bits = bitcast <8 x i1> %items to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %here, label %here
here:
  call void @skmd.vector.store.v8f32.p3(<8 x float> %v, ptr addrspace(3) align 4 %p, <8 x i1> %items)
  call void @skmd.vector.store.v8i1.p3(<8 x i1> %items, ptr addrspace(3) align 1 %p, <8 x i1> %items)
  ret void
}

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}
