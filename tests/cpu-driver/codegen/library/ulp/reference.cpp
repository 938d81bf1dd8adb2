// SPDX-License-Identifier: Apache-2.0
#include "tests/cpu-driver/codegen/library/ulp/reference.h"

namespace skmd::test {

namespace {

constexpr mpfr_rnd_t kNearest = MPFR_RNDN;

#define UNARY(NAME) [](mpfr_t r, const mpfr_t x, const mpfr_t, int) { mpfr_##NAME(r, x, kNearest); }
#define BINARY(NAME) [](mpfr_t r, const mpfr_t x, const mpfr_t y, int) { mpfr_##NAME(r, x, y, kNearest); }

void lgamma_of(mpfr_t r, const mpfr_t x, const mpfr_t, int) {
  int sign = 0;
  mpfr_lgamma(r, &sign, x, kNearest);
}

void logb_of(mpfr_t r, const mpfr_t x, const mpfr_t, int) {
  if (mpfr_nan_p(x)) return mpfr_set_nan(r);
  if (mpfr_inf_p(x)) return mpfr_set_inf(r, 1);
  if (mpfr_zero_p(x)) return mpfr_set_inf(r, -1);
  mpfr_set_si(r, mpfr_get_exp(x) - 1, kNearest);
}

// MPFR says 1 for the first two.
void powr_of(mpfr_t r, const mpfr_t x, const mpfr_t y, int) {
  const bool one = mpfr_cmp_ui(x, 1) == 0;
  if (mpfr_nan_p(x) || mpfr_nan_p(y) || (one && mpfr_inf_p(y))) return mpfr_set_nan(r);
  mpfr_powr(r, x, y, kNearest);
}

// x less what is whole below it: 0 without a sign but for zeros and infinities. Less than 1 also just below 0.
void fract_of(mpfr_t r, const mpfr_t x, const mpfr_t, int) {
  mpfr_frac(r, x, kNearest);
  if (mpfr_sgn(r) < 0) mpfr_add_ui(r, r, 1, kNearest);
  if (mpfr_zero_p(r) != 0 && mpfr_regular_p(x) != 0) mpfr_set_zero(r, 1);
  if (mpfr_inf_p(x)) mpfr_set_zero(r, mpfr_signbit(x) ? -1 : 1);
}

void frexp_of(mpfr_t r, const mpfr_t x, const mpfr_t, int) {
  mpfr_exp_t exponent = 0;
  mpfr_frexp(&exponent, r, x, kNearest);
}

void exponent_of(mpfr_t r, const mpfr_t x, const mpfr_t, int) {
  mpfr_set_si(r, mpfr_regular_p(x) != 0 ? mpfr_get_exp(x) : 0, kNearest);
}

void modf_of(mpfr_t r, const mpfr_t x, const mpfr_t, int) {
  mpfr_frac(r, x, kNearest);
  if (mpfr_inf_p(x)) mpfr_set_zero(r, mpfr_signbit(x) ? -1 : 1);
}

// The larger or smaller by size; of equal ones fmax's or fmin's.
void by_size(mpfr_t r, const mpfr_t x, const mpfr_t y, bool larger) {
  const int compared = mpfr_nan_p(x) != 0 || mpfr_nan_p(y) != 0 ? 0 : mpfr_cmpabs(x, y);
  if (compared != 0)
    mpfr_set(r, (compared > 0) == larger ? x : y, kNearest);
  else if (larger)
    mpfr_max(r, x, y, kNearest);
  else
    mpfr_min(r, x, y, kNearest);
}

// The first of two components of length 1 together.
void normalize_of(mpfr_t r, const mpfr_t x, const mpfr_t y, int) {
  if (mpfr_nan_p(x) != 0 || mpfr_nan_p(y) != 0) return mpfr_set_nan(r);
  if (mpfr_zero_p(x) != 0) {
    mpfr_set(r, x, kNearest);
    return;
  }
  if (mpfr_inf_p(x) == 0 && mpfr_inf_p(y) == 0) {
    mpfr_hypot(r, x, y, kNearest);
    mpfr_div(r, x, r, kNearest);
    return;
  }
  mpfr_set_ui(r, mpfr_inf_p(y) != 0 ? 2 : 1, kNearest);
  mpfr_rec_sqrt(r, r, kNearest);
  if (mpfr_inf_p(x) == 0) mpfr_set_zero(r, 1);
  mpfr_copysign(r, r, x, kNearest);
}

// OpenCL has one of two quiet operands win over a NaN, as C does, MPFR too.
const std::vector<MathFunction> kFunctions = {
    {"acos", "v", 4, 4, UNARY(acos)},
    {"acosh", "v", 4, 4, UNARY(acosh)},
    {"acospi", "v", 5, 5, UNARY(acospi)},
    {"asin", "v", 4, 4, UNARY(asin)},
    {"asinh", "v", 4, 4, UNARY(asinh)},
    {"asinpi", "v", 5, 5, UNARY(asinpi)},
    {"atan", "v", 5, 5, UNARY(atan)},
    {"atanh", "v", 5, 5, UNARY(atanh)},
    {"atanpi", "v", 5, 5, UNARY(atanpi)},
    {"atan2", "vv", 6, 6, BINARY(atan2)},
    {"atan2pi", "vv", 6, 6, BINARY(atan2pi)},
    {"cbrt", "v", 2, 2, UNARY(cbrt)},
    {"ceil", "v", 0, 0, UNARY(rint_ceil)},
    {"cos", "v", 4, 4, UNARY(cos)},
    {"cosh", "v", 4, 4, UNARY(cosh)},
    {"cospi", "v", 4, 4, UNARY(cospi)},
    {"erfc", "v", 16, 16, UNARY(erfc), 120, 800},
    {"erf", "v", 16, 16, UNARY(erf), 120, 800},
    {"exp", "v", 3, 3, UNARY(exp)},
    {"exp2", "v", 3, 3, UNARY(exp2)},
    {"exp10", "v", 3, 3, UNARY(exp10)},
    {"expm1", "v", 3, 3, UNARY(expm1)},
    {"fabs", "v", 0, 0, UNARY(abs)},
    {"fdim", "vv", 0, 0, BINARY(dim)},
    {"fma", "vv", 0, 0, [](mpfr_t r, const mpfr_t x, const mpfr_t y, int) { mpfr_fma(r, x, y, x, kNearest); }},
    {"fract", "v", 1, 1, fract_of},  // what would be rounded to 1 is what is before it
    {"fract_second", "v", 0, 0, UNARY(rint_floor)},
    {"frexp", "v", 0, 0, frexp_of},
    {"frexp_second", "v", 0, 0, exponent_of},
    {"floor", "v", 0, 0, UNARY(rint_floor)},
    {"fmax", "vv", 0, 0, BINARY(max)},
    {"fmin", "vv", 0, 0, BINARY(min)},
    {"fmod", "vv", 0, 0, BINARY(fmod)},
    {"hypot", "vv", 4, 4, BINARY(hypot)},
    {"ldexp", "vi", 0, 0, [](mpfr_t r, const mpfr_t x, const mpfr_t, int n) { mpfr_mul_2si(r, x, n, kNearest); }},
    {"lgamma", "v", 1e9, 1e9, lgamma_of, 120, 400},
    {"log", "v", 3, 3, UNARY(log)},
    {"log2", "v", 3, 3, UNARY(log2)},
    {"log10", "v", 3, 3, UNARY(log10)},
    {"log1p", "v", 2, 2, UNARY(log1p)},
    {"logb", "v", 0, 0, logb_of},
    {"maxmag", "vv", 0, 0, [](mpfr_t r, const mpfr_t x, const mpfr_t y, int) { by_size(r, x, y, true); }},
    {"minmag", "vv", 0, 0, [](mpfr_t r, const mpfr_t x, const mpfr_t y, int) { by_size(r, x, y, false); }},
    {"modf", "v", 0, 0, modf_of},
    {"modf_second", "v", 0, 0, UNARY(rint_trunc)},
    {"normalize", "vv", 4, 4, normalize_of},
    {"pow", "vv", 16, 16, BINARY(pow)},
    {"pown", "vi", 16, 16, [](mpfr_t r, const mpfr_t x, const mpfr_t, int n) { mpfr_pow_si(r, x, n, kNearest); }},
    {"powr", "vv", 16, 16, powr_of},
    {"remainder", "vv", 0, 0, BINARY(remainder)},
    {"remquo", "vv", 0, 0, BINARY(remainder)},
    {"rint", "v", 0, 0, UNARY(rint_roundeven)},
    {"rootn", "vi", 16, 16, [](mpfr_t r, const mpfr_t x, const mpfr_t, int n) { mpfr_rootn_si(r, x, n, kNearest); }},
    {"round", "v", 0, 0, UNARY(rint_round)},
    {"rsqrt", "v", 2, 2,
     [](mpfr_t r, const mpfr_t x, const mpfr_t, int) {
       mpfr_rec_sqrt(r, x, kNearest);
       if (mpfr_zero_p(x)) mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
     }},
    {"sin", "v", 4, 4, UNARY(sin)},
    {"sincos", "v", 4, 4, UNARY(sin)},
    {"sincos_second", "v", 4, 4, UNARY(cos)},
    {"sinh", "v", 4, 4, UNARY(sinh)},
    {"sinpi", "v", 4, 4, UNARY(sinpi)},
    {"sqrt", "v", 3, 0, UNARY(sqrt)},
    {"tan", "v", 5, 5, UNARY(tan)},
    {"tanh", "v", 5, 5, UNARY(tanh)},
    {"tanpi", "v", 6, 6, UNARY(tanpi)},
    {"tgamma", "v", 16, 16, UNARY(gamma), 120, 400},
    {"trunc", "v", 0, 0, UNARY(rint_trunc)},
};

}  // namespace

const std::vector<MathFunction>& math_functions() { return kFunctions; }

}  // namespace skmd::test
