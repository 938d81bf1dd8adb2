// SPDX-License-Identifier: Apache-2.0
// Functions that replace libclc's: where that loses subnormal numbers, an edge case or the sign of a zero, and where its
// look into tables is slow for vectors; those of double of the last kind are in math_double.cl. No branches: every lane goes
// the same way. base_NAME is libclc's own function.
//
// Names of types by width: F float, D double, I int, L long; TO_X converts to X.

#include "truth.clh"

#define SCALAR_AND_VECTORS(DEFINE) \
  DEFINE(float, double, int, long, uint, convert_float, convert_double, convert_int) \
  DEFINE(float2, double2, int2, long2, uint2, convert_float2, convert_double2, convert_int2) \
  DEFINE(float4, double4, int4, long4, uint4, convert_float4, convert_double4, convert_int4) \
  DEFINE(float8, double8, int8, long8, uint8, convert_float8, convert_double8, convert_int8) \
  DEFINE(float16, double16, int16, long16, uint16, convert_float16, convert_double16, convert_int16)

// p * 2^n for a whole n from -252 to 252, rounded once; NaN if p is. AVX-512 has an instruction for it (scale.h). Two
// factors: one alone could not give subnormal results.
#define POWER_OF_TWO(P, N, F, I) ((P) * as_##F(((N) / 2 + 127) << 23) * as_##F(((N) - (N) / 2 + 127) << 23))
#define SCALE(F, D, I, L, U, TO_F, TO_D, TO_I)                                \
  __attribute__((noinline)) F OVERLOAD skmd_scale(F p, F n) {                 \
    const I k = TO_I(n);                                                      \
    return POWER_OF_TWO(p, k, F, I);                                          \
  }
SCALAR_AND_VECTORS(SCALE)

// Where one rounding more does not matter: fused where the processor has an instruction for it, which it is not worth
// doing in software. Constants that are taken off first are so short that their products with n are exact.
#define MAD(A, B, C) ((A) * (B) + (C))

// exp, exp2, exp10 of float. Comparisons are such that NaN stays.
#define EXPONENTIALS(F, D, I, L, U, TO_F, TO_D, TO_I)                                                        \
  static F OVERLOAD exp_reduced(F r) {                                                                       \
    F p = MAD(r, (F)(1.0f / 5040), (F)(1.0f / 720));                                                         \
    p = MAD(r, p, (F)(1.0f / 120));                                                                          \
    p = MAD(r, p, (F)(1.0f / 24));                                                                           \
    p = MAD(r, p, (F)(1.0f / 6));                                                                            \
    p = MAD(r, p, (F)(0.5f));                                                                                \
    return MAD(r * r, p, r) + 1.0f;                                                                          \
  }                                                                                                          \
  static F OVERLOAD exp_between(F x, float least, float most) {                                              \
    const F inside = IF((F)least > x, (F)least, x);                                                          \
    return IF((F)most < inside, (F)most, inside);                                                            \
  }                                                                                                          \
  F OVERLOAD exp(F x) {                                                                                      \
    const F inside = exp_between(x, -104.0f, 89.0f);                                                         \
    const F n = rint(inside * 0x1.715476p+0f);                                                               \
    const F r = MAD(n, (F)(-0x1.7f7d1cp-20f), MAD(n, (F)(-0x1.62e4p-1f), inside));                           \
    return skmd_scale(exp_reduced(r), n);                                                                    \
  }                                                                                                          \
  F OVERLOAD exp2(F x) {                                                                                     \
    const F inside = exp_between(x, -151.0f, 129.0f);                                                        \
    const F n = rint(inside);                                                                                \
    const F r = (inside - n) * 0x1.62e43p-1f;                                                                \
    return skmd_scale(exp_reduced(r), n);                                                                    \
  }                                                                                                          \
  F OVERLOAD exp10(F x) {                                                                                    \
    const F inside = exp_between(x, -46.0f, 39.0f);                                                          \
    const F n = rint(inside * 0x1.a934fp+1f);                                                                \
    const F t = MAD(n, (F)(-0x1.3509f8p-18f), MAD(n, (F)(-0x1.344p-2f), inside));                            \
    const F r = MAD(t, (F)0x1.26bb1cp+1f, t * -0x1.12aabap-25f);                                             \
    return skmd_scale(exp_reduced(r), n);                                                                    \
  }
SCALAR_AND_VECTORS(EXPONENTIALS)

