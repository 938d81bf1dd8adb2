; What the library lacks is an error, not a hole in the code.
; RUN: %skmd-opt -S --passes=skmd-link-library %s 2>&1 | %FileCheck %s
target triple = "spir64-unknown-unknown"
; CHECK: skmd-link-library: no builtin _Z8teleportf
define spir_func float @f(float %x) {
  %a = call spir_func float @_Z8teleportf(float %x)
  ret float %a
}
declare spir_func float @_Z8teleportf(float)
