; The parts of a structure, all of them accessed, are one wide access and shuffles.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;live>' %s | %FileCheck %s --check-prefix=LIVE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare float @skmd.load.f32(ptr addrspace(1), i1)
declare void @skmd.store.f32(float, ptr addrspace(1), i1)

; CHECK-LABEL: define internal void @pair.x4(
; CHECK: [[ALL:%.*]] = load <8 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK: [[X:%.*]] = shufflevector <8 x float> [[ALL]], <8 x float> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: [[Y:%.*]] = shufflevector <8 x float> [[ALL]], <8 x float> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: [[BOTH:%.*]] = shufflevector <4 x float> [[Y]], <4 x float> [[X]], <8 x i32>
; CHECK: [[SORTED:%.*]] = shufflevector <8 x float> [[BOTH]], <8 x float> poison, <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
; CHECK: store <8 x float> [[SORTED]], ptr addrspace(1) %{{.*}}, align 4
; LIVE-LABEL: define internal void @pair.x4.live(
; LIVE: [[BITS:%.*]] = shufflevector <4 x i1> %live, <4 x i1> poison, <8 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3>
; LIVE: call <8 x float> @skmd.vector.load.v8f32.p1(ptr addrspace(1) align 4 %{{.*}}, <8 x i1> [[BITS]])
define internal void @pair(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %i = shl i64 %id, 1
  %px = getelementptr float, ptr addrspace(1) %a, i64 %i
  %py = getelementptr i8, ptr addrspace(1) %px, i64 4
  %y = call float @skmd.load.f32(ptr addrspace(1) align 4 %py, i1 %live)
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %px, i1 %live)
  %qx = getelementptr float, ptr addrspace(1) %b, i64 %i
  %qy = getelementptr i8, ptr addrspace(1) %qx, i64 4
  call void @skmd.store.f32(float %y, ptr addrspace(1) align 4 %qx, i1 %live)
  call void @skmd.store.f32(float %x, ptr addrspace(1) align 4 %qy, i1 %live)
  ret void
}

; A store between the loads may change the second: no group.
; CHECK-LABEL: define internal void @between.x4(
; CHECK-NOT: load <8 x float>
; CHECK: ret void
define internal void @between(ptr addrspace(1) %a, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %i = shl i64 %id, 1
  %px = getelementptr float, ptr addrspace(1) %a, i64 %i
  %py = getelementptr i8, ptr addrspace(1) %px, i64 4
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %px, i1 %live)
  call void @skmd.store.f32(float %x, ptr addrspace(1) align 4 %py, i1 %live)
  %y = call float @skmd.load.f32(ptr addrspace(1) align 4 %py, i1 %live)
  %z = fadd float %x, %y
  call void @skmd.store.f32(float %z, ptr addrspace(1) align 4 %px, i1 %live)
  ret void
}

; One of two is not read: the pad may lie behind the buffer's end.
; CHECK-LABEL: define internal void @one.x4(
; CHECK-NOT: load <8 x float>
; CHECK-COUNT-4: load float
define internal void @one(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %i = shl i64 %id, 1
  %px = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %px, i1 %live)
  %q = getelementptr float, ptr addrspace(1) %b, i64 %id
  call void @skmd.store.f32(float %x, ptr addrspace(1) align 4 %q, i1 %live)
  ret void
}

; What is added before a number is extended is known to be added after it; memory of another space is written between.
; CHECK-LABEL: define internal void @extended.x4(
; CHECK: load <8 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK-NOT: load float
; CHECK: store <8 x float> %{{.*}}, ptr addrspace(3) %{{.*}}, align 4
; CHECK-NOT: store float
; CHECK: ret void
; LIVE-LABEL: define internal void @extended.x4.live(
; LIVE: call <8 x float> @skmd.vector.load.v8f32.p1(
; LIVE: call void @skmd.vector.store.v8f32.p3(
define internal void @extended(ptr addrspace(1) %a, ptr addrspace(3) %b, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %n = trunc i64 %id to i32
  %even = shl i32 %n, 1
  %odd = or disjoint i32 %even, 1
  %i = zext nneg i32 %even to i64
  %j = zext nneg i32 %odd to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %p, i1 %live)
  %q = getelementptr float, ptr addrspace(3) %b, i64 %i
  call void @skmd.store.f32.p3(float %x, ptr addrspace(3) align 4 %q, i1 %live)
  %r = getelementptr float, ptr addrspace(1) %a, i64 %j
  %y = call float @skmd.load.f32(ptr addrspace(1) align 4 %r, i1 %live)
  %s = getelementptr float, ptr addrspace(3) %b, i64 %j
  call void @skmd.store.f32.p3(float %y, ptr addrspace(3) align 4 %s, i1 %live)
  ret void
}
declare void @skmd.store.f32.p3(float, ptr addrspace(3), i1)

; Where numbers may wrap, a condition decides between one piece and lanes one by one; all members have the same.
; CHECK-LABEL: define internal void @checked.x4(
; CHECK: br i1 %{{.*}}, label %fast, label %slow
; CHECK: fast:
; CHECK: load <8 x float>
; CHECK: slow:
; CHECK: call <4 x i64> @llvm.masked.gather
define internal void @checked(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %more, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %n = trunc i64 %id to i32
  %m = add i32 %n, %more
  %i = sext i32 %m to i64
  %k = shl i64 %i, 3
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %k
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %p, i1 %live)
  %y = call float @skmd.load.f32(ptr addrspace(1) align 4 %p1, i1 %live)
  %z = fsub float %x, %y
  %q = getelementptr float, ptr addrspace(1) %b, i64 %id
  call void @skmd.store.f32(float %z, ptr addrspace(1) align 4 %q, i1 %live)
  ret void
}

; More than a register, under a condition: where it holds for all lanes, nothing is masked.
; RUN: %skmd-opt -S --passes='skmd-widen<width=16;isa=avx512>' %s | %FileCheck %s --check-prefix=WIDE
; RUN: %skmd-opt -S --passes='skmd-widen<width=16;isa=avx512;live>' %s | %FileCheck %s --check-prefix=REST
; WIDE-LABEL: define internal void @some_pairs.x16(
; WIDE: [[BITS:%.*]] = bitcast <16 x i1> %{{.*}} to i16
; WIDE: [[NUMBER:%.*]] = zext i16 [[BITS]] to i32
; WIDE: [[EVERY:%.*]] = icmp eq i32 [[NUMBER]], 65535
; WIDE: br i1 [[EVERY]], label %[[FAST:.*]], label %[[SLOW:[a-z0-9.]*]], !skmd.shortcut
; WIDE: [[FAST]]:
; WIDE-NEXT: load <32 x float>, ptr addrspace(1) %{{.*}}, align 4
; WIDE: [[SLOW]]:
; WIDE: call <32 x float> @skmd.vector.load.v32f32.p1(
; WIDE: icmp eq i32 %{{.*}}, 65535
; WIDE: store <32 x float> %{{.*}}, ptr addrspace(1) %{{.*}}, align 4
; WIDE: call void @skmd.vector.store.v32f32.p1(
; REST-LABEL: define internal void @some_pairs.x16.live(
; REST-NOT: br i1
; REST: ret void
define internal void @some_pairs(ptr addrspace(1) %a, i64 %n, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %below = icmp ult i64 %id, %n
  %m = and i1 %below, %live
  %i = shl i64 %id, 3
  %px = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %py = getelementptr i8, ptr addrspace(1) %px, i64 4
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %px, i1 %m)
  %y = call float @skmd.load.f32(ptr addrspace(1) align 4 %py, i1 %m)
  call void @skmd.store.f32(float %y, ptr addrspace(1) align 4 %px, i1 %m)
  call void @skmd.store.f32(float %x, ptr addrspace(1) align 4 %py, i1 %m)
  ret void
}
