; Bytes of a table by indices of 8 bits: the table is in registers, where it is all on one page.
; RUN: %skmd-opt -S --passes='skmd-widen<width=16;isa=avx512>,skmd-lower-lookups<avx512>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-widen<width=16;isa=avx512;live>,skmd-lower-lookups<avx512>' %s | %FileCheck %s --check-prefix=LIVE
; RUN: %skmd-opt -S --passes='skmd-widen<width=16;isa=avx512>,skmd-lower-lookups<avx512vbmi>' %s | %FileCheck %s --check-prefix=BYTES
; RUN: %skmd-opt -S --passes='skmd-widen<width=8;isa=avx512>' %s | %FileCheck %s --check-prefix=OTHER
; RUN: %skmd-opt -S --passes='skmd-widen<width=32;isa=avx2>,skmd-lower-lookups<avx2>' %s | %FileCheck %s --check-prefix=AVX2
; RUN: %skmd-opt -S --passes='skmd-widen<width=16;isa=sse>,skmd-lower-lookups<sse>' %s | %FileCheck %s --check-prefix=SSE
; RUN: %skmd-opt -S --passes='skmd-widen<width=8;isa=avx2>,skmd-lower-lookups<avx2>' %s | %FileCheck %s --check-prefix=FEW

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i8 @skmd.load.i8(ptr addrspace(1), i1)
declare i16 @skmd.load.i16(ptr addrspace(1), i1)
declare void @skmd.store.i8(i8, ptr addrspace(1), i1)

; OTHER-NOT: {{vpermi2var|skmd.lookup}}
; BYTES-COUNT-2: call <64 x i8> @llvm.x86.avx512.vpermi2var.qi.512(
; Less has shuffles that pick among 16 bytes: 8 for each half of the table.
; AVX2-LABEL: define internal void @bytes.x32(
; AVX2: [[ON_PAGE:%.*]] = icmp ule i64 %{{.*}}, 3840
; AVX2: [[WHOLE:%.*]] = freeze i1 [[ON_PAGE]]
; AVX2: br i1 [[WHOLE]]
; AVX2-COUNT-16: load <16 x i8>, ptr addrspace(1) %{{.*}}, align 1
; AVX2: call <32 x i8> @llvm.x86.avx2.pshuf.b(<32 x i8> %{{.*}}, <32 x i8> %{{.*}})
; AVX2: [[DOWN:%[0-9]+]] = call <32 x i8> @llvm.ssub.sat.v32i8(<32 x i8> %{{.*}}, <32 x i8> splat (i8 16))
; AVX2: call <32 x i8> @llvm.x86.avx2.pshuf.b(<32 x i8> %{{.*}}, <32 x i8> [[DOWN]])
; AVX2: xor <32 x i8> %{{.*}}, splat (i8 -128)
; AVX2-COUNT-8: call <32 x i8> @llvm.x86.avx2.pshuf.b(
; AVX2: call <32 x i8> @llvm.masked.gather
; SSE-LABEL: define internal void @bytes.x16(
; SSE-COUNT-16: call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(
; SSE: call <16 x i8> @llvm.masked.gather
; Not for so few lanes that loads are faster.
; FEW-LABEL: define internal void @bytes.x8(
; FEW-NOT: {{pshuf|skmd.lookup|icmp}}
; FEW: call <8 x i8> @llvm.masked.gather
; CHECK-LABEL: define internal void @bytes.x16(
; CHECK: [[NUMBER:%.*]] = ptrtoint ptr addrspace(1) %table to i64
; CHECK: [[PLACE:%.*]] = and i64 [[NUMBER]], 4095
; CHECK: [[ON_PAGE:%.*]] = icmp ule i64 [[PLACE]], 3840
; CHECK: [[WHOLE:%.*]] = freeze i1 [[ON_PAGE]]
; CHECK: br i1 [[WHOLE]]
; CHECK-COUNT-2: load <16 x i32>, ptr addrspace(1) %{{.*}}, align 1
; CHECK-COUNT-2: call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(
; CHECK: call <16 x i32> @llvm.masked.gather
; LIVE-LABEL: define internal void @bytes.x16.live(
; LIVE: [[WHOLE:%.*]] = freeze i1
; LIVE: [[SOME:%.*]] = call i1 @llvm.vector.reduce.or.v16i1(
; LIVE: [[BOTH:%.*]] = and i1 [[WHOLE]], [[SOME]]
; LIVE: br i1 [[BOTH]]
; LIVE-COUNT-2: call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(
define internal void @bytes(ptr addrspace(1) %table, ptr addrspace(1) %in, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %pi = getelementptr i8, ptr addrspace(1) %in, i64 %id
  %i = call i8 @skmd.load.i8(ptr addrspace(1) align 1 %pi, i1 %live)
  %e = zext i8 %i to i64
  %p = getelementptr i8, ptr addrspace(1) %table, i64 %e
  %x = call i8 @skmd.load.i8(ptr addrspace(1) align 1 %p, i1 %live)
  call void @skmd.store.i8(i8 %x, ptr addrspace(1) align 1 %pi, i1 %live)
  ret void
}

; CHECK-LABEL: define internal void @far.x16(
; CHECK-NOT: vpermi2var
; CHECK: ret void
define internal void @far(ptr addrspace(1) %table, ptr addrspace(1) %in, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %pi = getelementptr i16, ptr addrspace(1) %in, i64 %id
  %i = call i16 @skmd.load.i16(ptr addrspace(1) align 2 %pi, i1 %live)
  %e = zext i16 %i to i64
  %p = getelementptr i8, ptr addrspace(1) %table, i64 %e
  %x = call i8 @skmd.load.i8(ptr addrspace(1) align 1 %p, i1 %live)
  %po = getelementptr i8, ptr addrspace(1) %in, i64 %id
  call void @skmd.store.i8(i8 %x, ptr addrspace(1) align 1 %po, i1 %live)
  ret void
}
