// SPDX-License-Identifier: Apache-2.0
// Table II of the paper (SKMD, TOCS 2015): which of its workloads are contiguous kernels.
// RUN: %skmd-compile --explain %S/../../../bench/kernels/aes_decrypt.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/aes_encrypt.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/binomial_option.cl | \
// RUN:   %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --explain %S/../../../bench/kernels/black_scholes.cl | \
// RUN:   %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --explain %S/../../../bench/kernels/box_muller.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/fdtd3d.cl -DRADIUS=2 -DWIDTH=16 -DHEIGHT=16 | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/histogram.cl -DITEMS=64 | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/matrix_multiplication.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/matrix_transpose.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/median_filter.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/mersenne_twister.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/nbody.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/reduction.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/scan_large_arrays.cl | \
// RUN:   %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --explain %S/../../../bench/kernels/sobel_filter.cl | \
// RUN:   %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --explain %S/../../../bench/kernels/vector_add.cl | \
// RUN:   %FileCheck %s --check-prefix=YES

// YES: access: contiguous
// YES-NOT: discontiguous
// NO: access: discontiguous
// NO-NOT: access: contiguous
