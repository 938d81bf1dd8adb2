// SPDX-License-Identifier: Apache-2.0
#include "bench/start/fft_text.h"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

namespace bench {
namespace {

using Names = std::vector<std::string>;

std::string literal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9ef", value);
  return text;
}

std::string number(std::size_t value) { return std::to_string(value); }

/// cos and sin of `part` / `whole` of a turn, in the transform's direction.
std::string turn(double sign, double part, double whole) {
  const double angle = sign * 2 * std::numbers::pi * part / whole;
  return literal(std::cos(angle)) + ", " + literal(std::sin(angle));
}

/// Writes the kernel of one pass, a statement to a line and no loop in it.
class PassText {
 public:
  PassText(const FftPlan& plan, std::size_t k, bool inverse)
      : pass_(plan.passes[k]),
        length_(plan.length()),
        last_(k + 1 == plan.passes.size()),
        inverse_(inverse),
        sign_(inverse ? 1 : -1) {
    for (std::size_t i = 0; i < k; ++i) before_ *= plan.passes[i].radix();
    name_ = fft_kernel_name(inverse, k);
  }

  std::string kernel() {
    head();
    load();
    const Names transformed = transform(names(0, pass_.first, 1));
    exchange(transformed);
    const std::size_t columns = pass_.first / pass_.second;
    for (std::size_t v = 0; v < columns; ++v) {
      store(v, transform(names(v * pass_.second, pass_.second, 1)));
    }
    line("}\n");
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  static Names names(std::size_t from, std::size_t count, std::size_t step) {
    Names result;
    for (std::size_t i = 0; i < count; ++i) result.push_back("a" + number(from + i * step));
    return result;
  }

  void head() {
    line("__kernel __attribute__((reqd_work_group_size(" + number(kFftColumns * pass_.second) + ", 1, 1))) void " +
         name_ + "(__global const float2* in, __global float2* out) {");
    line("  __local float2 shared[" + number(kFftColumns * pass_.radix()) + "];");
    line("  const uint l = get_local_id(0);");
    line("  const uint column = l % " + number(kFftColumns) + "u, t = l / " + number(kFftColumns) + "u;");
    line("  const uint j = get_group_id(0) * " + number(kFftColumns) + "u + column;");
    line("  const uint k = j % " + number(before_) + "u;");
    for (std::size_t i = 0; i < pass_.first; ++i) line("  float2 a" + number(i) + ";");
    line("  float c, s;");
  }

  /// Item t has every `second`th number of its column; each is turned by what the passes before have left.
  void load() {
    const std::size_t stride = length_ / pass_.radix();
    for (std::size_t m = 0; m < pass_.first; ++m) {
      const std::string row = "(t + " + number(m * pass_.second) + "u)";
      const std::string name = "a" + number(m);
      line("  " + name + " = in[j + " + row + " * " + number(stride) + "u];");
      if (before_ == 1) continue;
      const double step = sign_ * 2 * std::numbers::pi / static_cast<double>(before_ * pass_.radix());
      turn_by_angle(name, literal(step) + " * (float)(k * " + row + ")");
    }
  }

  void turn_by_angle(const std::string& name, const std::string& angle) {
    line("  s = sincos(" + angle + ", &c);");
    line("  " + name + " = (float2)(" + name + ".x * c - " + name + ".y * s, " + name + ".x * s + " + name +
         ".y * c);");
  }

  /// Decimation in frequency down to single numbers; the names come back in the order of the results.
  Names transform(const Names& in) {
    if (in.size() == 1) return in;
    const std::size_t half = in.size() / 2;
    for (std::size_t i = 0; i < half; ++i) butterfly(in[i], in[i + half], i, in.size());
    const Names even = transform({in.begin(), in.begin() + static_cast<std::ptrdiff_t>(half)});
    const Names odd = transform({in.begin() + static_cast<std::ptrdiff_t>(half), in.end()});
    Names result;
    for (std::size_t i = 0; i < half; ++i) {
      result.push_back(even[i]);
      result.push_back(odd[i]);
    }
    return result;
  }

  void butterfly(const std::string& a, const std::string& b, std::size_t part, std::size_t whole) {
    const std::string d = "d" + number(temporaries_++);
    line("  const float2 " + d + " = " + a + " - " + b + ";");
    line("  " + a + " += " + b + ";");
    if (part == 0) {
      line("  " + b + " = " + d + ";");
    } else if (part * 4 == whole) {
      line("  " + b + " = (float2)(" + (inverse_ ? "-" + d + ".y, " + d + ".x" : d + ".y, -" + d + ".x") + ");");
    } else {
      line("  " + b + " = turned(" + d + ", " + turn(sign_, static_cast<double>(part), static_cast<double>(whole)) +
           ");");
    }
  }

  /// After that item t has the second transform's numbers of the results t, t + second, … of the first.
  void exchange(const Names& results) {
    const std::string place = " * " + number(kFftColumns) + "u + column]";
    for (std::size_t q = 0; q < pass_.first; ++q) {
      const double step = sign_ * 2 * std::numbers::pi * static_cast<double>(q) / static_cast<double>(pass_.radix());
      if (q != 0) turn_by_angle(results[q], literal(step) + " * (float)t");
      line("  shared[(" + number(q * pass_.second) + "u + t)" + place + " = " + results[q] + ";");
    }
    line("  barrier(CLK_LOCAL_MEM_FENCE);");
    for (std::size_t i = 0; i < pass_.first; ++i) {
      const std::size_t v = i / pass_.second, from = i % pass_.second;
      line("  a" + number(i) + " = shared[((t + " + number(v * pass_.second) + "u) * " + number(pass_.second) + "u + " +
           number(from) + "u)" + place + ";");
    }
  }

  void store(std::size_t v, const Names& results) {
    const std::string scale = inverse_ && last_ ? " * " + literal(1 / static_cast<double>(length_)) : "";
    for (std::size_t q = 0; q < pass_.second; ++q) {
      const std::string row = "(t + " + number(v * pass_.second + q * pass_.first) + "u)";
      line("  out[(j - k) * " + number(pass_.radix()) + "u + k + " + row + " * " + number(before_) +
           "u] = " + results[q] + scale + ";");
    }
  }

  FftPass pass_;
  std::size_t length_, before_ = 1;
  bool last_, inverse_;
  double sign_;
  std::string name_, text_;
  std::size_t temporaries_ = 0;
};

}  // namespace

std::size_t FftPlan::length() const {
  std::size_t result = 1;
  for (const FftPass& pass : passes) result *= pass.radix();
  return result;
}

std::string fft_kernel_name(bool inverse, std::size_t k) {
  return (inverse ? "inverse_" : "forward_") + std::to_string(k);
}

std::string fft_text(const FftPlan& plan) {
  std::string text =
      "float2 turned(float2 a, float c, float s) { return (float2)(a.x * c - a.y * s, a.x * s + a.y * c); }\n";
  for (const bool inverse : {false, true}) {
    for (std::size_t k = 0; k < plan.passes.size(); ++k) text += PassText(plan, k, inverse).kernel();
  }
  return text;
}

}  // namespace bench
