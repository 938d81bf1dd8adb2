; Once vectors are made, their functions are linked as they are; earlier, vectors of the program are taken apart. What the
; library does no better for vectors is always taken apart.
; RUN: %skmd-opt -S --passes='skmd-link-library<avx512>' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-link-library<avx512;kept>' %s | %FileCheck %s --check-prefix=KEPT
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define <16 x float> @f(
; CHECK-NEXT: call <16 x float> @_Z3expDv16_f(<16 x float> %x)
; CHECK: call double @_Z6tgammad(
; CHECK: call double @_Z6tgammad(
; CHECK: define internal <16 x float> @_Z3expDv16_f(
; KEPT-NOT: Dv
; KEPT: call float @_Z3expf(
; KEPT-NOT: Dv
define <16 x float> @f(<16 x float> %x, <2 x double> %y, ptr %p) {
  %e = call <16 x float> @_Z3expDv16_f(<16 x float> %x)
  %g = call <2 x double> @_Z6tgammaDv2_d(<2 x double> %y)
  store <2 x double> %g, ptr %p
  ret <16 x float> %e
}
declare <16 x float> @_Z3expDv16_f(<16 x float>)
declare <2 x double> @_Z6tgammaDv2_d(<2 x double>)
