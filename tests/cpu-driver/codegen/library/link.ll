; Builtins become code; everything that they need comes along; the processor is the same everywhere.
; RUN: %skmd-opt -S --passes='skmd-link-library<avx2>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-link-library<avx2;kept>,always-inline' %s | %FileCheck %s --check-prefix=KEPT
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_func float @f(
; CHECK: call float @_Z3expf(
; CHECK: call float @_Z3expf(
; CHECK: call float @_Z5clampfff(
; CHECK: call i32 @_Z6mul_hiii(
; CHECK: define internal float @_Z3expf(float %{{.*}}) {{.*}}#[[EXP:[0-9]+]]
; CHECK: define internal {{.*}}float @_Z5clampfff(
; CHECK-NOT: declare {{.*}}@_Z
; CHECK: attributes #[[EXP]] = {{.*}}"prefer-vector-width"="256"{{.*}}"target-cpu"="x86-64-v3"

; A function that exists for vectors stays a call by its full-precision name; the rest is inlined.
; KEPT-LABEL: define spir_func float @f(
; KEPT: call spir_func float @_Z3expf(
; KEPT: call spir_func float @_Z3expf(
; KEPT-NOT: call {{.*}}@_Z
; KEPT: declare spir_func float @_Z3expf(
define spir_func float @f(float %x, i32 %n) {
  %a = call spir_func float @_Z3expf(float %x)
  %b = call spir_func float @_Z10native_expf(float %a)
  %c = call spir_func float @_Z5clampfff(float %b, float 0.0, float %x)
  %h = call spir_func i32 @_Z6mul_hiii(i32 %n, i32 77)
  %hf = sitofp i32 %h to float
  %r = fadd float %c, %hf
  ret float %r
}

declare spir_func float @_Z3expf(float)
declare spir_func float @_Z10native_expf(float)
declare spir_func float @_Z5clampfff(float, float, float)
declare spir_func i32 @_Z6mul_hiii(i32, i32)
