; ++counters[i]: lanes one after the other, each loading, adding and storing at once.
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;isa=avx2>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-widen<width=4;isa=avx2;live>' %s | %FileCheck %s --check-prefix=LIVE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i32 @skmd.load.i32(ptr addrspace(1), i1)
declare i8 @skmd.load.i8(ptr addrspace(3), i1)
declare void @skmd.store.i8(i8, ptr addrspace(3), i1)

; Places are taken out of memory.
; CHECK-LABEL: define internal void @count.x4(
; CHECK: [[NUMBERS:%.*]] = alloca [4 x i32]
; CHECK: store <4 x i32> %{{.*}}, ptr [[NUMBERS]]
; CHECK: [[N:%.*]] = load volatile i32, ptr
; CHECK: [[W:%.*]] = sext i32 [[N]] to i64
; CHECK: [[P:%.*]] = getelementptr i8, ptr addrspace(3) %counters, i64
; CHECK: [[X:%.*]] = load i8, ptr addrspace(3) [[P]], align 1
; CHECK: [[Y:%.*]] = add i8 [[X]], 1
; CHECK: store i8 [[Y]], ptr addrspace(3) [[P]], align 1
; CHECK-COUNT-3: load volatile i32
; CHECK: store i8
; CHECK-NEXT: ret void
; Lanes that are not there count at a place of our own.
; LIVE-LABEL: define internal void @count.x4.live(
; LIVE: %idle = alloca
; LIVE: select <4 x i1> %live, <4 x ptr addrspace(3)>
; LIVE-COUNT-4: add i8
define internal void @count(ptr addrspace(3) %counters, ptr addrspace(1) %in, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %pi = getelementptr i32, ptr addrspace(1) %in, i64 %id
  %i = call i32 @skmd.load.i32(ptr addrspace(1) align 4 %pi, i1 %live)
  %e = sext i32 %i to i64
  %p = getelementptr i8, ptr addrspace(3) %counters, i64 %e
  %x = call i8 @skmd.load.i8(ptr addrspace(3) align 1 %p, i1 %live)
  %y = add i8 %x, 1
  call void @skmd.store.i8(i8 %y, ptr addrspace(3) align 1 %p, i1 %live)
  ret void
}

; Not where something is stored in between, or the old value is wanted as well.
; CHECK-LABEL: define internal void @between.x4(
; CHECK: add <4 x i8>
; CHECK: sub <4 x i8>
define internal void @between(ptr addrspace(3) %counters, ptr addrspace(1) %in, i64 "skmd-lane" %id, i1 "skmd-live" %live) "skmd-masked" {
  %pi = getelementptr i32, ptr addrspace(1) %in, i64 %id
  %i = call i32 @skmd.load.i32(ptr addrspace(1) align 4 %pi, i1 %live)
  %e = sext i32 %i to i64
  %p = getelementptr i8, ptr addrspace(3) %counters, i64 %e
  %q = getelementptr i8, ptr addrspace(3) %p, i64 100
  %x = call i8 @skmd.load.i8(ptr addrspace(3) align 1 %p, i1 %live)
  %y = add i8 %x, 1
  call void @skmd.store.i8(i8 7, ptr addrspace(3) align 1 %q, i1 %live)
  call void @skmd.store.i8(i8 %y, ptr addrspace(3) align 1 %p, i1 %live)
  %z = call i8 @skmd.load.i8(ptr addrspace(3) align 1 %p, i1 %live)
  %d = sub i8 %z, 3
  call void @skmd.store.i8(i8 %d, ptr addrspace(3) align 1 %p, i1 %live)
  call void @skmd.store.i8(i8 %z, ptr addrspace(3) align 1 %q, i1 %live)
  ret void
}
