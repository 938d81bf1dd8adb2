// RUN: %skmd-compile --rewrite %s | %FileCheck %s --implicit-check-not=skmd_
// A program that defines a macro of a query's name does not ask.

#define get_group_id(d) 7
kernel void k(global int* a) { a[0] = get_group_id(0); }

// CHECK: kernel void k(global int* a) { a[0] = 7; }
