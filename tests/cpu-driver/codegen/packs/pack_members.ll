; Members of structures, lane by lane beside each other: one operation for all of them.
; RUN: %skmd-opt -S --passes='skmd-pack-members<avx512vbmi>,adce' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; What members do with each other moves lanes within their structure, once.
; CHECK-LABEL: define void @turned(
; CHECK: [[A:%.*]] = load <64 x i8>
; CHECK-NEXT: [[TURNED:%.*]] = shufflevector <64 x i8> [[A]], <64 x i8> poison, <64 x i32> <i32 1, i32 2, i32 3, i32 0, i32 5, i32 6, i32 7, i32 4,
; CHECK-NEXT: [[X:%.*]] = xor <64 x i8> [[A]], [[TURNED]]
; CHECK-NEXT: store <64 x i8> [[X]]
; CHECK-NEXT: ret void
define void @turned(ptr %p) {
  %a = load <64 x i8>, ptr %p, align 4
  %a0 = shufflevector <64 x i8> %a, <64 x i8> poison, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28, i32 32, i32 36, i32 40, i32 44, i32 48, i32 52, i32 56, i32 60>
  %a1 = shufflevector <64 x i8> %a, <64 x i8> poison, <16 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29, i32 33, i32 37, i32 41, i32 45, i32 49, i32 53, i32 57, i32 61>
  %a2 = shufflevector <64 x i8> %a, <64 x i8> poison, <16 x i32> <i32 2, i32 6, i32 10, i32 14, i32 18, i32 22, i32 26, i32 30, i32 34, i32 38, i32 42, i32 46, i32 50, i32 54, i32 58, i32 62>
  %a3 = shufflevector <64 x i8> %a, <64 x i8> poison, <16 x i32> <i32 3, i32 7, i32 11, i32 15, i32 19, i32 23, i32 27, i32 31, i32 35, i32 39, i32 43, i32 47, i32 51, i32 55, i32 59, i32 63>
  %x0 = xor <16 x i8> %a0, %a1
  %x1 = xor <16 x i8> %a2, %a1
  %x2 = xor <16 x i8> %a2, %a3
  %x3 = xor <16 x i8> %a0, %a3
  %j01 = shufflevector <16 x i8> %x0, <16 x i8> %x1, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %j23 = shufflevector <16 x i8> %x2, <16 x i8> %x3, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %all = shufflevector <32 x i8> %j01, <32 x i8> %j23, <64 x i32> <i32 0, i32 16, i32 32, i32 48, i32 1, i32 17, i32 33, i32 49, i32 2, i32 18, i32 34, i32 50, i32 3, i32 19, i32 35, i32 51, i32 4, i32 20, i32 36, i32 52, i32 5, i32 21, i32 37, i32 53, i32 6, i32 22, i32 38, i32 54, i32 7, i32 23, i32 39, i32 55, i32 8, i32 24, i32 40, i32 56, i32 9, i32 25, i32 41, i32 57, i32 10, i32 26, i32 42, i32 58, i32 11, i32 27, i32 43, i32 59, i32 12, i32 28, i32 44, i32 60, i32 13, i32 29, i32 45, i32 61, i32 14, i32 30, i32 46, i32 62, i32 15, i32 31, i32 47, i32 63>
  store <64 x i8> %all, ptr %p, align 4
  ret void
}

; Bytes of words, of which LLVM has joined one operation of two, and values that come by two ways.
; CHECK-LABEL: define void @ways(
; CHECK: [[A:%.*]] = bitcast <4 x i32> %w to <16 x i8>
; CHECK-NEXT: br
; CHECK: yes:
; CHECK: [[X:%.*]] = xor <16 x i8>
; CHECK-NEXT: br
; CHECK: join:
; CHECK-NEXT: [[PACK:%.*]] = phi <16 x i8> [ [[X]], %yes ], [ [[A]], %entry ]
; CHECK-NEXT: store <16 x i8> [[PACK]]
; CHECK-NEXT: ret void
define void @ways(ptr %p, ptr %q, ptr %r, i1 %c) {
entry:
  %w = load <4 x i32>, ptr %p, align 4
  %v = load <4 x i32>, ptr %q, align 4
  %a0 = trunc <4 x i32> %w to <4 x i8>
  %w1 = lshr <4 x i32> %w, splat (i32 8)
  %a1 = trunc <4 x i32> %w1 to <4 x i8>
  %w2 = lshr <4 x i32> %w, splat (i32 16)
  %a2 = trunc <4 x i32> %w2 to <4 x i8>
  %w3 = lshr <4 x i32> %w, splat (i32 24)
  %a3 = trunc <4 x i32> %w3 to <4 x i8>
  %v1 = lshr <4 x i32> %v, splat (i32 8)
  %b1 = trunc <4 x i32> %v1 to <4 x i8>
  %v2 = lshr <4 x i32> %v, splat (i32 16)
  %b2 = trunc <4 x i32> %v2 to <4 x i8>
  %v3 = lshr <4 x i32> %v, splat (i32 24)
  %b3 = trunc <4 x i32> %v3 to <4 x i8>
  br i1 %c, label %yes, label %join
yes:
  %joined = xor <4 x i32> %w, %v
  %x0 = trunc <4 x i32> %joined to <4 x i8>
  %x1 = xor <4 x i8> %a1, %b1
  %x2 = xor <4 x i8> %b2, %a2
  %x3 = xor <4 x i8> %a3, %b3
  br label %join
join:
  %y0 = phi <4 x i8> [ %x0, %yes ], [ %a0, %entry ]
  %y1 = phi <4 x i8> [ %x1, %yes ], [ %a1, %entry ]
  %y2 = phi <4 x i8> [ %x2, %yes ], [ %a2, %entry ]
  %y3 = phi <4 x i8> [ %x3, %yes ], [ %a3, %entry ]
  %j01 = shufflevector <4 x i8> %y0, <4 x i8> %y1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %j23 = shufflevector <4 x i8> %y2, <4 x i8> %y3, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %all = shufflevector <8 x i8> %j01, <8 x i8> %j23, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 1, i32 5, i32 9, i32 13, i32 2, i32 6, i32 10, i32 14, i32 3, i32 7, i32 11, i32 15>
  store <16 x i8> %all, ptr %r, align 4
  ret void
}

; Nothing is won where members come from different places and go through nothing together.
; CHECK-LABEL: define void @apart(
; CHECK-NOT: <4 x i8>
; CHECK: add <2 x i8>
; CHECK: sub <2 x i8>
define void @apart(<2 x i8> %a, <2 x i8> %b, ptr %p) {
  %x = add <2 x i8> %a, splat (i8 1)
  %y = sub <2 x i8> %b, splat (i8 1)
  %all = shufflevector <2 x i8> %x, <2 x i8> %y, <4 x i32> <i32 0, i32 2, i32 1, i32 3>
  store <4 x i8> %all, ptr %p, align 4
  ret void
}

; A use of one member alone takes its lanes.
; CHECK-LABEL: define <8 x i16> @wanted(
; CHECK: [[X:%.*]] = mul <16 x i16>
; CHECK: [[ONE:%.*]] = shufflevector <16 x i16> [[X]], <16 x i16> poison, <8 x i32> <i32 1, i32 3,
; CHECK: [[Y:%.*]] = add <16 x i16> [[X]]
; CHECK: store <16 x i16> [[Y]]
; CHECK: ret <8 x i16> [[ONE]]
define <8 x i16> @wanted(ptr %p) {
  %a = load <16 x i16>, ptr %p, align 4
  %a0 = shufflevector <16 x i16> %a, <16 x i16> poison, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %a1 = shufflevector <16 x i16> %a, <16 x i16> poison, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %x0 = mul <8 x i16> %a0, splat (i16 3)
  %x1 = mul <8 x i16> %a1, splat (i16 3)
  %y0 = add <8 x i16> %x0, splat (i16 5)
  %y1 = add <8 x i16> %x1, splat (i16 7)
  %all = shufflevector <8 x i16> %y0, <8 x i16> %y1, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  store <16 x i16> %all, ptr %p, align 4
  ret <8 x i16> %x1
}

declare <4 x i8> @skmd.lookup.4.p1(ptr addrspace(1), <4 x i8>, <4 x i1>) memory(argmem: read) nounwind willreturn

; Members look up in one table together,
; CHECK-LABEL: define void @looked_up(
; CHECK: [[A:%.*]] = load <8 x i8>
; CHECK: [[X:%.*]] = call <8 x i8> @skmd.lookup.8.p1(ptr addrspace(1) %table, <8 x i8> [[A]], <8 x i1> splat (i1 true))
; CHECK: store <8 x i8> [[X]]
define void @looked_up(ptr addrspace(1) %table, ptr addrspace(1) %p) {
  %a = load <8 x i8>, ptr addrspace(1) %p
  %a0 = shufflevector <8 x i8> %a, <8 x i8> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %a1 = shufflevector <8 x i8> %a, <8 x i8> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %x0 = call <4 x i8> @skmd.lookup.4.p1(ptr addrspace(1) %table, <4 x i8> %a0, <4 x i1> splat (i1 true))
  %x1 = call <4 x i8> @skmd.lookup.4.p1(ptr addrspace(1) %table, <4 x i8> %a1, <4 x i1> splat (i1 true))
  %all = shufflevector <4 x i8> %x0, <4 x i8> %x1, <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
  store <8 x i8> %all, ptr addrspace(1) %p
  ret void
}

; but not across a store, which may change it.
; CHECK-LABEL: define void @changed(
; CHECK: call <4 x i8> @skmd.lookup.4.p1
; CHECK: store i8
; CHECK: call <4 x i8> @skmd.lookup.4.p1
define void @changed(ptr addrspace(1) %table, ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = load <8 x i8>, ptr addrspace(1) %p
  %a0 = shufflevector <8 x i8> %a, <8 x i8> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %a1 = shufflevector <8 x i8> %a, <8 x i8> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %x0 = call <4 x i8> @skmd.lookup.4.p1(ptr addrspace(1) %table, <4 x i8> %a0, <4 x i1> splat (i1 true))
  store i8 1, ptr addrspace(1) %q
  %x1 = call <4 x i8> @skmd.lookup.4.p1(ptr addrspace(1) %table, <4 x i8> %a1, <4 x i1> splat (i1 true))
  %all = shufflevector <4 x i8> %x0, <4 x i8> %x1, <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
  store <8 x i8> %all, ptr addrspace(1) %p
  ret void
}
