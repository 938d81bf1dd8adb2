// RUN: %skmd-compile --describe %s
// Doubles need no pragma from OpenCL C 1.2 on.
kernel void k(global double* a) { a[0] = sqrt(2.0) + convert_double(1.0f); }
