// SPDX-License-Identifier: Apache-2.0
// What old processors lack: multiplication and addition with one rounding, of doubles, and half.

typedef unsigned __int128 Wide;

static Wide shifted_right(Wide value, int places) {
  if (places == 0) return value;
  if (places > 127) return value != 0;
  return value >> places | ((value << (128 - places)) != 0);
}

static int leading_zeros(Wide value) {
  const ulong high = (ulong)(value >> 64);
  return high != 0 ? (int)clz(high) : 64 + (int)clz((ulong)value);
}

// A finite number's size is mantissa * 2^exponent, with 53 bits of mantissa if not 0.
static ulong mantissa_of(double value, int* exponent) {
  const ulong bits = as_ulong(value);
  const int field = (int)(bits >> 52 & 0x7ff);
  ulong mantissa = bits & 0x000fffffffffffffUL;
  *exponent = max(field, 1) - 1075;
  if (field != 0) return mantissa | 0x0010000000000000UL;
  if (mantissa == 0) return 0;
  const int places = (int)clz(mantissa) - 11;
  *exponent -= places;
  return mantissa << places;
}

// value * 2^exponent rounded, ties to even; the last bit of `value` stands for what is below too.
static double rounded(bool negative, Wide value, int exponent) {
  const ulong sign = negative ? 0x8000000000000000UL : 0;
  const int zeros = leading_zeros(value);
  value <<= zeros;
  const int top = exponent - zeros + 127;
  const int kept = top >= -1022 ? 53 : 53 + 1022 + top;
  if (kept < 0) return as_double(sign);
  if (top > 1023) return as_double(sign | 0x7ff0000000000000UL);
  ulong result = kept == 0 ? 0 : (ulong)(value >> (128 - kept));
  const Wide rest = value << kept, middle = (Wide)1 << 127;
  result += rest > middle || (rest == middle && (result & 1));
  if (top >= -1022) result += (ulong)(top + 1022) << 52;
  return as_double(sign | result);
}

double __attribute__((overloadable)) skmd_fma(double x, double y, double z) {
  if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0) return x * y + z;
  if (!isfinite(z)) return z;
  int of_x, of_y, of_z;
  const ulong mantissa_x = mantissa_of(x, &of_x), mantissa_y = mantissa_of(y, &of_y), mantissa_z = mantissa_of(z, &of_z);
  Wide product = (Wide)mantissa_x * mantissa_y << 20, addend = mantissa_z;
  int exponent = of_x + of_y - 20;
  const int places = of_z - exponent;
  if (mantissa_z == 0) {
    addend = 0;
  } else if (places > 73) {
    product = shifted_right(product, places - 73);
    exponent += places - 73;
    addend <<= 73;
  } else {
    addend = places >= 0 ? addend << places : shifted_right(addend, -places);
  }
  const bool negative = (as_ulong(x) ^ as_ulong(y)) >> 63 != 0, subtract = negative != (as_ulong(z) >> 63 != 0);
  if (!subtract) return rounded(negative, product + addend, exponent);
  if (product == addend) return 0;
  return product > addend ? rounded(negative, product - addend, exponent) : rounded(!negative, addend - product, exponent);
}

float __attribute__((overloadable)) skmd_from_half(ushort bits) {
  const uint sign = (uint)(bits & 0x8000u) << 16, size = bits & 0x7fffu;
  const float normal = as_float((size << 13) + (112u << 23));
  const float subnormal = (float)size * 0x1p-24f;
  const uint special = 0x7f800000u | (size & 0x3ffu) << 13 | (size > 0x7c00u ? 0x400000u : 0);
  const uint result = size >= 0x7c00u ? special : size < 0x400u ? as_uint(subnormal) : as_uint(normal);
  return as_float(sign | result);
}
