// SPDX-License-Identifier: Apache-2.0
// Functions of double that replace libclc's, which look into tables: a gather for each look, or a load for each lane. No
// branches but for what is far from 0; no fma either, which processors without it take long for: where a product has to be
// exact, its factors are short enough. Polynomials are Chebyshev interpolations of the function's rest, at most 2^-56 of the
// result off. base_NAME is libclc's own function.
//
// Names of types by width: D double, L long, U ulong, I int.
#include "truth.clh"

#define DOUBLES(DEFINE)                       \
  DEFINE(double, long, ulong, int)            \
  DEFINE(double2, long2, ulong2, int2)        \
  DEFINE(double4, long4, ulong4, int4)        \
  DEFINE(double8, long8, ulong8, int8)        \
  DEFINE(double16, long16, ulong16, int16)

#define LOG2_E 0x1.71547652b82fep+0
#define LN2 0x1.62e42fefa39efp-1
#define LN2_HIGH 0x1.62e42fee00000p-1 /* 32 bits */
#define LN2_LOW 0x1.a39ef35793c76p-33
#define PI 0x1.921fb54442d18p+1
#define PI_LOW 0x1.1a62633145c07p-53

#define SIGN ((long)0x8000000000000000L)

// Between two bounds; NaN stays.
#define BETWEEN(X, LEAST, MOST, D) IF_LONG((D)(MOST) < (X), (D)(MOST), IF_LONG((D)(LEAST) > (X), (D)(LEAST), (X)))

// The first 26 bits of a number's 53: the product of two such is exact.
#define HEAD(X, D, U) as_##D(as_##U(X) & 0xfffffffff8000000UL)

// p * 2^n for a whole n from -2000 to 2000, rounded once; NaN if p is. AVX-512 has an instruction for it (scale.h). n + 2046
// is in the last bits of n + 2^52 + 2046; each half of it is the exponent of a factor.
#define SCALE(D, L, U, I)                                                        \
  __attribute__((noinline)) D OVERLOAD skmd_scale(D p, D n) {                    \
    const U both = as_##U(n + 0x1.00000000007fep+52), less = both >> 1;          \
    return p * as_##D(less << 52) * as_##D((both - less) << 52);                 \
  }
DOUBLES(SCALE)

// exp(r) for |r| up to ln(2) / 2.
#define EXP_REDUCED(D)                                                                              \
  static D OVERLOAD exp_reduced(D r) {                                                              \
    const D z = r * r;                                                                              \
    const D even = (((0x1.289185613a3d6p-22 * z + 0x1.a019b90d2ae7ap-16) * z + 0x1.6c16c1788bd90p-10) * z + \
                    0x1.5555555553d63p-5) * z + 0.5;                                                \
    const D odd = (((0x1.af38a9b0ec855p-26 * z + 0x1.71de0dae63bb3p-19) * z + 0x1.a01a01a7c41d5p-13) * z +  \
                   0x1.11111111109b3p-7) * z + 0x1.5555555555556p-3;                                \
    return (z * (odd * r + even) + r) + 1.0;                                                        \
  }

#define EXPONENTIALS(D, L, U, I)                                                                    \
  EXP_REDUCED(D)                                                                                    \
  D OVERLOAD exp(D x) {                                                                             \
    const D inside = BETWEEN(x, -746.0, 711.0, D), n = rint(inside * LOG2_E);                       \
    return skmd_scale(exp_reduced((inside - n * LN2_HIGH) - n * LN2_LOW), n);                       \
  }                                                                                                 \
  D OVERLOAD exp2(D x) {                                                                            \
    const D inside = BETWEEN(x, -1076.0, 1025.0, D), n = rint(inside);                              \
    return skmd_scale(exp_reduced((inside - n) * LN2), n);                                          \
  }                                                                                                 \
  D OVERLOAD exp10(D x) {                                                                           \
    const D inside = BETWEEN(x, -325.0, 310.0, D), n = rint(inside * 0x1.a934f0979a371p+1);         \
    const D t = (inside - n * 0x1.3441350800000p-2) - n * 0x1.f79fef311f12bp-34;                    \
    return skmd_scale(exp_reduced(t * 0x1.26bb1bbb55516p+1), n);                                    \
  }
DOUBLES(EXPONENTIALS)

