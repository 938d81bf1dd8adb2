// SPDX-License-Identifier: Apache-2.0
// Compares math functions, for one lane and for vectors, with MPFR.
//   ulp_check [--list] [--samples N] LIBRARY...     libraries as forms.py makes them
// Exit status 1 if a result is outside OpenCL's limits. Magnitudes are mixed across lanes on purpose: faults that only
// show in the company of a huge number would hide among neighbours.
#include <dlfcn.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "tests/cpu-driver/codegen/library/ulp/reference.h"

namespace skmd::test {

namespace {

struct Options {
  int samples = 4000;
  bool list = false;
  std::vector<void*> libraries;
};

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> positive = {T(0),
                             Limits::denorm_min(),
                             Limits::min(),
                             Limits::max(),
                             Limits::infinity(),
                             T(1),
                             T(0.5),
                             T(2),
                             T(3),
                             T(10),
                             T(1.5),
                             T(2.5),
                             T(0.25),
                             T(4),
                             T(16),
                             T(127),
                             T(128),
                             T(149),
                             T(150),
                             T(1022),
                             T(1024),
                             T(88.72),
                             T(88.73),
                             T(103.97),
                             T(709.78),
                             T(745.2),
                             T(1e-4),
                             T(1e-8),
                             T(1.5707963267948966),
                             T(3.141592653589793),
                             T(0.7853981633974483),
                             T(2.356194490192345),
                             T(6.283185307179586),
                             T(1e5),
                             T(1e10),
                             T(1e22),
                             T(16777216),
                             T(8388607.5),
                             T(34.9),
                             T(170.6)};
  for (const T value : {Limits::min(), T(1), T(2), T(0.5), T(4)}) {
    positive.push_back(std::nextafter(value, T(0)));
    positive.push_back(std::nextafter(value, Limits::infinity()));
  }
  std::vector<T> all = {Limits::quiet_NaN()};
  for (const T value : positive) all.insert(all.end(), {value, -value});
  return all;
}

template <class T>
T random_value(std::mt19937_64& source) {
  std::uniform_real_distribution<double> unit(-1, 1);
  switch (source() % 6) {
    case 0:
      return std::bit_cast<T>(static_cast<Bits<T>>(source()));
    case 1:
      return static_cast<T>(unit(source));
    case 2:
      return static_cast<T>(unit(source) * 10);
    case 3:
      return static_cast<T>(unit(source) * 200);
    case 4:
      return static_cast<T>(1 + unit(source) * 0.01);
    default:
      return static_cast<T>(std::ldexp(unit(source), static_cast<int>(source() % 60) - 30));
  }
}

int random_int(std::mt19937_64& source) {
  constexpr int kSpecial[] = {
      0, 1, -1, 2, -2, 3, -3, 5, 7, 100, -100, 149, -149, 1000, -1075, 2147483647, -2147483647 - 1};
  if (source() % 2 == 0) return kSpecial[source() % std::size(kSpecial)];
  return static_cast<int>(source() % 40) - 20;
}

template <class T>
struct Inputs {
  std::vector<T> x, y;
  std::vector<std::int32_t> n;
};

template <class T>
Inputs<T> inputs_for(const MathFunction& function, const Options& options) {
  std::mt19937_64 source(20240607 + sizeof(T));
  Inputs<T> inputs;
  const auto add = [&](T x, T y) {
    inputs.x.push_back(x);
    inputs.y.push_back(y);
    inputs.n.push_back(random_int(source));
  };
  const std::vector<T> special = edges<T>();
  const bool two = std::strcmp(function.operands, "vv") == 0;
  for (const T x : special) {
    for (const T y : special)
      if (two || source() % 16 == 0) add(x, y);
    if (!two) add(x, x);
  }
  const int samples = function.samples != 0 ? function.samples * options.samples / 4000 : options.samples;
  for (int index = 0; index < samples; ++index) add(random_value<T>(source), random_value<T>(source));
  while (inputs.x.size() % 48 != 0) add(T(1), T(1));  // all widths, of 3 too
  for (std::size_t index = inputs.x.size() - 1; index > 0; --index) {
    const std::size_t other = source() % (index + 1);
    std::swap(inputs.x[index], inputs.x[other]);
    std::swap(inputs.y[index], inputs.y[other]);
    std::swap(inputs.n[index], inputs.n[other]);
  }
  return inputs;
}

/// An exact result, as a value of T with what rounding lost in units in the last place.
template <class T>
struct Exact {
  T rounded;
  double unit;       // of the last place, at the exact value
  double remainder;  // exact - rounded
};

template <class T>
Exact<T> take(const mpfr_t value) {
  using Limits = std::numeric_limits<T>;
  Exact<T> exact{};
  exact.rounded =
      sizeof(T) == 4 ? static_cast<T>(mpfr_get_flt(value, MPFR_RNDN)) : static_cast<T>(mpfr_get_d(value, MPFR_RNDN));
  if (!mpfr_number_p(value) || mpfr_zero_p(value)) return exact;
  long exponent = std::max<long>(mpfr_get_exp(value) - 1, Limits::min_exponent - 1);
  exponent = std::min<long>(exponent, Limits::max_exponent - 1);
  exact.unit = std::ldexp(1.0, static_cast<int>(std::max<long>(exponent - Limits::digits + 1, -1074)));
  if (!std::isfinite(exact.rounded)) return exact;
  mpfr_t rest;
  mpfr_init2(rest, 200);
  mpfr_set_d(rest, exact.rounded, MPFR_RNDN);
  mpfr_sub(rest, value, rest, MPFR_RNDN);
  exact.remainder = mpfr_get_d(rest, MPFR_RNDN);
  mpfr_clear(rest);
  return exact;
}

template <class T>
double error_of(T got, const Exact<T>& exact, double limit) {
  constexpr double kWrong = 1e30;
  if (std::isnan(exact.rounded)) return std::isnan(got) ? 0 : kWrong;
  if (std::isnan(got)) return kWrong;
  if (exact.unit == 0) {  // zero or infinite exactly
    return got == exact.rounded && (got != 0 || std::signbit(got) == std::signbit(exact.rounded)) ? 0 : kWrong;
  }
  const T largest = std::numeric_limits<T>::max();
  if (std::isinf(exact.rounded)) {
    if (got == exact.rounded) return 0;
    return limit > 0 && std::fabs(got) == largest && std::signbit(got) == std::signbit(exact.rounded) ? 1 : kWrong;
  }
  if (std::isinf(got)) {
    const double distance =
        (static_cast<double>(largest) - std::fabs(static_cast<double>(exact.rounded))) / exact.unit + 1;
    return std::signbit(got) == std::signbit(exact.rounded) ? distance : kWrong;
  }
  const double distance =
      (static_cast<double>(got) - static_cast<double>(exact.rounded) - exact.remainder) / exact.unit;
  return got == exact.rounded && limit == 0 ? 0 : std::fabs(distance);
}

template <class T>
std::vector<Exact<T>> exact_results(const MathFunction& function, const Inputs<T>& inputs) {
  mpfr_t x, y, result;
  mpfr_inits2(53, x, y, static_cast<mpfr_ptr>(nullptr));
  mpfr_init2(result, function.precision);
  std::vector<Exact<T>> results;
  results.reserve(inputs.x.size());
  for (std::size_t index = 0; index < inputs.x.size(); ++index) {
    mpfr_set_d(x, inputs.x[index], MPFR_RNDN);
    mpfr_set_d(y, inputs.y[index], MPFR_RNDN);
    function.exact(result, x, y, inputs.n[index]);
    results.push_back(take<T>(result));
  }
  mpfr_clears(x, y, result, static_cast<mpfr_ptr>(nullptr));
  return results;
}

struct Report {
  int checked = 0;
  int failed = 0;
};

template <class T>
void check(const MathFunction& function, const Options& options, Report& report) {
  const char letter = sizeof(T) == 4 ? 'f' : 'd';
  const double limit = sizeof(T) == 4 ? function.limit_float : function.limit_double;
  const Inputs<T> inputs = inputs_for<T>(function, options);
  const std::vector<Exact<T>> exact = exact_results(function, inputs);
  const void* second = function.operands[1] == 'i' ? static_cast<const void*>(inputs.n.data()) : inputs.y.data();
  std::vector<T> first_form;
  for (std::size_t library = 0; library < options.libraries.size(); ++library) {
    for (const int lanes : {1, 2, 3, 4, 8, 16}) {
      const std::string symbol = std::string(function.name) + "_" + letter + "_" + std::to_string(lanes);
      using Form = void (*)(const T*, const void*, T*, std::uint64_t);
      const auto form = reinterpret_cast<Form>(dlsym(options.libraries[library], symbol.c_str()));
      if (form == nullptr) continue;
      std::vector<T> results(inputs.x.size());
      form(inputs.x.data(), second, results.data(), results.size());
      double worst = 0;
      std::size_t at = 0, differing = 0;
      for (std::size_t index = 0; index < results.size(); ++index) {
        const double error = error_of(results[index], exact[index], limit);
        if (error > worst) worst = error, at = index;
        if (!first_form.empty() && std::memcmp(&first_form[index], &results[index], sizeof(T)) != 0 &&
            !(std::isnan(results[index]) && std::isnan(first_form[index])))
          ++differing;
      }
      if (first_form.empty()) first_form = results;
      ++report.checked;
      const bool bad = worst > limit;
      report.failed += bad ? 1 : 0;
      if (bad || options.list)
        std::printf("%s library %zu %-14s worst %.3g of %g ULP; %zu of %zu differ from the first form%s",
                    bad ? "WRONG" : "ok   ", library, symbol.c_str(), worst, limit, differing, results.size(),
                    bad ? "" : "\n");
      if (bad)
        std::printf(": (%a, %a, %d) gives %a, should be %a\n", static_cast<double>(inputs.x[at]),
                    static_cast<double>(inputs.y[at]), inputs.n[at], static_cast<double>(results[at]),
                    static_cast<double>(exact[at].rounded));
    }
  }
}

}  // namespace

int run(const Options& options) {
  Report report;
  for (const MathFunction& function : math_functions()) {
    check<float>(function, options, report);
    check<double>(function, options, report);
  }
  std::printf("%d forms checked, %d outside the limits\n", report.checked, report.failed);
  return report.failed == 0 && report.checked > 0 ? 0 : 1;
}

int main(int count, char** words) {
  Options options;
  for (int index = 1; index < count; ++index) {
    if (std::strcmp(words[index], "--list") == 0) {
      options.list = true;
    } else if (std::strcmp(words[index], "--samples") == 0 && index + 1 < count) {
      options.samples = std::atoi(words[++index]);
    } else {
      options.libraries.push_back(dlopen(words[index], RTLD_NOW | RTLD_LOCAL));
      if (options.libraries.back() == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
      }
    }
  }
  return run(options);
}

}  // namespace skmd::test

int main(int count, char** words) { return skmd::test::main(count, words); }
