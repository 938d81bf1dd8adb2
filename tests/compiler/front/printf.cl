// RUN: %skmd-compile --describe %s
kernel void k(global int* a) { printf("%d %s\n", a[0], "text"); }
