; What becomes of an access depends on how addresses differ between lanes.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;isa=avx512;full>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;isa=avx512;live>' %s | %FileCheck %s --check-prefix=LIVE
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;isa=avx512;live>,skmd-lower-masked' %s | %FileCheck %s --check-prefix=LOWERED

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i1 @skmd.any(i1)
declare float @skmd.load.f32(ptr addrspace(1), i1)
declare void @skmd.store.f32(float, ptr addrspace(1), i1)

; Next to each other: one vector.
; CHECK-LABEL: define internal void @next(
; CHECK: [[V:%.*]] = load <4 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK: store <4 x float> [[V]], ptr addrspace(1) %{{.*}}, align 4
; LIVE-LABEL: define internal void @next(
; LIVE-LABEL: define internal void @next.x4.live(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 "skmd-lane" %id, <4 x i1> %live)
; LIVE: [[V:%.*]] = call <4 x float> @skmd.vector.load.v4f32.p1(ptr addrspace(1) align 4 %{{.*}}, <4 x i1> %live)
; LIVE: call void @skmd.vector.store.v4f32.p1(<4 x float> [[V]], ptr addrspace(1) align 4 %{{.*}}, <4 x i1> %live)
; LOWERED-LABEL: @next.x4.live(
; LOWERED: call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %{{.*}}, <4 x i1> %live, <4 x float> poison)
; LOWERED: call void @llvm.masked.store.v4f32.p1(<4 x float> %{{.*}}, ptr addrspace(1) align 4 %{{.*}}, <4 x i1> %live)
define internal void @next(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %p = getelementptr float, ptr addrspace(1) %a, i64 %id
  %v = call float @skmd.load.f32(ptr addrspace(1) align 4 %p, i1 %live)
  %q = getelementptr float, ptr addrspace(1) %b, i64 %id
  call void @skmd.store.f32(float %v, ptr addrspace(1) align 4 %q, i1 %live)
  ret void
}

; An int index that cannot wrap, as its range tells, needs no check; one that can is checked once.
; CHECK-LABEL: define internal void @narrow.x4(
; CHECK-NOT: br i1
; CHECK: load <4 x float>
; CHECK: icmp eq i64
; CHECK: br i1
; CHECK: fast:
; CHECK: store <4 x float>
; CHECK: slow:
; CHECK-COUNT-4: store float
define internal void @narrow(ptr addrspace(1) %a, i32 %n, i64 range(i64 0, 1073741824) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %i = trunc i64 %id to i32
  %j = add i32 %i, 5
  %x = sext i32 %j to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %x
  %v = call float @skmd.load.f32(ptr addrspace(1) align 4 %p, i1 %live)
  %k = add i32 %i, %n
  %y = sext i32 %k to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %y
  call void @skmd.store.f32(float %v, ptr addrspace(1) align 4 %q, i1 %live)
  ret void
}

; The same place for all: read once, and only if some lane does; written by the last lane.
; CHECK-LABEL: define internal void @same.x4(
; CHECK: load float
; CHECK: [[LAST:%.*]] = extractelement <4 x float> %{{.*}}, i32 3
; CHECK-NEXT: store float [[LAST]], ptr addrspace(1) %b
; LIVE-LABEL: define internal void @same.x4.live(
; LIVE: [[BITS:%.*]] = bitcast <4 x i1> %{{.*}} to i4
; LIVE: [[SOME:%.*]] = icmp ne i4 [[BITS]], 0
; LIVE: select i1 [[SOME]], ptr addrspace(1) %a, ptr addrspace(1) %{{.*}}
; LIVE: load float
define internal void @same(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %v = call float @skmd.load.f32(ptr addrspace(1) align 4 %a, i1 %live)
  %f = sitofp i64 %id to float
  %w = fmul float %v, %f
  call void @skmd.store.f32(float %w, ptr addrspace(1) align 4 %b, i1 %live)
  ret void
}

; Backwards: the lowest address is the last lane's.
; CHECK-LABEL: define internal void @back.x4(
; CHECK: getelementptr i8, ptr addrspace(1) %{{.*}}, i64 -12
; CHECK: load <4 x float>
; CHECK: shufflevector <4 x float> %{{.*}}, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
define internal void @back(ptr addrspace(1) %a, i64 %last, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %i = sub i64 %last, %id
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = call float @skmd.load.f32(ptr addrspace(1) align 4 %p, i1 %live)
  %q = getelementptr float, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.f32(float %v, ptr addrspace(1) align 4 %q, i1 %live)
  ret void
}

; A branch goes one way for all lanes: what decides it is whether any lane says so.
; CHECK-LABEL: define internal void @some.x4(
; CHECK: [[M:%.*]] = icmp slt <4 x i64>
; CHECK: [[F:%.*]] = freeze <4 x i1> [[M]]
; CHECK: [[B:%.*]] = bitcast <4 x i1> [[F]] to i4
; CHECK: [[ANY:%.*]] = icmp ne i4 [[B]], 0
; CHECK: br i1 [[ANY]]
; Under it the same place is read without more ado.
; CHECK-NOT: select
; CHECK: load float, ptr addrspace(1) %a
define internal void @some(ptr addrspace(1) %a, i64 %n, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %c = icmp slt i64 %id, %n
  %m = select i1 %live, i1 %c, i1 false
  %any = call i1 @skmd.any(i1 %m)
  br i1 %any, label %in, label %out
in:
  %v = call float @skmd.load.f32(ptr addrspace(1) align 4 %a, i1 %m)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %id
  call void @skmd.store.f32(float %v, ptr addrspace(1) align 4 %p, i1 %m)
  br label %out
out:
  ret void
}

; (x << 32) + (1 << 32) >> 30 is x + 1, extended and times 4.
; CHECK-LABEL: define internal void @upper_half.x4(
; CHECK: load <4 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK-NOT: gather
; CHECK: ret void
define internal void @upper_half(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 range(i64 0, 1000) "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %up = shl i64 %id, 32
  %more = add i64 %up, 4294967296
  %down = lshr exact i64 %more, 30
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %down
  %x = call float @skmd.load.f32(ptr addrspace(1) align 4 %p, i1 %live)
  %q = getelementptr float, ptr addrspace(1) %b, i64 %id
  call void @skmd.store.f32(float %x, ptr addrspace(1) align 4 %q, i1 %live)
  ret void
}

; More than the element's alignment is known where a lane runs; the first lane may be none of these.
; CHECK-LABEL: define internal void @sometimes_aligned.x4(
; CHECK: call <4 x float> @skmd.vector.load.v4f32.p1(ptr addrspace(1) align 4 %
; CHECK: call void @skmd.vector.store.v4f32.p1(<4 x float> %{{.*}}, ptr addrspace(1) align 4 %
define internal void @sometimes_aligned(ptr addrspace(1) %a, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %low = and i64 %id, 3
  %here = icmp eq i64 %low, 0
  %mask = select i1 %live, i1 %here, i1 false
  %p = getelementptr float, ptr addrspace(1) %a, i64 %id
  %v = call float @skmd.load.f32(ptr addrspace(1) align 16 %p, i1 %mask)
  call void @skmd.store.f32(float %v, ptr addrspace(1) align 16 %p, i1 %mask)
  ret void
}
