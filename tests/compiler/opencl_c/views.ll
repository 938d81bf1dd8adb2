; SPDX-License-Identifier: Apache-2.0
; RUN: %print-ir %s | %FileCheck %s
; Vectors of sizes that OpenCL C does not have are taken apart into elements.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"

; CHECK-LABEL: kernel void parts(
; CHECK: = (uint)({{v[0-9]+}}.s1 >> 32);
define spir_kernel void @parts(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %v = load <3 x i64>, ptr addrspace(1) %in, align 8
  %w = bitcast <3 x i64> %v to <6 x i32>
  %e = extractelement <6 x i32> %w, i64 3
  store i32 %e, ptr addrspace(1) %out, align 4
  ret void
}

; CHECK-LABEL: kernel void whole(
; CHECK: [[V:v[0-9]+]]_0 = {{.*}}[0];
; CHECK: [[V]]_5 = {{.*}}[5];
; CHECK: p_out)[0] = [[V]]_0;
; CHECK: p_out)[5] = [[V]]_5;
define spir_kernel void @whole(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %v = load <6 x i32>, ptr addrspace(1) %in, align 4
  store <6 x i32> %v, ptr addrspace(1) %out, align 4
  ret void
}
