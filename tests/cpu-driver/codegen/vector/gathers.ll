; Addresses that differ: AVX-512 gathers with one instruction; elsewhere lanes that do not run read a place of our own.
; RUN: %skmd-opt -S --passes='skmd-widen<width=8;isa=avx512;live>' %s | %FileCheck %s --check-prefix=WIDE
; RUN: %skmd-opt -S --passes='skmd-widen<width=8;isa=avx2;live;remarks>' %s 2>&1 | %FileCheck %s

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
define internal void @table(ptr addrspace(1) %a, ptr addrspace(1) %i, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %p = getelementptr i64, ptr addrspace(1) %i, i64 %id
  %x = call i64 @skmd.load.i64(ptr addrspace(1) align 8 %p, i1 %live)
  %q = getelementptr float, ptr addrspace(1) %a, i64 %x
  %v = call float @skmd.load.f32(ptr addrspace(1) align 4 %q, i1 %live)
  %r = getelementptr float, ptr addrspace(1) %i, i64 %id
  call void @skmd.store.f32(float %v, ptr addrspace(1) align 4 %r, i1 %live)
  ret void
}