// expm1 and the hyperbolic functions: e^x = 4 b (1 + p), b a power of two, p = e^r - 1; all are infinite from 710.5 on, where
// b is not yet.
#define HYPERBOLIC(D, L, U, I)                                                                      \
  static D OVERLOAD expm1_reduced(D r) {                                                            \
    const D z = r * r;                                                                              \
    const D even = (((0x1.1f66df7fca49fp-29 * z + 0x1.27e4e1f48534fp-22) * z + 0x1.a01a01a47b054p-16) * z + \
                    0x1.6c16c16c167e1p-10) * z + 0x1.5555555555555p-5;                              \
    const D odd = (((0x1.af38a9b0ec855p-26 * z + 0x1.71de0dae63bb3p-19) * z + 0x1.a01a01a7c41d5p-13) * z +  \
                   0x1.11111111109b3p-7) * z + 0x1.5555555555556p-3;                                \
    return r + z * (0.5 + r * (odd + r * even));                                                    \
  }                                                                                                 \
  static D OVERLOAD exp_parts(D x, D* b) {                                                          \
    const D n = rint(x * LOG2_E);                                                                   \
    *b = as_##D(as_##U(n + 0x1.00000000003fdp+52) << 52);                                           \
    return expm1_reduced((x - n * LN2_HIGH) - n * LN2_LOW);                                         \
  }                                                                                                 \
  static D OVERLOAD expm1_between(D x) {                                                            \
    D b;                                                                                            \
    const D p = exp_parts(x, &b);                                                                   \
    return 4.0 * (b * p + (b - 0.25));                                                              \
  }                                                                                                 \
  D OVERLOAD expm1(D x) {                                                                           \
    return IF_LONG(fabs(x) < 0x1p-54, x, expm1_between(BETWEEN(x, -40.0, 710.5, D)));               \
  }                                                                                                 \
  D OVERLOAD sinh(D x) {                                                                            \
    const D size = fabs(x);                                                                         \
    D b;                                                                                            \
    const D p = exp_parts(BETWEEN(size, 0.0, 710.5, D), &b);                                        \
    const D less = 4.0 * (b * p + (b - 0.25)), large = 2.0 * (b * p + b);                            \
    const D result = IF_LONG(size < 22.0, 0.5 * (less + less / (less + 1.0)), large);                \
    return IF_LONG(size < 0x1p-28, x, copysign(result, x));                                         \
  }                                                                                                 \
  D OVERLOAD cosh(D x) {                                                                            \
    D b;                                                                                            \
    const D p = exp_parts(BETWEEN(fabs(x), 0.0, 710.5, D), &b), large = 2.0 * (b * p + b);           \
    return large + 0.25 / large;                                                                      \
  }                                                                                                 \
  D OVERLOAD tanh(D x) {                                                                            \
    const D size = fabs(x), less = expm1_between(BETWEEN(2.0 * size, 0.0, 44.0, D));                \
    return IF_LONG(size < 0x1p-28, x, copysign(less / (less + 2.0), x));                            \
  }
DOUBLES(HYPERBOLIC)

