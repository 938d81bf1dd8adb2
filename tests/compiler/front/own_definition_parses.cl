// RUN: %skmd-compile --describe %s
// RUN: %skmd-compile --preprocess %s > %t.cl && %skmd-compile --describe %t.cl
#undef M_PI_F
constant float M_PI_F = 3.0f;
kernel void k(global float* a) { a[0] = M_PI_F; }
