; SPDX-License-Identifier: Apache-2.0
; A variable whose address is in memory is kept across barriers, even beyond its marked lifetime: the code behind the
; barrier gets the address from there. One that is used between two barriers only is not.
; RUN: %skmd-opt --passes=skmd-regions %s | %FileCheck %s

; Nor is what a loop leaves behind of a value that the id gives: it is computed again.

; The variable of 16 bytes, the pointer of 8.
; CHECK: ; stored: 24 bytes per item, 0 group values
; CHECK: ; used: 0 bytes per item, 0 group values
; CHECK: ; left: 0 bytes per item, 0 group values
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare spir_func void @_Z7barrierj(i32) #0
declare spir_func i64 @_Z12get_local_idj(i32)

define spir_kernel void @stored(ptr addrspace(1) %out, i64 %i) {
  %variable = alloca [4 x i32], align 4
  %where = alloca ptr, align 8
  %place = getelementptr i32, ptr %variable, i64 %i
  store i32 5, ptr %place, align 4
  store volatile ptr %place, ptr %where, align 8
  call spir_func void @_Z7barrierj(i32 1) #0
  %again = load volatile ptr, ptr %where, align 8
  %value = load i32, ptr %again, align 4
  store i32 %value, ptr addrspace(1) %out, align 4
  ret void
}

define spir_kernel void @used(ptr addrspace(1) %out, i64 %i) {
  %variable = alloca [4 x i32], align 4
  %place = getelementptr i32, ptr %variable, i64 %i
  store i32 5, ptr %place, align 4
  %first = load volatile i32, ptr %variable, align 4
  store i32 %first, ptr addrspace(1) %out, align 4
  call spir_func void @_Z7barrierj(i32 1) #0
  store i32 1, ptr addrspace(1) %out, align 4
  ret void
}

define spir_kernel void @left(ptr addrspace(1) %out, i64 %n) {
entry:
  %x = call spir_func i64 @_Z12get_local_idj(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = shl i64 %x, 3
  %first = getelementptr i8, ptr addrspace(1) %out, i64 %place
  store volatile i64 %i, ptr addrspace(1) %first, align 8
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %left = phi i64 [ %place, %loop ]
  call spir_func void @_Z7barrierj(i32 1) #0
  %second = getelementptr i8, ptr addrspace(1) %out, i64 %left
  store i64 1, ptr addrspace(1) %second, align 8
  ret void
}

attributes #0 = { convergent nounwind }
