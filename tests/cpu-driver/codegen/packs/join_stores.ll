; Small members that are stored one after the other, out of neighbouring bits: one store.
; RUN: %skmd-opt -S --passes='skmd-join-stores,dce' %s | %FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK-LABEL: define void @pixel(
; CHECK: [[WORD:%.*]] = extractelement <4 x i32> %w, i64 2
; CHECK-NEXT: store i32 [[WORD]], ptr %p, align 4
; CHECK-NEXT: ret void
define void @pixel(<4 x i32> %w, ptr %p) {
  %b0 = trunc <4 x i32> %w to <4 x i8>
  %x0 = extractelement <4 x i8> %b0, i64 2
  store i8 %x0, ptr %p, align 4
  %w1 = lshr <4 x i32> %w, splat (i32 8)
  %b1 = trunc <4 x i32> %w1 to <4 x i8>
  %x1 = extractelement <4 x i8> %b1, i64 2
  %p1 = getelementptr i8, ptr %p, i64 1
  store i8 %x1, ptr %p1, align 1
  %w2 = lshr <4 x i32> %w, splat (i32 16)
  %b2 = trunc <4 x i32> %w2 to <4 x i8>
  %x2 = extractelement <4 x i8> %b2, i64 2
  %p2 = getelementptr i8, ptr %p, i64 2
  store i8 %x2, ptr %p2, align 2
  %w3 = lshr <4 x i32> %w, splat (i32 24)
  %b3 = trunc <4 x i32> %w3 to <4 x i8>
  %x3 = extractelement <4 x i8> %b3, i64 2
  %p3 = getelementptr i8, ptr %p, i64 3
  store i8 %x3, ptr %p3, align 1
  ret void
}

; A load stands in between; and places or bits that are not next to each other.
; CHECK-LABEL: define i8 @looked_at(
; CHECK-COUNT-2: store i8
define i8 @looked_at(<4 x i8> %v, ptr %p) {
  %x0 = extractelement <4 x i8> %v, i64 0
  store i8 %x0, ptr %p
  %seen = load i8, ptr %p
  %x1 = extractelement <4 x i8> %v, i64 1
  %p1 = getelementptr i8, ptr %p, i64 1
  store i8 %x1, ptr %p1
  ret i8 %seen
}

; CHECK-LABEL: define void @apart(
; CHECK-COUNT-3: store i8
; CHECK: store volatile i8
define void @apart(<4 x i8> %v, ptr %p) {
  %x0 = extractelement <4 x i8> %v, i64 0
  store i8 %x0, ptr %p
  %x2 = extractelement <4 x i8> %v, i64 2
  %p1 = getelementptr i8, ptr %p, i64 1
  store i8 %x2, ptr %p1
  %x3 = extractelement <4 x i8> %v, i64 3
  %p3 = getelementptr i8, ptr %p, i64 3
  store i8 %x3, ptr %p3
  %p2 = getelementptr i8, ptr %p, i64 2
  store volatile i8 %x3, ptr %p2
  ret void
}
