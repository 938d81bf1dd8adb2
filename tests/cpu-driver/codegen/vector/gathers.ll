; Addresses that differ: AVX-512 gathers with one instruction; elsewhere lanes that do not run read a place of our own.
; RUN: %skmd-opt -S --passes='skmd-widen<width=8;isa=avx512;live>,skmd-lower-gathers<avx512>' %s | %FileCheck %s --check-prefix=WIDE
; RUN: %skmd-opt -S --passes='skmd-widen<width=8;isa=avx2;live;remarks>,skmd-lower-gathers<avx2>' %s 2>&1 | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-widen<width=8;isa=avx2;full>,skmd-lower-gathers<avx2>' %s | %FileCheck %s --check-prefix=FULL
; RUN: %skmd-opt -S --passes='skmd-lower-gathers<avx2>' %s | %FileCheck %s --check-prefix=KNOWN

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare float @skmd.load.f32(ptr addrspace(1), i1)
declare i64 @skmd.load.i64(ptr addrspace(1), i1)
declare void @skmd.store.f32(float, ptr addrspace(1), i1)

; WIDE-LABEL: define internal void @table.x8.live(
; WIDE: call <8 x float> @llvm.masked.gather.v8f32.v8p1(<8 x ptr addrspace(1)> align 4 %{{.*}}, <8 x i1> %live, <8 x float> poison)
; CHECK: table: 0:0: lanes are loaded one by one
; CHECK-LABEL: define internal void @table.x8.live(
; CHECK: %idle = alloca
; CHECK: select <8 x i1> %live, <8 x ptr addrspace(1)>
; CHECK-COUNT-8: load float
; CHECK: ret void
; Addresses of all lanes are not made first.
; FULL-LABEL: define internal void @table.x8(
; FULL: [[NUMBERS:%.*]] = load <8 x i64>
; FULL: [[NUMBER:%.*]] = extractelement <8 x i64> [[NUMBERS]], i64 0
; FULL-NEXT: [[DISTANCE:%.*]] = mul i64 [[NUMBER]], 4
; FULL-NEXT: [[PLACE:%.*]] = getelementptr i8, ptr addrspace(1) %a, i64 [[DISTANCE]]
; FULL-NEXT: load float, ptr addrspace(1) [[PLACE]], align 4
; FULL: ret void
define internal void @table(ptr addrspace(1) %a, ptr addrspace(1) %i, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %p = getelementptr i64, ptr addrspace(1) %i, i64 %id
  %x = call i64 @skmd.load.i64(ptr addrspace(1) align 8 %p, i1 %live)
  %q = getelementptr float, ptr addrspace(1) %a, i64 %x
  %v = call float @skmd.load.f32(ptr addrspace(1) align 4 %q, i1 %live)
  %r = getelementptr float, ptr addrspace(1) %i, i64 %id
  call void @skmd.store.f32(float %v, ptr addrspace(1) align 4 %r, i1 %live)
  ret void
}

declare <4 x i16> @llvm.masked.gather.v4i16.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x i16>)

; Lanes that are known not to run are not read, and keep what is given for them.
; KNOWN-LABEL: define <4 x i16> @some(
; KNOWN-NOT: alloca
; KNOWN: [[SECOND:%.*]] = extractelement <4 x i32> %numbers, i64 1
; KNOWN-NEXT: [[FAR:%.*]] = sext i32 [[SECOND]] to i64
; KNOWN-NEXT: [[PLACE:%.*]] = getelementptr i16, ptr addrspace(1) %a, i64 [[FAR]]
; KNOWN-NEXT: [[VALUE:%.*]] = load i16, ptr addrspace(1) [[PLACE]], align 2
; KNOWN-NEXT: [[MADE:%.*]] = insertelement <4 x i16> %else, i16 [[VALUE]], i64 1
; KNOWN-NEXT: ret <4 x i16> [[MADE]]
define <4 x i16> @some(ptr addrspace(1) %a, <4 x i32> %numbers, <4 x i16> %else) {
  %far = sext <4 x i32> %numbers to <4 x i64>
  %places = getelementptr i16, ptr addrspace(1) %a, <4 x i64> %far
  %x = call <4 x i16> @llvm.masked.gather.v4i16.v4p1(<4 x ptr addrspace(1)> align 2 %places, <4 x i1> <i1 false, i1 true, i1 false, i1 false>, <4 x i16> %else)
  ret <4 x i16> %x
}

; KNOWN-LABEL: define <4 x i16> @others(
; KNOWN: [[MADE:%.*]] = insertelement <4 x i16> %{{.*}}, i64 3
; KNOWN-NEXT: select <4 x i1> %mask, <4 x i16> [[MADE]], <4 x i16> %else
define <4 x i16> @others(<4 x ptr addrspace(1)> %places, <4 x i1> %mask, <4 x i16> %else) {
  %x = call <4 x i16> @llvm.masked.gather.v4i16.v4p1(<4 x ptr addrspace(1)> align 2 %places, <4 x i1> %mask, <4 x i16> %else)
  ret <4 x i16> %x
}
