// SPDX-License-Identifier: Apache-2.0
// Compares conversions, stores as half and integer functions with this file's own arithmetic, bit by bit.
//   exact_check LIBRARY      as exact.py makes it
#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace skmd::test {

namespace {

using Wide = __int128;

void* library = nullptr;
int checked = 0, failed = 0;

template <class T>
constexpr const char* kShort = std::is_same_v<T, float>                ? "f32"
                               : std::is_same_v<T, double>             ? "f64"
                               : std::is_signed_v<T> && sizeof(T) == 1 ? "c8"
                               : std::is_signed_v<T> && sizeof(T) == 2 ? "c16"
                               : std::is_signed_v<T> && sizeof(T) == 4 ? "c32"
                               : std::is_signed_v<T>                   ? "c64"
                               : sizeof(T) == 1                        ? "u8"
                               : sizeof(T) == 2                        ? "u16"
                               : sizeof(T) == 4                        ? "u32"
                                                                       : "u64";

/// Every edge of every type, and random ones of all sizes.
template <class T>
std::vector<T> values(unsigned seed) {
  std::mt19937_64 source(seed);
  std::vector<T> all;
  const auto add = [&](long double value) {
    if constexpr (std::is_floating_point_v<T>)
      all.push_back(static_cast<T>(value));
    else if (value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max())
      all.push_back(static_cast<T>(value));
  };
  for (int power = 0; power <= 64; ++power)
    for (const long double offset : {-2.0L, -1.5L, -1.0L, -0.5L, -0.25L, 0.0L, 0.25L, 0.5L, 1.0L, 1.5L, 2.5L}) {
      add(std::ldexp(1.0L, power) + offset);
      add(-std::ldexp(1.0L, power) + offset);
    }
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    for (const T value :
         {Limits::infinity(), Limits::max(), Limits::min(), Limits::denorm_min(), T(0), T(65504), T(65519.9), T(65520),
          T(65536), T(0x1p-14), T(0x1p-24), T(0x1p-25), T(0x1.000002p-25), T(0x1.8p-24), T(0x1.ffep-15)})
      for (const T sign : {T(1), T(-1)}) all.push_back(sign * value);
    all.push_back(Limits::quiet_NaN());
  }
  for (int index = 0; index < 3000; ++index) {
    if constexpr (std::is_floating_point_v<T>)
      add(std::ldexp(static_cast<long double>(static_cast<std::int64_t>(source())),
                     static_cast<int>(source() % 110) - 100));
    else
      all.push_back(static_cast<T>(source() >> source() % 64));
  }
  return all;
}

int rounding_of(const std::string& name) {
  return name == "_rtz" ? FE_TOWARDZERO : name == "_rtp" ? FE_UPWARD : name == "_rtn" ? FE_DOWNWARD : FE_TONEAREST;
}

/// Volatile: rounding modes are nothing that compilers see.
template <class To, class From>
[[gnu::noinline]] To rounded(From value, int mode) {
  std::fesetround(mode);
  volatile From from = value;
  volatile To to = static_cast<To>(from);
  const To result = to;
  std::fesetround(FE_TONEAREST);
  return result;
}

long double whole(long double value, int mode) {
  std::fesetround(mode);
  volatile long double from = value;
  const long double result = std::rint(from);
  std::fesetround(FE_TONEAREST);
  return result;
}

enum class Expect { exactly, anything };

template <class From, class To>
Expect expected(From value, const std::string& rounding, bool saturate, To& result) {
  if constexpr (std::is_floating_point_v<To>) {
    result = rounded<To>(value, rounding_of(rounding));
    return Expect::exactly;
  } else if constexpr (std::is_integral_v<From>) {
    const Wide low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max(), from = value;
    result = !saturate ? static_cast<To>(value) : static_cast<To>(from < low ? low : from > high ? high : from);
    return Expect::exactly;
  } else {
    if (std::isnan(value)) {
      result = 0;
      return saturate ? Expect::exactly : Expect::anything;
    }
    const long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    const long double from = whole(value, rounding.empty() ? FE_TOWARDZERO : rounding_of(rounding));
    if (from < low || from > high) {
      result = from < low ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max();
      return saturate ? Expect::exactly : Expect::anything;
    }
    result = static_cast<To>(from);
    return Expect::exactly;
  }
}

void report(const std::string& name, std::size_t wrong, const std::string& example) {
  ++checked;
  if (wrong == 0) return;
  ++failed;
  std::printf("WRONG %s: %zu results, %s\n", name.c_str(), wrong, example.c_str());
}

template <class T>
bool same(T one, T other) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(one) && std::isnan(other)) return true;
  return std::memcmp(&one, &other, sizeof(T)) == 0;
}

