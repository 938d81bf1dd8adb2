// RUN: %skmd-compile --preprocess %s | %FileCheck %s
// Names of the language are seen by #ifdef and stay as they are: vendors give them different values.

#if defined(CLK_LOCAL_MEM_FENCE) && defined(NAN) && defined(INFINITY) && defined(M_PI_F) && defined(M_PI) && defined(HUGE_VALF) && defined(FLT_MAX) && defined(CLK_ADDRESS_CLAMP) && defined(CLK_RGBA) && defined(MAXFLOAT) && defined(DBL_MAX) && defined(NULL)
#define SEEN 1
#endif
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void k(global float* a) { barrier(CLK_LOCAL_MEM_FENCE); a[SEEN] = NAN + INFINITY + M_PI_F + FLT_MAX + HUGE_VALF + (float)M_PI; }

// CHECK: constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
// CHECK: barrier(CLK_LOCAL_MEM_FENCE); a[1] = NAN + INFINITY + M_PI_F + FLT_MAX + HUGE_VALF + (float)M_PI; }
