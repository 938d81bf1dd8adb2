; SPDX-License-Identifier: Apache-2.0
; Vectors in global, constant and generic memory are taken to be aligned as their elements are, and arguments promise no
; more. Local and private memory is the driver's own; atomic accesses need what they have.
; RUN: %skmd-opt --passes=skmd-host-alignment %s -S | %FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @accesses(ptr addrspace(1) noundef %global, ptr addrspace(2) %constant, ptr addrspace(3) align 16 %local, ptr addrspace(4) %generic)
define void @accesses(ptr addrspace(1) noundef align 16 %global, ptr addrspace(2) align 16 %constant,
                      ptr addrspace(3) align 16 %local, ptr addrspace(4) align 32 %generic) {
  ; CHECK: load <4 x float>, ptr addrspace(1) %global, align 4
  %a = load <4 x float>, ptr addrspace(1) %global, align 16
  ; CHECK: load <4 x i8>, ptr addrspace(2) %constant, align 1
  %b = load <4 x i8>, ptr addrspace(2) %constant, align 4
  ; CHECK: load <2 x double>, ptr addrspace(4) %generic, align 8
  %c = load <2 x double>, ptr addrspace(4) %generic, align 16
  ; CHECK: load <4 x float>, ptr addrspace(3) %local, align 16
  %d = load <4 x float>, ptr addrspace(3) %local, align 16
  ; A packed structure's: no more than it was.
  ; CHECK: load <4 x float>, ptr addrspace(1) %global, align 1
  %e = load <4 x float>, ptr addrspace(1) %global, align 1
  ; CHECK: store <4 x float> %a, ptr addrspace(1) %global, align 4
  store <4 x float> %a, ptr addrspace(1) %global, align 16
  ; CHECK: store i32 7, ptr addrspace(1) %global, align 4
  store i32 7, ptr addrspace(1) %global, align 16
  ; CHECK: store atomic i64 7, ptr addrspace(1) %global monotonic, align 16
  store atomic i64 7, ptr addrspace(1) %global monotonic, align 16
  ret void
}
