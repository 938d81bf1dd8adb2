// Every switch of the specification leaves a program analysed, whichever of them Clang itself knows.
// RUN: %skmd-compile --describe %s -cl-single-precision-constant -cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable -cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math -cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-strict-aliasing -cl-kernel-arg-info -w -Werror -g | %FileCheck %s
kernel void k(global float *p) { p[get_global_id(0)] *= 1e-40f; }
// CHECK: kernel k