template <class From, class To>
void check_conversion(const std::string& rounding, bool saturate) {
  const std::string name =
      std::string("convert_") + kShort<From> + "_" + kShort<To> + (saturate ? "_sat" : "") + rounding;
  const auto function = reinterpret_cast<void (*)(const From*, To*, std::uint64_t)>(dlsym(library, name.c_str()));
  if (function == nullptr) return report(name, 1, "not there");
  const std::vector<From> from = values<From>(1);
  std::vector<To> to(from.size());
  function(from.data(), to.data(), from.size());
  std::size_t wrong = 0;
  std::string example;
  for (std::size_t index = 0; index < from.size(); ++index) {
    To right{};
    if (expected(from[index], rounding, saturate, right) == Expect::anything || same(right, to[index])) continue;
    if (wrong++ == 0)
      example = std::to_string(static_cast<double>(from[index])) + " gives " +
                std::to_string(static_cast<double>(to[index])) + ", should be " +
                std::to_string(static_cast<double>(right));
  }
  report(name, wrong, example);
}

template <class From, class... To>
void conversions_from(std::tuple<To...>) {
  for (const char* rounding : {"", "_rte", "_rtz", "_rtp", "_rtn"})
    (
        [&] {
          check_conversion<From, To>(rounding, false);
          if constexpr (std::is_integral_v<To>) check_conversion<From, To>(rounding, true);
        }(),
        ...);
}

using Types = std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                         std::int64_t, std::uint64_t, float, double>;

template <class... From>
void conversions(std::tuple<From...>) {
  (conversions_from<From>(Types{}), ...);
}

/// By division by the last place's unit, which is exact, and rounding to an integer.
std::uint16_t half_of(double value, int mode) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7e00;
  if (std::isinf(value)) return sign | 0x7c00;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), -14);
  const auto kept =
      static_cast<std::uint64_t>(std::fabs(whole(std::ldexp(static_cast<long double>(value), 10 - exponent), mode)));
  const double result = std::ldexp(static_cast<double>(kept), exponent - 10);
  if (result >= 65536) {
    const bool to_infinity = mode == FE_TONEAREST || mode == (value > 0 ? FE_UPWARD : FE_DOWNWARD);
    return sign | (to_infinity ? 0x7c00 : 0x7bff);
  }
  if (result < 0x1p-14) return sign | static_cast<std::uint16_t>(std::ldexp(result, 24));
  const int field = std::ilogb(result);
  return static_cast<std::uint16_t>(sign | (field + 15) << 10 |
                                    (static_cast<int>(std::ldexp(result, 10 - field)) & 0x3ff));
}

template <class From>
void check_half(const std::string& rounding) {
  const std::string name = std::string("half_") + kShort<From> + rounding;
  const auto function =
      reinterpret_cast<void (*)(const From*, std::uint16_t*, std::uint64_t)>(dlsym(library, name.c_str()));
  if (function == nullptr) return report(name, 1, "not there");
  const std::vector<From> from = values<From>(2);
  std::vector<std::uint16_t> to(from.size());
  function(from.data(), to.data(), from.size());
  std::size_t wrong = 0;
  std::string example;
  for (std::size_t index = 0; index < from.size(); ++index) {
    const std::uint16_t right = half_of(from[index], rounding_of(rounding));
    const bool nan = std::isnan(from[index]) && (to[index] & 0x7c00) == 0x7c00 && (to[index] & 0x3ff) != 0;
    if (right == to[index] || nan) continue;
    char text[96];
    std::snprintf(text, sizeof text, "%a gives %04x, should be %04x", static_cast<double>(from[index]), to[index],
                  right);
    if (wrong++ == 0) example = text;
  }
  report(name, wrong, example);
}

void check_from_half() {
  const auto function =
      reinterpret_cast<void (*)(const std::uint16_t*, float*, std::uint64_t)>(dlsym(library, "from_half"));
  if (function == nullptr) return report("from_half", 1, "not there");
  std::vector<std::uint16_t> from(65536);
  for (std::size_t index = 0; index < from.size(); ++index) from[index] = static_cast<std::uint16_t>(index);
  std::vector<float> to(from.size());
  function(from.data(), to.data(), from.size());
  std::size_t wrong = 0;
  for (const std::uint16_t bits : from) {
    const int field = bits >> 10 & 31, rest = bits & 0x3ff;
    float right = field == 0 ? std::ldexp(static_cast<float>(rest), -24)
                             : std::ldexp(static_cast<float>(rest + 1024), field - 25);
    if (field == 31)
      right = rest != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    wrong += same((bits & 0x8000) != 0 ? -right : right, to[bits]) ? 0 : 1;
  }
  report("from_half", wrong, "");
}

