// SPDX-License-Identifier: Apache-2.0
// What OpenCL's math functions should give, by MPFR, and how far from it they may be.
#pragma once

#include <mpfr.h>

#include <string>
#include <vector>

namespace skmd::test {

struct MathFunction {
  const char* name;
  const char* operands;  // 'v' a value, 'i' an int
  double limit_float;    // in units in the last place, of OpenCL's full profile
  double limit_double;
  /// `result` of precision enough, from exact operands; the int is the last operand.
  void (*exact)(mpfr_t result, const mpfr_t x, const mpfr_t y, int n);
  int precision = 120;  // bits; 24 or 53 is not enough where the result is nearly another's rounding boundary
  int samples = 0;      // 0: as many as for the others
};

const std::vector<MathFunction>& math_functions();

}  // namespace skmd::test
