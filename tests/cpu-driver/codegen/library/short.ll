; Short functions of float are inlined, but those that need fma where it is no instruction; AVX-512 has one for p * 2^n, too.
; RUN: %skmd-opt -S --passes='skmd-link-library<avx512>,always-inline' %s | %FileCheck %s
; RUN: %skmd-opt -S --passes='skmd-link-library<avx2>,always-inline' %s | %FileCheck %s --check-prefix=AVX2
; RUN: %skmd-opt -S --passes='skmd-link-library<sse>,always-inline' %s | %FileCheck %s --check-prefix=SSE
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define <16 x float> @wide(
; CHECK: freeze <16 x float> %x
; CHECK: call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(
; CHECK: call <16 x float> @_Z12skmd_far_sinDv16_f(
; CHECK: ret <16 x float>
; CHECK-LABEL: define <2 x float> @pair(
; CHECK: call <4 x float> @llvm.x86.avx512.mask.scalef.ps.128(
; CHECK-LABEL: define float @one(
; CHECK: call <4 x float> @llvm.x86.avx512.mask.scalef.ps.128(
; CHECK: call <2 x double> @llvm.x86.avx512.mask.scalef.pd.128(
; CHECK-LABEL: define <8 x double> @doubles(
; CHECK: call <8 x double> @llvm.x86.avx512.mask.scalef.pd.512(
; CHECK-NOT: call {{.*}}@_Z
; CHECK: ret <8 x double>
; AVX2-NOT: scalef
; AVX2-NOT: call {{.*}}@_Z{{.*}}_f(
; AVX2: call <16 x float> @_Z12skmd_far_sinDv16_f(
; AVX2-NOT: call {{.*}}@_Z3
; SSE-LABEL: define <16 x float> @wide(
; SSE-NOT: call {{.*}}@_Z3exp
; SSE: call <16 x float> @_Z3sinDv16_f(
define <16 x float> @wide(<16 x float> %x) {
  %e = call <16 x float> @_Z3expDv16_f(<16 x float> %x)
  %s = call <16 x float> @_Z3sinDv16_f(<16 x float> %e)
  ret <16 x float> %s
}
define <2 x float> @pair(<2 x float> %x) {
  %e = call <2 x float> @_Z4exp2Dv2_f(<2 x float> %x)
  ret <2 x float> %e
}
define float @one(float %x) {
  %e = call float @_Z3expf(float %x)
  %d = fpext float %e to double
  %l = call double @_Z3expd(double %d)
  %r = fptrunc double %l to float
  ret float %r
}
define <8 x double> @doubles(<8 x double> %x) {
  %e = call <8 x double> @_Z3expDv8_d(<8 x double> %x)
  %l = call <8 x double> @_Z3logDv8_d(<8 x double> %e)
  ret <8 x double> %l
}
declare <8 x double> @_Z3expDv8_d(<8 x double>)
declare <8 x double> @_Z3logDv8_d(<8 x double>)
declare <16 x float> @_Z3expDv16_f(<16 x float>)
declare <16 x float> @_Z3sinDv16_f(<16 x float>)
declare <2 x float> @_Z4exp2Dv2_f(<2 x float>)
declare float @_Z3expf(float)
declare double @_Z3expd(double)
