// SPDX-License-Identifier: Apache-2.0
// For tests of merge functions: a kernel's, compiled and run on host memory in both ways.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cpu-driver/runtime/merge_run.h"
#include "tests/cpu-driver/runtime/kernel_code.h"

namespace skmd::cpu::test {

/// As a function alone, which copies at each store, and as it is run: marks first.
enum class MergeWay { alone, marked };

inline constexpr MergeWay kMergeWays[] = {MergeWay::alone, MergeWay::marked};
inline std::string name_of(const testing::TestParamInfo<MergeWay>& way) {
  return way.param == MergeWay::alone ? "Alone" : "Marked";
}

/// The merge function of a kernel, run over some of the launch's groups.
class Merging : public testing::TestWithParam<MergeWay> {
 protected:
  /// The kernel `k` in `source`.
  bool compile(const std::string& source) {
    auto loaded = SpanLibrary::load(span_code_of(source), "");
    EXPECT_TRUE(loaded.ok()) << loaded.error().reason;
    if (!loaded) return false;
    library_ = std::move(*loaded);
    k_ = library_->merge_function("k");
    return k_.run != nullptr && k_.units != nullptr;
  }
  void replay(SpanFrame frame, std::span<const SpanArgument> arguments, std::uint64_t first, std::uint64_t last) {
    frame.arguments = arguments.data();
    if (GetParam() == MergeWay::alone)
      k_.run(&frame, first, last);
    else
      run_merge(pool_, k_, frame, arguments.size(), first, last);
  }
  std::unique_ptr<SpanLibrary> library_;
  MergeFunction k_;
  Pool pool_{3};
};

/// Bytes of `out` after storing what `result` holds at the places that `stores` names.
struct Bytes {
  explicit Bytes(std::size_t size) : out(size, 0xAA), result(size), expected(out) {
    for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  }
  void stored(std::size_t place, std::size_t size) {
    std::copy_n(result.begin() + static_cast<std::ptrdiff_t>(place), size,
                expected.begin() + static_cast<std::ptrdiff_t>(place));
  }
  std::vector<std::uint8_t> out, result, expected;
};

}  // namespace skmd::cpu::test