// log, log2, log10 of float. x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and log(1 + f) = 2 atanh(f / (2 + f)).
#define LOGARITHMS(F, D, I, L, U, TO_F, TO_D, TO_I)                                                          \
  static F OVERLOAD log_reduced(F x, F* power) {                                                             \
    const I tiny = truth(x < 0x1p-126f);                                                                     \
    const U bits = as_##U(IF(tiny, x * 0x1p23f, x)) + (0x3f800000u - 0x3f3504f3u);                           \
    *power = TO_F(as_##I(bits >> 23) - 127 - (tiny & 23));                                                   \
    const F f = as_##F((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;                                           \
    const F s = f / (2.0f + f), z = s * s, half_square = 0.5f * f * f;                                       \
    const F p = z * MAD(z, MAD(z, MAD(z, (F)(2.0f / 9), (F)(2.0f / 7)), (F)(2.0f / 5)), (F)(2.0f / 3));      \
    return f - (half_square - s * (half_square + p));                                                        \
  }                                                                                                          \
  static F OVERLOAD log_edges(F x, F result) {                                                               \
    result = IF(x == INFINITY, x, result);                                                                   \
    result = IF(x == 0.0f, (F)-INFINITY, result);                                                            \
    return IF(x >= 0.0f, result, (F)NAN);                                                                    \
  }                                                                                                          \
  F OVERLOAD log(F x) {                                                                                      \
    F k;                                                                                                     \
    const F r = log_reduced(x, &k);                                                                          \
    return log_edges(x, MAD(k, (F)0x1.62e4p-1f, MAD(k, (F)0x1.7f7d1cp-20f, r)));                             \
  }                                                                                                          \
  F OVERLOAD log2(F x) {                                                                                     \
    F k;                                                                                                     \
    const F r = log_reduced(x, &k);                                                                          \
    return log_edges(x, k + MAD(r, (F)0x1.715476p+0f, r * 0x1.4ae0cp-26f));                                  \
  }                                                                                                          \
  F OVERLOAD log10(F x) {                                                                                    \
    F k;                                                                                                     \
    const F r = log_reduced(x, &k);                                                                          \
    const F small = MAD(k, (F)0x1.3509f8p-18f, MAD(r, (F)0x1.bcb7b2p-2f, r * -0x1.5b235ep-27f));             \
    return log_edges(x, MAD(k, (F)0x1.344p-2f, small));                                                      \
  }
SCALAR_AND_VECTORS(LOGARITHMS)

// sin and cos of float: x less the nearest multiple n of pi/2, which is split so that n times the first part is taken off
// without rounding. What is not below 2^17 goes libclc's way, which is ten times as long.
#define TRIGONOMETRY(F, D, I, L, U, TO_F, TO_D, TO_I)                                                        \
  F OVERLOAD base_sin(F x);                                                                                  \
  F OVERLOAD base_cos(F x);                                                                                  \
  __attribute__((noinline)) F OVERLOAD skmd_far_sin(F x) { return base_sin(x); }                             \
  __attribute__((noinline)) F OVERLOAD skmd_far_cos(F x) { return base_cos(x); }                             \
  static F OVERLOAD angle_reduced(F size, I* quarter) {                                                      \
    const F n = rint(size * 0x1.45f306p-1f);                                                                 \
    *quarter = TO_I(n);                                                                                      \
    return fma(n, (F)0x1.ee59dap-50f, fma(n, (F)0x1.777a5cp-25f, fma(n, (F)-0x1.921fb6p+0f, size)));        \
  }                                                                                                          \
  /* The sine of r in an even quarter, its cosine in an odd one. */                                          \
  static F OVERLOAD quarter_sine(F r, I quarter, I sign) {                                                   \
    const F z = r * r;                                                                                       \
    const F s = MAD(r * z, MAD(z, MAD(z, (F)-1.9515295891e-4f, (F)8.3321608736e-3f), (F)-1.6666654611e-1f), r); \
    const F p = MAD(z, MAD(z, (F)2.443315711809948e-5f, (F)-1.388731625493765e-3f), (F)4.166664568298827e-2f); \
    const F c = MAD(z * z, p, MAD(z, (F)-0.5f, (F)1.0f));                                                    \
    return as_##F(as_##I(IF((quarter & 1) != 0, c, s)) ^ sign ^ ((quarter & 2) << 30));                      \
  }                                                                                                          \
  F OVERLOAD sin(F x) {                                                                                      \
    const F size = fabs(x);                                                                                  \
    I quarter;                                                                                               \
    const F r = angle_reduced(size, &quarter);                                                               \
    const F near = quarter_sine(r, quarter, as_##I(x) & (int)0x80000000);                                    \
    const I far = truth(!(size < 0x1p17f));                                                                  \
    return any(far) ? select(near, skmd_far_sin(x), far) : near;                                             \
  }                                                                                                          \
  F OVERLOAD cos(F x) {                                                                                      \
    const F size = fabs(x);                                                                                  \
    I quarter;                                                                                               \
    const F r = angle_reduced(size, &quarter);                                                               \
    const F near = quarter_sine(r, quarter + 1, 0);                                                          \
    const I far = truth(!(size < 0x1p17f));                                                                  \
    return any(far) ? select(near, skmd_far_cos(x), far) : near;                                             \
  }
SCALAR_AND_VECTORS(TRIGONOMETRY)

// Powers of float go by way of double: log2 and exp2 to 40 bits, of what float can be, and one rounding at the end.
#define POWERS(F, D, I, L, U, TO_F, TO_D, TO_I)                                                              \
  static D OVERLOAD log2_wide(D x) {                                                                         \
    const L bits = as_##L(x) + (0x3ff0000000000000L - 0x3fe6a09e667f3bcdL);                                  \
    const D k = TO_D((bits >> 52) - 1023);                                                                   \
    const D m = as_##D((bits & 0x000fffffffffffffL) + 0x3fe6a09e667f3bcdL);                                  \
    const D s = (m - 1.0) / (m + 1.0), z = s * s;                                                            \
    D p = MAD(z, (D)(1.0 / 17), (D)(1.0 / 15));                                                              \
    p = MAD(z, p, (D)(1.0 / 13));                                                                            \
    p = MAD(z, p, (D)(1.0 / 11));                                                                            \
    p = MAD(z, p, (D)(1.0 / 9));                                                                             \
    p = MAD(z, p, (D)(1.0 / 7));                                                                             \
    p = MAD(z, p, (D)(1.0 / 5));                                                                             \
    p = MAD(z, p, (D)(1.0 / 3));                                                                             \
    return MAD(MAD(z * s, p, s), (D)2.88539008177792681472, k);                                              \
  }                                                                                                          \
  static F OVERLOAD exp2_wide(D x) {                                                                         \
    const D inside = IF_LONG(x > -200.0, IF_LONG(x < 200.0, x, (D)200.0), (D)-200.0);                        \
    const D n = rint(inside), r = (inside - n) * 0.69314718055994530942;                                     \
    D p = MAD(r, (D)(1.0 / 3628800), (D)(1.0 / 362880));                                                     \
    p = MAD(r, p, (D)(1.0 / 40320));                                                                         \
    p = MAD(r, p, (D)(1.0 / 5040));                                                                          \
    p = MAD(r, p, (D)(1.0 / 720));                                                                           \
    p = MAD(r, p, (D)(1.0 / 120));                                                                           \
    p = MAD(r, p, (D)(1.0 / 24));                                                                            \
    p = MAD(r, p, (D)(1.0 / 6));                                                                             \
    p = MAD(r, p, (D)0.5);                                                                                   \
    p = MAD(r * r, p, r) + 1.0;                                                                              \
    /* n + 1023 in the exponent's place, by adding to a number whose unit is 1 */                            \
    const L scale = as_##L(n + 0x1.80000000003ffp+52) << 52;                                                 \
    return TO_F(p * as_##D(scale));                                                                          \
  }                                                                                                          \
  /* |x|^y for |x| from 0 to infinity and y not 0; NaN does not matter. */                                   \
  static F OVERLOAD positive_power(F x, D y) {                                                               \
    const F size = fabs(x);                                                                                  \
    const I rising = truth(TO_F(y) > 0.0f);                                                                  \
    F result = exp2_wide(y * log2_wide(TO_D(size)));                                                         \
    result = IF(size == 1.0f, (F)1.0f, result);                                                              \
    result = IF(size == 0.0f, IF(rising, (F)0.0f, (F)INFINITY), result);                                     \
    return IF(size == INFINITY, IF(rising, (F)INFINITY, (F)0.0f), result);                                   \
  }                                                                                                          \
  static I OVERLOAD is_negative(F x) { return truth(as_##I(x) < 0); }                                        \
  F OVERLOAD pow(F x, F y) {                                                                                 \
    const I integer = truth(trunc(y) == y);                                                                  \
    const I odd = integer & truth(trunc(0.5f * y) != 0.5f * y);                                              \
    F result = positive_power(x, TO_D(y));                                                                   \
    result = IF(is_negative(x) & odd, -result, result);                                                      \
    result = IF(truth(x < 0.0f) & truth(x != -INFINITY) & ~integer, (F)NAN, result);                         \
    result = IF(truth(isnan(x)) | truth(isnan(y)), x + y, result);                                           \
    return IF(truth(y == 0.0f) | truth(x == 1.0f), (F)1.0f, result);                                         \
  }                                                                                                          \
  F OVERLOAD powr(F x, F y) {                                                                                \
    F result = positive_power(x, TO_D(y));                                                                   \
    const I zero = truth(y == 0.0f), edge = truth(x == 0.0f) | truth(x == INFINITY);                         \
    result = IF(zero, (F)1.0f, result);                                                                      \
    result = IF((zero & edge) | (truth(x == 1.0f) & truth(isinf(y))) | truth(x < 0.0f), (F)NAN, result);     \
    return IF(truth(isnan(x)) | truth(isnan(y)), x + y, result);                                             \
  }                                                                                                          \
  F OVERLOAD pown(F x, I n) {                                                                                \
    F result = positive_power(x, TO_D(n));                                                                   \
    result = IF(is_negative(x) & truth((n & 1) != 0), -result, result);                                      \
    result = IF(isnan(x), x, result);                                                                        \
    return IF(n == 0, (F)1.0f, result);                                                                      \
  }                                                                                                          \
  F OVERLOAD rootn(F x, I n) {                                                                               \
    const I odd = truth((n & 1) != 0);                                                                       \
    F result = positive_power(x, 1.0 / TO_D(n));                                                             \
    result = IF(is_negative(x) & odd, -result, result);                                                      \
    result = IF((truth(x < 0.0f) & ~odd) | truth(n == 0), (F)NAN, result);                                   \
    return IF(isnan(x), x, result);                                                                          \
  }
SCALAR_AND_VECTORS(POWERS)

// What is exact in double is exact in float.
#define REMAINDERS(F, D, I, L, U, TO_F, TO_D, TO_I)                                      \
  F OVERLOAD fmod(F x, F y) { return TO_F(fmod(TO_D(x), TO_D(y))); }                     \
  F OVERLOAD remainder(F x, F y) { return TO_F(remainder(TO_D(x), TO_D(y))); }
SCALAR_AND_VECTORS(REMAINDERS)

// Past 9 the result is subnormal.
#define ERFC(F, D, I, L, U, TO_F, TO_D, TO_I) \
  F OVERLOAD erfc(F x) { return TO_F(erfc(TO_D(x))); }
SCALAR_AND_VECTORS(ERFC)

#define DIFFERENCE(F, D, I, L, U, TO_F, TO_D, TO_I)                                           \
  F OVERLOAD fdim(F x, F y) { return IF(x <= y, (F)0.0f, x - y); }                            \
  D OVERLOAD fdim(D x, D y) { return IF_LONG(x <= y, (D)0.0, x - y); }
SCALAR_AND_VECTORS(DIFFERENCE)
DIFFERENCE(float3, double3, int3, long3, uint3, convert_float3, convert_double3, convert_int3)

float OVERLOAD remquo(float x, float y, private int* quotient) {
  return convert_float(remquo(convert_double(x), convert_double(y), quotient));
}

// What is left of zeros and infinities is a zero of their sign, of other whole numbers one without.
#define FRACTION(TYPE, BELOW_ONE)                                       \
  TYPE OVERLOAD fract(TYPE x, private TYPE* whole) {                    \
    *whole = floor(x);                                                  \
    const TYPE rest = x - *whole;                                       \
    if (x == 0 || isinf(x)) return copysign((TYPE)0, x);                \
    return rest >= 1 ? BELOW_ONE : rest;                                \
  }
FRACTION(float, 0x1.fffffep-1f)
FRACTION(double, 0x1.fffffffffffffp-1)

float OVERLOAD ldexp(float x, int n) {
  const long power = clamp(n, -600, 600) + 1023;
  return convert_float(convert_double(x) * as_double(power << 52));
}

// In steps that round once: a step down stops 53 places above the smallest normal number.
double OVERLOAD ldexp(double x, int n) {
  const int up = n > 0;
  const double step = up ? 0x1p1023 : 0x1p-969;
  const int places = up ? 1023 : -969;
  for (int index = 0; index < 2; ++index) {
    const int far = up ? n > 1023 : n < -1022;
    x = far ? x * step : x;
    n = far ? n - places : n;
  }
  n = clamp(n, -1022, 1023);
  return x * as_double((long)(n + 1023) << 52);
}

// lgamma of infinities; that of float overflows near 0.
double OVERLOAD base_lgamma(double x);
double OVERLOAD base_lgamma_r(double x, private int* sign);

double OVERLOAD lgamma(double x) { return isinf(x) ? (double)INFINITY : base_lgamma(x); }
double OVERLOAD lgamma_r(double x, private int* sign) {
  const double result = base_lgamma_r(x, sign);
  return isinf(x) ? (double)INFINITY : result;
}
float OVERLOAD lgamma(float x) { return convert_float(lgamma(convert_double(x))); }
float OVERLOAD lgamma_r(float x, private int* sign) { return convert_float(lgamma_r(convert_double(x), sign)); }

// Gamma of x > 0 as the product of two numbers that do not overflow: Stirling's series from 10 on, which smaller numbers
// reach by steps of 1, with what the last step rounded off made up for.
static void gamma_factors(double x, double* first, double* second) {
  const double steps = x < 10 ? ceil(10 - x) : 0;
  const double big = x + steps, lost = x - (big - steps);
  double product = 1;
  for (double step = 0; step < steps; ++step) product *= x + step;
  const double r = 1 / big, z = r * r;
  double series = 691.0 / 360360 - z / 156;
  series = 1.0 / 1188 - z * series;
  series = 1.0 / 1680 - z * series;
  series = 1.0 / 1260 - z * series;
  series = 1.0 / 360 - z * series;
  series = 1.0 / 12 - z * series;
  const double root = pow(big, 0.5 * big - 0.25);
  *first = root * 2.50662827463100050242 * exp(r * series) * (1 + lost * (log(big) - 0.5 * r));
  *second = root * exp(-big) / product;
}

double OVERLOAD tgamma(double x) {
  const double whole = floor(x);
  if (fabs(x) < 0x1p-60) return 1 / x;
  if (isnan(x) || x == INFINITY) return x;
  if (x < 0 && (x == whole || isinf(x))) return NAN;
  if (x < -186) return trunc(whole / 2) * 2 == whole ? 0.0 : -0.0;
  double first, second;
  gamma_factors(fmin(fabs(x), 200.0), &first, &second);
  if (x > 0) return first * second;
  return -3.14159265358979323846 / (x * sinpi(x)) / first / second;
}
float OVERLOAD tgamma(float x) { return convert_float(tgamma(convert_double(x))); }

// The sign of zero.
#define ODD_ZERO(NAME, TYPE, CHOOSE)                     \
  TYPE OVERLOAD base_##NAME(TYPE x);                     \
  TYPE OVERLOAD NAME(TYPE x) { return CHOOSE(x == 0.0, x, base_##NAME(x)); }
#define SIGNED_ZERO(NAME, TYPE, CHOOSE, SIGN)            \
  TYPE OVERLOAD base_##NAME(TYPE x);                     \
  TYPE OVERLOAD NAME(TYPE x) {                           \
    const TYPE y = base_##NAME(x);                       \
    return CHOOSE(y == 0, SIGN, y);                      \
  }
#define TYPE_ZEROS(TYPE, CHOOSE)                                             \
  SIGNED_ZERO(sinpi, TYPE, CHOOSE, copysign(y, x))                           \
  SIGNED_ZERO(cospi, TYPE, CHOOSE, fabs(y))                                  \
  SIGNED_ZERO(tanpi, TYPE, CHOOSE, copysign(y, CHOOSE(trunc(x / 2) * 2 == x, x, -x)))
#define ZEROS(F, D, I, L, U, TO_F, TO_D, TO_I) \
  TYPE_ZEROS(F, IF)                            \
  TYPE_ZEROS(D, IF_LONG)                       \
  ODD_ZERO(asin, D, IF_LONG)                   \
  ODD_ZERO(asinpi, D, IF_LONG)                 \
  ODD_ZERO(atan, D, IF_LONG)                   \
  ODD_ZERO(atanpi, D, IF_LONG)
SCALAR_AND_VECTORS(ZEROS)
