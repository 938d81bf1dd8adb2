; Of two loads that overlap, the second becomes a shuffle of the first and of what follows it.
; RUN: %skmd-opt -S --passes='skmd-overlaps<avx512>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-overlaps<avx2>' %s | %FileCheck %s --check-prefix=NARROW

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; In any order; frozen, or code generation would join the loads again.
; CHECK-LABEL: define void @neighbours(
; CHECK: [[FIRST:%.*]] = load <32 x float>, ptr addrspace(3)
; CHECK: [[PLACE:%.*]] = getelementptr i8, ptr addrspace(3) %next, i64 112
; CHECK: [[REST:%.*]] = load <4 x float>, ptr addrspace(3) [[PLACE]], align 16
; CHECK: freeze <32 x float> [[FIRST]]
; CHECK: freeze <4 x float> [[REST]]
; CHECK-NOT: load <32 x float>
; CHECK: ret void
define void @neighbours(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %next = getelementptr i8, ptr addrspace(3) %p, i64 16
  %b = load <32 x float>, ptr addrspace(3) %next, align 16
  %a = load <32 x float>, ptr addrspace(3) %p, align 16
  %sum = fadd <32 x float> %a, %b
  store <32 x float> %sum, ptr addrspace(3) %q
  ret void
}

; Not with a store between, of one register, of global memory, where three elements would have to be loaded, or from
; somewhere else.
; CHECK-LABEL: define void @others(
; CHECK-NOT: shufflevector
; CHECK: ret void
; NARROW-LABEL: define void @others(
; NARROW: load <16 x float>, ptr addrspace(3) %p, align 4
; NARROW: shufflevector <16 x float>
; NARROW-NOT: shufflevector
; NARROW: ret void
define void @others(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g) {
  %next = getelementptr i8, ptr addrspace(3) %p, i64 4
  %c = load <16 x float>, ptr addrspace(3) %p, align 4
  %d = load <16 x float>, ptr addrspace(3) %next, align 4
  %one = fadd <16 x float> %c, %d
  store <16 x float> %one, ptr addrspace(3) %q
  %a = load <32 x float>, ptr addrspace(3) %p, align 4
  store <32 x float> %a, ptr addrspace(3) %next, align 4
  %b = load <32 x float>, ptr addrspace(3) %next, align 4
  store <32 x float> %b, ptr addrspace(1) %g
  %gn = getelementptr i8, ptr addrspace(1) %g, i64 4
  %e = load <32 x float>, ptr addrspace(1) %g, align 4
  %f = load <32 x float>, ptr addrspace(1) %gn, align 4
  %two = fadd <32 x float> %e, %f
  %far = getelementptr i8, ptr addrspace(3) %p, i64 12
  %h = load <32 x float>, ptr addrspace(3) %p, align 4
  %i = load <32 x float>, ptr addrspace(3) %far, align 4
  %j = load <32 x float>, ptr addrspace(3) %q, align 4
  %three = fadd <32 x float> %h, %i
  %four = fadd <32 x float> %three, %j
  store <32 x float> %two, ptr addrspace(1) %g
  store <32 x float> %four, ptr addrspace(3) %q
  ret void
}