// x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), for x > 0; log(1 + f) = 2 atanh(f / (2 + f)).
#define LOGARITHMS(D, L, U, I)                                                                      \
  static D OVERLOAD log_parts(D x, D* k) {                                                          \
    const L tiny = truth_long(x < 0x1p-1022);                                                       \
    const U bits = as_##U(IF_LONG(tiny, x * 0x1p54, x)) + (0x3ff0000000000000UL - 0x3fe6a09e667f3bcdUL);    \
    *k = as_##D((bits >> 52) | 0x4330000000000000UL) - IF_LONG(tiny, (D)(0x1p52 + 1023 + 54), (D)(0x1p52 + 1023)); \
    return as_##D((bits & 0x000fffffffffffffUL) + 0x3fe6a09e667f3bcdUL);                            \
  }                                                                                                 \
  /* log(1 + f) less f, of which half_square is taken off later. */                                 \
  static D OVERLOAD log_rest(D f, D half_square) {                                                  \
    const D s = f / (2.0 + f), z = s * s, w = z * z;                                                \
    const D even = ((0x1.2b5900de53b32p-3 * w + 0x1.7462b51cb66b1p-3) * w + 0x1.2492492df281ap-2) * w + \
                   0x1.5555555555558p-1;                                                            \
    const D odd = (0x1.39fe51a7c18f9p-3 * w + 0x1.c71c62e3f11e6p-3) * w + 0x1.99999999952d7p-2;     \
    return s * (z * (z * odd + even) + half_square);                                                \
  }                                                                                                 \
  static D OVERLOAD log_reduced(D x, D* k) {                                                        \
    const D f = log_parts(x, k) - 1.0, half_square = 0.5 * f * f;                                   \
    return f - (half_square - log_rest(f, half_square));                                            \
  }                                                                                                 \
  static D OVERLOAD log_edges(D x, D result) {                                                      \
    result = IF_LONG(x == INFINITY, x, result);                                                     \
    result = IF_LONG(x == 0.0, (D)-INFINITY, result);                                               \
    return IF_LONG(x >= 0.0, result, (D)NAN);                                                       \
  }                                                                                                 \
  D OVERLOAD log(D x) {                                                                             \
    D k;                                                                                            \
    const D f = log_parts(x, &k) - 1.0, half_square = 0.5 * f * f;                                  \
    const D rest = log_rest(f, half_square) + k * LN2_LOW;                                          \
    return log_edges(x, k * LN2_HIGH - ((half_square - rest) - f));                                 \
  }                                                                                                 \
  D OVERLOAD log2(D x) {                                                                            \
    D k;                                                                                            \
    const D r = log_reduced(x, &k);                                                                 \
    return log_edges(x, k + (r * LOG2_E + r * 0x1.777d0ffda0d24p-56));                              \
  }                                                                                                 \
  D OVERLOAD log10(D x) {                                                                           \
    D k;                                                                                            \
    const D r = log_reduced(x, &k);                                                                 \
    return log_edges(x, k * 0x1.3441350800000p-2 + (k * 0x1.f79fef311f12bp-34 + r * 0x1.bcb7b1526e50ep-2)); \
  }                                                                                                 \
  /* log(1 + x), and more; x > -1. What 1 + x rounds off is made up for. */                         \
  static D OVERLOAD log1p_and(D x, D more) {                                                        \
    const D u = 1.0 + x;                                                                            \
    D k;                                                                                            \
    const D f = log_parts(u, &k) - 1.0, half_square = 0.5 * f * f;                                  \
    const D rest = log_rest(f, half_square) + ((x - (u - 1.0)) / u + k * LN2_LOW);                  \
    const D result = k * LN2_HIGH - ((half_square - rest) - f) + more;                              \
    return IF_LONG(x == INFINITY, x, IF_LONG(fabs(x) < 0x1p-54, x, result));                        \
  }                                                                                                 \
  D OVERLOAD log1p(D x) {                                                                           \
    const D result = IF_LONG(x == -1.0, (D)-INFINITY, log1p_and(x, (D)0.0));                        \
    return IF_LONG(x >= -1.0, result, (D)NAN);                                                      \
  }                                                                                                 \
  D OVERLOAD atanh(D x) {                                                                           \
    const D size = fabs(x), result = 0.5 * log1p_and((size + size) / (1.0 - size), (D)0.0);         \
    return copysign(IF_LONG(size <= 1.0, result, (D)NAN), x);                                       \
  }                                                                                                 \
  D OVERLOAD asinh(D x) {                                                                           \
    const D size = fabs(x), square = size * size;                                                   \
    const L large = truth_long(size > 0x1p28);                                                      \
    const D near = size + square / (1.0 + sqrt(square + 1.0));                                      \
    const D result = log1p_and(IF_LONG(large, size - 1.0, near), IF_LONG(large, (D)LN2, (D)0.0));   \
    return copysign(result, x);                                                                     \
  }                                                                                                 \
  D OVERLOAD acosh(D x) {                                                                           \
    const D past = x - 1.0;                                                                         \
    const L large = truth_long(x > 0x1p28);                                                         \
    const D near = past + sqrt(past * (past + 2.0));                                                \
    const D result = log1p_and(IF_LONG(large, past, near), IF_LONG(large, (D)LN2, (D)0.0));         \
    return IF_LONG(x >= 1.0, result, (D)NAN);                                                       \
  }
DOUBLES(LOGARITHMS)

