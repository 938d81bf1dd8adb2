; SPDX-License-Identifier: Apache-2.0
; RUN: %print-ir %s | %FileCheck %s

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"

; CHECK-LABEL: kernel void bits(
; CHECK: rotate(p_a, p_b)
; CHECK: (p_a << (p_b & (31u))) | ((p_b >> (1u)) >> (~p_b & (31u)))
; CHECK: popcount((~p_a & (p_a - (1u))))
; CHECK: clz(p_a)
; CHECK: as_uint(as_uchar4(p_a).s3210)
; CHECK: min(((int)p_a), ((int)p_b))
; CHECK: sub_sat(p_a, p_b)
define spir_kernel void @bits(ptr addrspace(1) %out, i32 %a, i32 %b) {
  %rotated = call i32 @llvm.fshl.i32(i32 %a, i32 %a, i32 %b)
  store volatile i32 %rotated, ptr addrspace(1) %out, align 4
  %shifted = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %b)
  store volatile i32 %shifted, ptr addrspace(1) %out, align 4
  %trailing = call i32 @llvm.cttz.i32(i32 %a, i1 false)
  store volatile i32 %trailing, ptr addrspace(1) %out, align 4
  %leading = call i32 @llvm.ctlz.i32(i32 %a, i1 false)
  store volatile i32 %leading, ptr addrspace(1) %out, align 4
  %swapped = call i32 @llvm.bswap.i32(i32 %a)
  store volatile i32 %swapped, ptr addrspace(1) %out, align 4
  %least = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  store volatile i32 %least, ptr addrspace(1) %out, align 4
  %difference = call i32 @llvm.usub.sat.i32(i32 %a, i32 %b)
  store volatile i32 %difference, ptr addrspace(1) %out, align 4
  ret void
}

; CHECK-LABEL: kernel void overflow(
; CHECK: [[N:v[0-9]+]]_0 = p_a * p_b;
; CHECK-NEXT: [[N]]_1 = (mul_hi(p_a, p_b)) != 0;
define spir_kernel void @overflow(ptr addrspace(1) %out, i32 %a, i32 %b) {
  %both = call {i32, i1} @llvm.umul.with.overflow.i32(i32 %a, i32 %b)
  %product = extractvalue {i32, i1} %both, 0
  %over = extractvalue {i32, i1} %both, 1
  %chosen = select i1 %over, i32 7, i32 %product
  store i32 %chosen, ptr addrspace(1) %out, align 4
  ret void
}

; CHECK-LABEL: kernel void transfers(
; CHECK-COUNT-4: = 0x7070707u;
; CHECK: for ({{.*}} < 100; {{.*}}) { {{.*}} }
define spir_kernel void @transfers(ptr addrspace(1) %to, ptr addrspace(1) %from) {
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %to, i8 7, i64 16, i1 false)
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %to, ptr addrspace(1) align 4 %from, i64 400, i1 false)
  ret void
}

; CHECK-LABEL: kernel void unordered(
; CHECK: !(p_x <= p_y)
; CHECK: islessgreater(p_x, p_y)
; CHECK: (!islessgreater(p_x, p_y))
; CHECK: isordered(p_x, p_y)
define spir_kernel void @unordered(ptr addrspace(1) %out, float %x, float %y) {
  %a = fcmp ugt float %x, %y
  %b = fcmp one float %x, %y
  %c = fcmp ueq float %x, %y
  %d = fcmp ord float %x, %y
  %an = zext i1 %a to i32
  %bn = zext i1 %b to i32
  %cn = zext i1 %c to i32
  %dn = sext i1 %d to i32
  store volatile i32 %an, ptr addrspace(1) %out, align 4
  store volatile i32 %bn, ptr addrspace(1) %out, align 4
  store volatile i32 %cn, ptr addrspace(1) %out, align 4
  store volatile i32 %dn, ptr addrspace(1) %out, align 4
  ret void
}

; A product and a sum are in one expression only where the IR has them as one operation; the frozen value is the product.
; CHECK-LABEL: kernel void frozen(
; CHECK: [[PRODUCT:v[0-9]+]] = p_x * p_y;
; CHECK: [[PRODUCT]] + p_z
define spir_kernel void @frozen(ptr addrspace(1) %out, float %x, float %y, float %z) {
  %m = fmul float %x, %y
  %f = freeze float %m
  %s = fadd float %f, %z
  %t = call float @llvm.fmuladd.f32(float %s, float %x, float %y)
  store float %t, ptr addrspace(1) %out, align 4
  ret void
}

; Numbers of 24 bits have places of 32.
; CHECK: skmd11_odd_numbers_g_odd[8] {{.*}}= {1u, 0u, 0u, 0u, 2u, 0u, 0u, 0u};
; CHECK: kernel void odd_numbers(
@odd = internal addrspace(2) constant [2 x i24] [i24 1, i24 2], align 4
define spir_kernel void @odd_numbers(ptr addrspace(1) %out, i64 %i) {
  %p = getelementptr inbounds [2 x i24], ptr addrspace(2) @odd, i64 0, i64 %i
  %v = load i32, ptr addrspace(2) %p, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
