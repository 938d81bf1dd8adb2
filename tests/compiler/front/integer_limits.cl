// RUN: %skmd-compile --preprocess %s | %FileCheck %s
// Limits whose value the language fixes can be used in #if.

#if CHAR_BIT == 8 && INT_MAX == 2147483647 && FLT_RADIX == 2 && INT_MIN < 0 && ULONG_MAX > 0xffffffff && DBL_MANT_DIG == 53
int good;
#endif
// CHECK: int good;