// x less the nearest multiple n of pi/2, of which two parts of 33 bits are taken off without rounding. What is not below
// 2^19 goes libclc's way, which is ten times as long.
#define TRIGONOMETRY(D, L, U, I)                                                                    \
  D OVERLOAD base_sin(D x);                                                                         \
  D OVERLOAD base_cos(D x);                                                                         \
  D OVERLOAD base_tan(D x);                                                                         \
  __attribute__((noinline)) D OVERLOAD skmd_far_sin(D x) { return base_sin(x); }                    \
  __attribute__((noinline)) D OVERLOAD skmd_far_cos(D x) { return base_cos(x); }                    \
  __attribute__((noinline)) D OVERLOAD skmd_far_tan(D x) { return base_tan(x); }                    \
  static D OVERLOAD angle_reduced(D size, L* quarter) {                                             \
    const D n = rint(size * 0x1.45f306dc9c883p-1);                                                  \
    *quarter = as_##L(n + 0x1.8p52);                                                                \
    return ((size - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69; \
  }                                                                                                 \
  static D OVERLOAD sine_reduced(D r, D z) {                                                        \
    const D p = ((((0x1.5e098556d302ep-33 * z - 0x1.ae60069e53ef1p-26) * z + 0x1.71de379252004p-19) * z - \
                  0x1.a01a019e80693p-13) * z + 0x1.1111111110ba5p-7) * z - 0x1.5555555555555p-3;    \
    return r * z * p + r;                                                                           \
  }                                                                                                 \
  static D OVERLOAD cosine_reduced(D z) {                                                           \
    const D p = ((((-0x1.907c0e63adbb6p-37 * z + 0x1.1eeb66b683028p-29) * z - 0x1.27e4fa15bd814p-22) * z + \
                  0x1.a01a019f4d0edp-16) * z - 0x1.6c16c16c16960p-10) * z + 0x1.5555555555555p-5;   \
    return z * z * p + (1.0 - 0.5 * z);                                                             \
  }                                                                                                 \
  /* The sine of r in an even quarter, its cosine in an odd one. */                                 \
  static D OVERLOAD quarter_sine(D r, L quarter, L sign) {                                          \
    const D z = r * r;                                                                              \
    const D chosen = IF_LONG((quarter & 1) != 0, cosine_reduced(z), sine_reduced(r, z));            \
    return as_##D(as_##L(chosen) ^ sign ^ ((quarter & 2) << 62));                                   \
  }                                                                                                 \
  D OVERLOAD sin(D x) {                                                                             \
    const D size = fabs(x);                                                                         \
    L quarter;                                                                                      \
    const D r = angle_reduced(size, &quarter);                                                      \
    const D near = quarter_sine(r, quarter, as_##L(x) & SIGN);                                      \
    const L far = truth_long(!(size < 0x1p19));                                                     \
    return any(far) ? select(near, skmd_far_sin(x), far) : near;                                    \
  }                                                                                                 \
  D OVERLOAD cos(D x) {                                                                             \
    const D size = fabs(x);                                                                         \
    L quarter;                                                                                      \
    const D r = angle_reduced(size, &quarter);                                                      \
    const D near = quarter_sine(r, quarter + 1, (L)0);                                              \
    const L far = truth_long(!(size < 0x1p19));                                                     \
    return any(far) ? select(near, skmd_far_cos(x), far) : near;                                    \
  }                                                                                                 \
  D OVERLOAD tan(D x) {                                                                             \
    const D size = fabs(x);                                                                         \
    L quarter;                                                                                      \
    const D r = angle_reduced(size, &quarter), z = r * r, s = sine_reduced(r, z), c = cosine_reduced(z); \
    const L odd = truth_long((quarter & 1) != 0), sign = as_##L(x) & SIGN;                          \
    const D near = as_##D(as_##L(IF_LONG(odd, -c, s) / IF_LONG(odd, s, c)) ^ sign);                 \
    const L far = truth_long(!(size < 0x1p19));                                                     \
    return any(far) ? select(near, skmd_far_tan(x), far) : near;                                    \
  }
DOUBLES(TRIGONOMETRY)

#define ARCTANGENTS(D, L, U, I)                                                                     \
  D OVERLOAD base_atan(D x);                                                                        \
  /* Of y / x from 0 to pi/2 without signs: whether they are the other way round, and the smaller angle. */ \
  static D OVERLOAD smaller_angle(D y, D x, L* steep) {                                             \
    const D up = fabs(y), over = fabs(x);                                                           \
    *steep = truth_long(up > over);                                                                 \
    const D least = IF_LONG(*steep, over, up), most = IF_LONG(*steep, up, over);                    \
    const D ratio = IF_LONG(truth_long(least == most), IF_LONG(most == 0.0, (D)0.0, (D)1.0), least / most); \
    return base_atan(ratio);                                                                        \
  }                                                                                                 \
  D OVERLOAD atan2(D y, D x) {                                                                      \
    L steep;                                                                                        \
    const D smaller = smaller_angle(y, x, &steep);                                                  \
    const D first = IF_LONG(steep, 0.5 * PI - (smaller - 0.5 * PI_LOW), smaller);                   \
    const D angle = IF_LONG(as_##L(x) < 0, PI - (first - PI_LOW), first);                           \
    return IF_LONG(truth_long(isnan(x)) | truth_long(isnan(y)), x + y, copysign(angle, y));         \
  }                                                                                                 \
  D OVERLOAD atan2pi(D y, D x) {                                                                    \
    L steep;                                                                                        \
    const D smaller = smaller_angle(y, x, &steep) * 0x1.45f306dc9c883p-2;                           \
    const D first = IF_LONG(steep, 0.5 - smaller, smaller);                                         \
    const D angle = IF_LONG(as_##L(x) < 0, 1.0 - first, first);                                     \
    return IF_LONG(truth_long(isnan(x)) | truth_long(isnan(y)), x + y, copysign(angle, y));         \
  }
DOUBLES(ARCTANGENTS)

// Powers: log2 of x to 2^-70 in two parts, and of the product with y in two parts again what is behind the point.
#define POWERS(D, L, U, I)                                                                          \
  static D OVERLOAD log2_parts(D x, D* low) {                                                       \
    D k;                                                                                            \
    const D m = log_parts(x, &k), t = m + 1.0, t_head = HEAD(t, D, U), t_rest = m - (t_head - 1.0); \
    const D inverse = 1.0 / t, s = (m - 1.0) * inverse, s_head = HEAD(s, D, U);                     \
    const D s_rest = (((m - 1.0) - s_head * t_head) - s_head * t_rest) * inverse;                   \
    /* log(m) = 2/3 s (3 + s s + z z p), z = s s. */                                                \
    const D z = s * s, square = s_head * s_head;                                                    \
    D p = 0x1.6822d3ff5dac6p-3 * z + 0x1.679d96ac7bbebp-3;                                          \
    p = ((p * z + 0x1.99a52bd708da3p-3) * z + 0x1.d89d60bb25922p-3) * z + 0x1.1745d19bf0840p-2;     \
    p = ((p * z + 0x1.555555552ff8cp-2) * z + 0x1.b6db6db6db7b2p-2) * z + 0x1.3333333333333p-1;     \
    const D rest = z * z * p + s_rest * (s_head + s);                                               \
    const D sum = HEAD(3.0 + square + rest, D, U), sum_rest = rest - ((sum - 3.0) - square);        \
    const D u = s_head * sum, v = s_rest * sum + sum_rest * s;                                      \
    const D q = HEAD(u + v, D, U), q_rest = v - (q - u);                                            \
    /* 2 / (3 ln(2)) */                                                                             \
    const D head = 0x1.ec709d8000000p-1 * q, tail = 0x1.0e80ff5d27f05p-27 * q + q_rest * 0x1.ec709dc3a03fdp-1; \
    const D result = HEAD((head + tail) + k, D, U);                                                 \
    *low = tail - ((result - k) - head);                                                            \
    return result;                                                                                  \
  }                                                                                                 \
  /* |x|^y for |x| from 0 to infinity and y not 0, y_head of at most 26 bits; NaN does not matter. */ \
  static D OVERLOAD positive_power(D x, D y_head, D y_rest) {                                       \
    const D size = fabs(x);                                                                         \
    D low;                                                                                          \
    const D high = log2_parts(size, &low), rest = y_rest * high + (y_head + y_rest) * low, head = y_head * high; \
    const D power = rest + head, n = rint(BETWEEN(power, -1100.0, 1100.0, D));                      \
    const D fraction = IF_LONG(fabs(power) < 1100.0, (head - n) + rest, (D)0.0);                    \
    const D result = skmd_scale(exp_reduced(fraction * LN2), n);                                    \
    const L rising = truth_long(y_head + y_rest > 0.0);                                             \
    return IF_LONG(size == 0.0, IF_LONG(rising, (D)0.0, (D)INFINITY),                               \
                   IF_LONG(size == INFINITY, IF_LONG(rising, (D)INFINITY, (D)0.0), result));        \
  }                                                                                                 \
  /* Beyond 2^80 nothing changes. */                                                                \
  static D OVERLOAD any_power(D x, D y) {                                                           \
    const D inside = BETWEEN(y, -0x1p80, 0x1p80, D), head = HEAD(inside, D, U);                     \
    return positive_power(x, head, inside - head);                                                  \
  }                                                                                                 \
  D OVERLOAD pow(D x, D y) {                                                                        \
    const L integer = truth_long(trunc(y) == y);                                                    \
    const L odd = integer & truth_long(trunc(0.5 * y) != 0.5 * y);                                  \
    D result = any_power(x, y);                                                                     \
    result = as_##D(as_##L(result) ^ (as_##L(x) & odd & SIGN));                                     \
    result = IF_LONG(truth_long(x < 0.0) & truth_long(x != -INFINITY) & ~integer, (D)NAN, result);  \
    result = IF_LONG(truth_long(isnan(x)) | truth_long(isnan(y)), x + y, result);                   \
    return IF_LONG(truth_long(y == 0.0) | truth_long(x == 1.0), (D)1.0, result);                    \
  }                                                                                                 \
  D OVERLOAD powr(D x, D y) {                                                                       \
    D result = any_power(x, y);                                                                     \
    const L zero = truth_long(y == 0.0), edge = truth_long(x == 0.0) | truth_long(x == INFINITY);   \
    result = IF_LONG(zero, (D)1.0, result);                                                         \
    const L none = (zero & edge) | (truth_long(x == 1.0) & truth_long(isinf(y))) | truth_long(x < 0.0); \
    result = IF_LONG(none, (D)NAN, result);                                                         \
    return IF_LONG(truth_long(isnan(x)) | truth_long(isnan(y)), x + y, result);                     \
  }                                                                                                 \
  D OVERLOAD pown(D x, I n) {                                                                       \
    const D y = convert_##D(n);                                                                     \
    D result = any_power(x, y);                                                                     \
    const L odd = truth_long(trunc(0.5 * y) != 0.5 * y);                                            \
    result = IF_LONG(isnan(x), x, as_##D(as_##L(result) ^ (as_##L(x) & odd & SIGN)));               \
    return IF_LONG(y == 0.0, (D)1.0, result);                                                       \
  }                                                                                                 \
  D OVERLOAD rootn(D x, I n) {                                                                      \
    /* 1/n in two parts, of which the first has 21 bits: times n it is exact. */                    \
    const D y = convert_##D(n), inverse = 1.0 / y, head = as_##D(as_##U(inverse) & 0xffffffff00000000UL); \
    D result = positive_power(x, head, (1.0 - head * y) * inverse);                                 \
    const L odd = truth_long(trunc(0.5 * y) != 0.5 * y);                                            \
    result = as_##D(as_##L(result) ^ (as_##L(x) & odd & SIGN));                                     \
    result = IF_LONG((truth_long(x < 0.0) & ~odd) | truth_long(y == 0.0), (D)NAN, result);          \
    return IF_LONG(isnan(x), x, result);                                                            \
  }
DOUBLES(POWERS)

// The bits' number by 3 is that of the root but for 3 percent; x^(-1/3) by a polynomial gives 23 bits, one step of Halley's
// method the rest.
#define CUBE_ROOT(D, L, U, I)                                                                       \
  D OVERLOAD cbrt(D x) {                                                                            \
    const D size = fabs(x);                                                                         \
    const L tiny = truth_long(size < 0x1p-1022);                                                    \
    const D normal = IF_LONG(tiny, size * 0x1p54, size);                                            \
    const U third = (as_##U(normal) >> 32) * 0xaaaaaaabUL >> 33;                                    \
    const D t = as_##D((third + 715094163UL) << 32), r = t * t * (t / normal);                      \
    const D p = (((0x1.23d369a0ad815p-3 * r - 0x1.7d05e8338262ap-1) * r + 0x1.998ee3dc5434fp+0) * r - \
                 0x1.ded3c2a802ee6p+0) * r + 0x1.df4d65763d84ep+0;                                  \
    /* Of 23 bits: its square is exact. */                                                          \
    const D root = as_##D((as_##U(t * p) + 0x20000000UL) & 0xffffffffc0000000UL);                   \
    const D ratio = normal / (root * root), step = (ratio - root) / (2.0 * root + ratio);           \
    const D result = root * step + root;                                                            \
    return IF_LONG(truth_long(size == 0.0) | truth_long(!(size < INFINITY)), x,                     \
                   copysign(IF_LONG(tiny, result * 0x1p-18, result), x));                           \
  }
DOUBLES(CUBE_ROOT)

// erfc(x) exp(x x) (1 + 2 x) is a polynomial of (x - 4) / (x + 4) for all x > 0, to 2^-53; x x is in two parts, of which the
// first is exact. erf near 0 is x by a polynomial of x x.
#define ERROR_FUNCTIONS(D, L, U, I)                                                                 \
  /* Of size up to 28, behind which it is 0. */                                                     \
  static D OVERLOAD erfc_of_size(D x) {                                                             \
    const D t = (x - 4.0) / (x + 4.0), w = t * t;                                                   \
    D even = ((-0x1.44ea3e753d03fp-27 * w + 0x1.f95d9c1b8f9dfp-25) * w + 0x1.4cccc375dcb21p-22) * w - 0x1.78e2e25fb32a5p-17;\
    even = ((even * w + 0x1.3be28aa5264a0p-13) * w - 0x1.8d4abee6e794dp-11) * w - 0x1.096238568ead0p-6;\
    even = ((even * w - 0x1.0fb06dff5be88p-4) * w - 0x1.9ddb23c3dbf7ep-4) * w + 0x1.f7f5df66fb86cp-7;\
    even = even * w + 0x1.3ba5916e9fd7fp+0;                                                         \
    D odd = ((-0x1.3203d7029540dp-27 * w + 0x1.b547fff5a3ee4p-24) * w - 0x1.b792609d7a011p-21) * w + 0x1.7efa8caa8bd96p-18;\
    odd = ((odd * w - 0x1.99573aaf8d6cap-16) * w - 0x1.a1df1fd37a91ap-13) * w + 0x1.49c672613491bp-8;\
    odd = ((odd * w + 0x1.3079edf74dfa8p-5) * w + 0x1.7fee004e0b17cp-4) * w + 0x1.16ecefcfa568fp-4; \
    odd = odd * w - 0x1.1df1ad154a290p-3;                                                           \
    const D head = HEAD(x, D, U), square = head * head, rest = (x - head) * (x + head);             \
    const D n = rint(square * -LOG2_E), r = ((-square - n * LN2_HIGH) - n * LN2_LOW) - rest;        \
    return skmd_scale(exp_reduced(r) * ((t * odd + even) / (2.0 * x + 1.0)), n);                    \
  }                                                                                                 \
  D OVERLOAD erfc(D x) {                                                                            \
    const D result = erfc_of_size(BETWEEN(fabs(x), 0.0, 28.0, D));                                  \
    return IF_LONG(x < 0.0, 2.0 - result, result);                                                  \
  }                                                                                                 \
  D OVERLOAD erf(D x) {                                                                             \
    const D size = fabs(x), z = x * x;                                                              \
    D p = ((0x1.89865e6e02021p-20 * z - 0x1.f1eeb1e41ea54p-17) * z + 0x1.f98b144807b35p-14) * z - 0x1.c02d3e9bf81adp-11;\
    p = ((p * z + 0x1.565bcbbd69e26p-8) * z - 0x1.b82ce30e4868fp-6) * z + 0x1.ce2f21a03bdc1p-4;     \
    p = (p * z - 0x1.812746b0379a2p-2) * z + 0x1.06eba8214db68p-3;                                  \
    const D far = copysign(1.0 - erfc_of_size(BETWEEN(size, 0.0, 28.0, D)), x);                     \
    return IF_LONG(size < 0.5, x * p + x, far);                                                     \
  }
DOUBLES(ERROR_FUNCTIONS)
