// RUN: %skmd-compile --describe %s
// Half precision as a storage format needs no extension.
kernel void k(global half* h, global float* f) { f[0] = vload_half(0, h); vstore_half(f[0], 0, h); vstore_half4_rte((float4)(1), 0, h); }
