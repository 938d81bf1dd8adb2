; SPDX-License-Identifier: Apache-2.0
; RUN: not %print-ir %s | %FileCheck %s
; Rather no text than a wrong one.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"

; CHECK: no text: kernel wide: there is no type of OpenCL C for i128
define spir_kernel void @wide(ptr addrspace(1) %out, i128 %a) {
  store i128 %a, ptr addrspace(1) %out, align 16
  ret void
}

; CHECK: no text: kernel generic: there is no type of OpenCL C for ptr addrspace(4)
define spir_kernel void @generic(ptr addrspace(1) %out) {
  %p = addrspacecast ptr addrspace(1) %out to ptr addrspace(4)
  store i32 1, ptr addrspace(4) %p, align 4
  ret void
}

; CHECK: no text: kernel unknown: it calls foreign, which has no OpenCL C text
declare void @foreign()
define spir_kernel void @unknown() {
  call void @foreign()
  ret void
}

; CHECK: no text: kernel ordered:
define spir_kernel void @ordered(ptr addrspace(1) %out, i1 %a, i1 %b) {
  %c = call i32 @llvm.scmp.i32.i1(i1 %a, i1 %b)
  store i32 %c, ptr addrspace(1) %out, align 4
  ret void
}
