// SPDX-License-Identifier: Apache-2.0
// Floating point to half, in each rounding: no processor rounds doubles to half at once, and old ones know no half.
// Only integers and no branches, so that it vectorises.

// The bits of half from float's. `up` says of the last place's parity, what is cut off, and half of what could be, whether
// to go away from zero.
#define HALF_OF(NAME, UP, LARGEST)                                                          \
  static ushort half_##NAME(uint bits) {                                                    \
    const uint sign = bits >> 16 & 0x8000u;                                                 \
    const uint size = bits & 0x7fffffffu;                                                   \
    const uint exponent = size >> 23;                                                       \
    const bool normal = exponent >= 113;                                                    \
    const uint wide = normal ? size - (112u << 23) : (size & 0x7fffffu) | 0x800000u;        \
    const uint shift = normal ? 13u : min(126u - exponent, 30u);                            \
    const uint cut = size == 0 ? 0 : wide & ((1u << shift) - 1);                            \
    const uint middle = 1u << (shift - 1);                                                  \
    uint kept = size == 0 ? 0 : wide >> shift;                                              \
    kept += (UP) ? 1u : 0u;                                                                 \
    kept = kept >= 0x7c00u ? (LARGEST) : kept;                                              \
    kept = size == 0x7f800000u ? 0x7c00u : kept;                                            \
    kept = size > 0x7f800000u ? 0x7e00u | (size >> 13 & 0x3ffu) : kept;                     \
    return (ushort)(sign | kept);                                                           \
  }

HALF_OF(rte, cut > middle || (cut == middle && (kept & 1u)), 0x7c00u)
HALF_OF(rtz, cut > 2 * middle, 0x7bffu)  // never
HALF_OF(rtp, cut != 0 && sign == 0, sign == 0 ? 0x7c00u : 0x7bffu)
HALF_OF(rtn, cut != 0 && sign != 0, sign != 0 ? 0x7c00u : 0x7bffu)

// Double to float so that rounding again is right in every direction: what is cut off sets the last bit.
static uint float_bits(ulong bits) {
  const uint sign = (uint)(bits >> 32) & 0x80000000u;
  const ulong size = bits & 0x7fffffffffffffffUL;
  const uint sticky = (size & 0x1fffffffUL) != 0 ? 1u : 0u;
  uint result = (uint)((size - (896UL << 52)) >> 29) | sticky;
  result = size >= 1151UL << 52 ? 0x7f7fffffu : result;       // 2^128 and more
  result = size < 897UL << 52 ? (size != 0 ? 1u : 0u) : result;  // below the normal floats
  result = size == 0x7ff0000000000000UL ? 0x7f800000u : result;
  result = size > 0x7ff0000000000000UL ? 0x7fc00000u : result;
  return sign | result;
}

#define HALF_BUILTINS(NAME)                                                                                   \
  ushort __attribute__((overloadable)) skmd_half_##NAME(float value) { return half_##NAME(as_uint(value)); }  \
  ushort __attribute__((overloadable)) skmd_half_##NAME(double value) {                                       \
    return half_##NAME(float_bits(as_ulong(value)));                                                          \
  }

HALF_BUILTINS(rte)
HALF_BUILTINS(rtz)
HALF_BUILTINS(rtp)
HALF_BUILTINS(rtn)