template <class T>
T clamped(Wide value) {
  const Wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

/// The high half of a product, which __int128 has no room for if it is of unsigned longs.
template <class T>
T high_half(T x, T y) {
  constexpr int kBits = 8 * sizeof(T);
  if constexpr (std::is_same_v<T, std::uint64_t>)
    return static_cast<T>(static_cast<unsigned __int128>(x) * y >> kBits);
  else
    return static_cast<T>(static_cast<Wide>(x) * y >> kBits);
}

template <class T>
T integer_result(const std::string& name, T x, T y, T z) {
  using Bits = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T);
  const Wide a = x, b = y, c = z;
  const Bits bits = static_cast<Bits>(x);
  if (name == "abs") return static_cast<T>(a < 0 ? -a : a);
  if (name == "clz") return static_cast<T>(std::countl_zero(bits));
  if (name == "ctz") return static_cast<T>(std::countr_zero(bits));
  if (name == "popcount") return static_cast<T>(std::popcount(bits));
  if (name == "abs_diff") return static_cast<T>(a > b ? a - b : b - a);
  if (name == "add_sat") return clamped<T>(a + b);
  if (name == "sub_sat") return clamped<T>(a - b);
  if (name == "hadd") return static_cast<T>((a + b) >> 1);
  if (name == "rhadd") return static_cast<T>((a + b + 1) >> 1);
  if (name == "max") return std::max(x, y);
  if (name == "min") return std::min(x, y);
  if (name == "mul_hi") return high_half(x, y);
  if (name == "rotate") return static_cast<T>(std::rotl(bits, static_cast<int>(static_cast<Bits>(y) % kBits)));
  if (name == "clamp") return std::min(std::max(x, y), z);
  if (name == "mad_hi") return static_cast<T>(static_cast<Bits>(high_half(x, y)) + static_cast<Bits>(z));
  if (name == "mad_sat") {
    if constexpr (sizeof(T) < 8) return clamped<T>(a * b + c);
    if constexpr (std::is_signed_v<T>) {
      Wide sum = 0;
      return __builtin_add_overflow(a * b, c, &sum) ? T(0) : clamped<T>(sum);
    }
    const auto product = static_cast<unsigned __int128>(x) * y;
    return product > std::numeric_limits<Bits>::max() - static_cast<unsigned __int128>(z)
               ? std::numeric_limits<T>::max()
               : static_cast<T>(product + z);
  }
  return static_cast<T>((static_cast<Bits>(x) & ~static_cast<Bits>(z)) | (static_cast<Bits>(y) & static_cast<Bits>(z)));
}

template <class T>
void check_integers() {
  std::vector<T> x = values<T>(3), y = x, z = x;
  std::shuffle(y.begin(), y.end(), std::mt19937_64(4));
  std::shuffle(z.begin(), z.end(), std::mt19937_64(5));
  const std::string one[] = {"abs", "clz", "ctz", "popcount"}, three[] = {"clamp", "mad_hi", "mad_sat", "bitselect"};
  const std::string two[] = {"abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "max", "min", "mul_hi", "rotate"};
  const auto compare = [&](const std::string& name, auto&& call) {
    const std::string symbol = name + "_" + kShort<T>;
    void* found = dlsym(library, symbol.c_str());
    if (found == nullptr) return report(symbol, 1, "not there");
    std::vector<T> results(x.size());
    call(found, results);
    std::size_t wrong = 0;
    std::string example;
    for (std::size_t index = 0; index < x.size(); ++index) {
      if (name == "clamp" && y[index] > z[index]) continue;  // undefined
      const T right = integer_result(name, x[index], y[index], z[index]);
      if (results[index] == right) continue;
      if (wrong++ == 0)
        example = std::to_string(x[index]) + ", " + std::to_string(y[index]) + ", " + std::to_string(z[index]) +
                  " give " + std::to_string(results[index]) + ", should be " + std::to_string(right);
    }
    report(symbol, wrong, example);
  };
  for (const std::string& name : one)
    compare(name, [&](void* found, std::vector<T>& results) {
      reinterpret_cast<void (*)(const T*, T*, std::uint64_t)>(found)(x.data(), results.data(), x.size());
    });
  for (const std::string& name : two)
    compare(name, [&](void* found, std::vector<T>& results) {
      reinterpret_cast<void (*)(const T*, const T*, T*, std::uint64_t)>(found)(x.data(), y.data(), results.data(),
                                                                               x.size());
    });
  for (const std::string& name : three)
    compare(name, [&](void* found, std::vector<T>& results) {
      reinterpret_cast<void (*)(const T*, const T*, const T*, T*, std::uint64_t)>(found)(x.data(), y.data(), z.data(),
                                                                                         results.data(), x.size());
    });
}

int run() {
  conversions(Types{});
  for (const char* rounding : {"", "_rte", "_rtz", "_rtp", "_rtn"}) {
    check_half<float>(rounding);
    check_half<double>(rounding);
  }
  check_from_half();
  check_integers<std::int8_t>();
  check_integers<std::uint8_t>();
  check_integers<std::int16_t>();
  check_integers<std::uint16_t>();
  check_integers<std::int32_t>();
  check_integers<std::uint32_t>();
  check_integers<std::int64_t>();
  check_integers<std::uint64_t>();
  std::printf("%d functions checked, %d wrong\n", checked, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  library = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", count == 2 ? dlerror() : "usage: exact_check LIBRARY");
    return 1;
  }
  return run();
}

}  // namespace skmd::test

int main(int count, char** words) { return skmd::test::main(count, words); }
