// SPDX-License-Identifier: Apache-2.0
// Conversions to integers, and integer functions, that replace libclc's. base_NAME is libclc's own function.

#define OVERLOAD __attribute__((overloadable))

// Comparisons give 1 for one lane and all bits for vectors; these give all bits.
long OVERLOAD all_bits(int x) { return x ? -1 : 0; }
#define VECTOR_BITS(N) \
  long##N OVERLOAD all_bits(int##N x) { return convert_long##N(x); } \
  long##N OVERLOAD all_bits(long##N x) { return x; }
VECTOR_BITS(2)
VECTOR_BITS(3)
VECTOR_BITS(4)
VECTOR_BITS(8)
VECTOR_BITS(16)

// Saturating conversions of NaN give 0; libclc's give what the processor does.
#define SATURATING(F, T, N, ROUNDING)                                             \
  T##N OVERLOAD base_convert_##T##N##_sat##ROUNDING(F##N x);                      \
  T##N OVERLOAD convert_##T##N##_sat##ROUNDING(F##N x) {                          \
    return base_convert_##T##N##_sat##ROUNDING(x) & convert_##T##N(~all_bits(isnan(x))); \
  }
#define EACH_ROUNDING(F, T, N) \
  SATURATING(F, T, N, )        \
  SATURATING(F, T, N, _rte)    \
  SATURATING(F, T, N, _rtz)    \
  SATURATING(F, T, N, _rtp)    \
  SATURATING(F, T, N, _rtn)
#define EACH_WIDTH(F, T)  \
  EACH_ROUNDING(F, T, )   \
  EACH_ROUNDING(F, T, 2)  \
  EACH_ROUNDING(F, T, 3)  \
  EACH_ROUNDING(F, T, 4)  \
  EACH_ROUNDING(F, T, 8)  \
  EACH_ROUNDING(F, T, 16)
#define EACH_TYPE(F)     \
  EACH_WIDTH(F, char)    \
  EACH_WIDTH(F, uchar)   \
  EACH_WIDTH(F, short)   \
  EACH_WIDTH(F, ushort)  \
  EACH_WIDTH(F, int)     \
  EACH_WIDTH(F, uint)    \
  EACH_WIDTH(F, long)    \
  EACH_WIDTH(F, ulong)
EACH_TYPE(float)
EACH_TYPE(double)

// In 128 bits: the sum fits if its high half is what the low half's sign says.
#define MAD_SAT(N)                                                                                    \
  long##N OVERLOAD mad_sat(long##N x, long##N y, long##N z) {                                         \
    const ulong##N product = as_ulong##N(x) * as_ulong##N(y), low = product + as_ulong##N(z);          \
    const long##N high = mul_hi(x, y) + (z >> 63) - all_bits(low < product);                           \
    const long##N fits = all_bits(high == as_long##N(low) >> 63);                                      \
    const long##N limit = (high >> 63) ^ LONG_MAX;                                                     \
    return (fits & as_long##N(low)) | (~fits & limit);                                                 \
  }
MAD_SAT()
MAD_SAT(2)
MAD_SAT(3)
MAD_SAT(4)
MAD_SAT(8)
MAD_SAT(16)
