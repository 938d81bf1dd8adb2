// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__kernel void k(__global uint* out) { atomic_add(out, 2u); }
// CHECK: kernel k: no merge function: it stores nothing
