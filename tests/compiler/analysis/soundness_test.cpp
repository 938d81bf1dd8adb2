// SPDX-License-Identifier: Apache-2.0
// Footprints of analysed kernels against what the kernels do: every write of every work-item of a span lies inside the
// span's footprint, every byte of must_write is written by it, and what lies outside its reads does not matter to it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "compiler/client/client.h"
#include "partitioner/footprint/footprint.h"
#include "tests/compiler/analysis/generate.h"

namespace skmd::test {

namespace {

constexpr std::uint64_t kPrograms = 24;
constexpr std::uint64_t kKernelsPerProgram = 30;
constexpr int kLaunchesPerKernel = 4;
constexpr int kSpansPerLaunch = 3;

using Bytes = std::bitset<kBytes>;

Bytes bytes_of(const domain::RangeSet& set) {
  Bytes result;
  for (const domain::ByteRange& range : set.ranges()) {
    for (std::uint64_t byte = range.begin; byte < range.end && byte < kBytes; ++byte) result.set(byte);
  }
  return result;
}

template <class T>
std::span<const std::byte> raw(const T& value) {
  return std::as_bytes(std::span<const T>(&value, 1));
}

class Checker {
 public:
  explicit Checker(std::uint64_t seed) : random_(seed) {}

  void check(const Kernel& kernel, const domain::KernelTraits& traits) {
    for (int launch = 0; launch < kLaunchesPerKernel; ++launch) {
      const domain::NdRange range = any_range();
      Arguments arguments = any_arguments();
      std::vector<Touched> touched;
      if (!run(kernel, range, {0, range.group_total()}, arguments, touched)) continue;
      ++launches_;
      for (int i = 0; i < kSpansPerLaunch; ++i)
        check_span(kernel, traits, range, arguments, touched, any_span(touched.size()));
    }
  }

  std::size_t launches_ = 0, rereads_ = 0, sure_bytes_ = 0, written_bytes_ = 0, may_bytes_ = 0;

 private:
  std::uint64_t pick(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }

  domain::NdRange any_range() {
    domain::NdRange range;
    range.work_dim = static_cast<std::uint32_t>(pick(1, 2));
    for (std::uint32_t d = 0; d < range.work_dim; ++d) {
      range.local[d] = pick(1, 4);
      range.global[d] = range.local[d] * pick(1, d == 0 ? 6 : 3);
      range.offset[d] = pick(0, 3) == 0 ? pick(0, 9) : 0;
    }
    return range;
  }

  Arguments any_arguments() {
    Arguments arguments;
    arguments.a.resize(kElements);
    for (std::int32_t& value : arguments.a) value = static_cast<std::int32_t>(pick(0, 40));
    arguments.n = static_cast<std::int32_t>(pick(0, 9)) - (pick(0, 4) == 0 ? 8 : 0);
    arguments.m = static_cast<std::uint32_t>(pick(0, 20));
    arguments.w = static_cast<std::int64_t>(pick(0, 30)) - (pick(0, 4) == 0 ? 15 : 0);
    return arguments;
  }

  domain::GroupSpan any_span(std::size_t groups) {
    const std::uint64_t first = pick(0, groups - 1);
    return {first, pick(first + 1, groups)};
  }

  void check_span(const Kernel& kernel, const domain::KernelTraits& traits, const domain::NdRange& range,
                  const Arguments& arguments, const std::vector<Touched>& touched, const domain::GroupSpan& span) {
    Touched all;
    for (std::uint64_t group = span.first; group < span.last; ++group) {
      all.written_c |= touched[group].written_c;
      all.written_d |= touched[group].written_d;
    }
    const std::vector<domain::ArgumentView> views = {{true, kBytes, {}},           {true, kBytes, {}},
                                                     {true, kBytes, {}},           {false, 0, raw(arguments.n)},
                                                     {false, 0, raw(arguments.m)}, {false, 0, raw(arguments.w)}};
    const auto footprints = domain::evaluate(traits, range, span, views);
    ASSERT_EQ(footprints.size(), 6u);
    SCOPED_TRACE(print(kernel) + describe(range, arguments, span));
    expect_reads(kernel, range, arguments, touched, span, bytes_of(footprints[0].reads));
    expect_writes(footprints[1], all.written_c, "c");
    expect_writes(footprints[2], all.written_d, "d");
    EXPECT_TRUE(footprints[0].may_write.empty());
  }

  // A load whose value reaches nothing may be missing from the footprint, so reads are judged by their consequences.
  void expect_reads(const Kernel& kernel, const domain::NdRange& range, const Arguments& arguments,
                    const std::vector<Touched>& touched, const domain::GroupSpan& span, const Bytes& reads) {
    Arguments other = arguments;
    for (std::size_t i = 0; i < kElements; ++i) {
      if (!reads.test(4 * i)) other.a[i] = static_cast<std::int32_t>(pick(0, 40));
    }
    std::vector<Touched> again;
    if (!run(kernel, range, span, other, again)) return;
    ++rereads_;
    for (std::uint64_t group = span.first; group < span.last; ++group) {
      const Touched& before = touched[group];
      const Touched& after = again[group - span.first];
      EXPECT_EQ(before.c, after.c) << "values from outside its footprint of a reach group " << group;
      EXPECT_EQ(before.written_c, after.written_c);
      EXPECT_EQ(before.written_d, after.written_d);
    }
  }

  void expect_writes(const domain::Footprint& footprint, const Bytes& written, const char* name) {
    const Bytes may = bytes_of(footprint.may_write);
    const Bytes must = bytes_of(footprint.must_write);
    EXPECT_TRUE((written & ~may).none()) << name << " is written outside its footprint";
    EXPECT_TRUE((must & ~written).none()) << name << " has bytes that were promised and not written";
    sure_bytes_ += must.count();
    written_bytes_ += written.count();
    may_bytes_ += may.count();
  }

  static std::string describe(const domain::NdRange& range, const Arguments& arguments, const domain::GroupSpan& span) {
    std::string text = "global";
    for (std::uint32_t d = 0; d < range.work_dim; ++d) {
      text += " " + std::to_string(range.offset[d]) + "+" + std::to_string(range.global[d]) + "/" +
              std::to_string(range.local[d]);
    }
    return text + " n=" + std::to_string(arguments.n) + " m=" + std::to_string(arguments.m) +
           " w=" + std::to_string(arguments.w) + " groups " + std::to_string(span.first) + " to " +
           std::to_string(span.last);
  }

  std::mt19937_64 random_;
};

}  // namespace

// SKMD_TEST_PROGRAMS and SKMD_TEST_SEED widen the search by hand.
TEST(AnalysisSoundness, EveryAccessLiesInsideItsFootprint) {
  const char* count = std::getenv("SKMD_TEST_PROGRAMS");
  const char* seed = std::getenv("SKMD_TEST_SEED");
  const std::uint64_t programs = count == nullptr ? kPrograms : std::strtoull(count, nullptr, 10);
  const std::uint64_t base = seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10);
  const compiler::Client client({SKMD_TEST_HELPER, "", {}});
  Checker checker(base);
  for (std::uint64_t program = 0; program < programs; ++program) {
    std::vector<Kernel> kernels;
    compiler::CompileRequest request;
    for (std::uint64_t i = 0; i < kKernelsPerProgram; ++i) {
      kernels.push_back(generate(base * 1'000'003 + program * kKernelsPerProgram + i, "k" + std::to_string(i)));
      request.source += print(kernels.back());
    }
    const compiler::CompileAnswer answer = client.compile(request);
    ASSERT_EQ(answer.outcome, compiler::Outcome::analysed) << answer.log << answer.reason << request.source;
    ASSERT_EQ(answer.kernels.size(), kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) checker.check(kernels[i], answer.kernels[i]);
    if (HasFailure()) return;
  }
  RecordProperty("launches", static_cast<int>(checker.launches_));
  std::printf("%zu launches; of %zu bytes written %zu were promised, %zu allowed\n", checker.launches_,
              checker.written_bytes_, checker.sure_bytes_, checker.may_bytes_);
  // Enough launches are defined, and enough is known of them, for the property to mean something.
  EXPECT_GT(checker.launches_, programs * kKernelsPerProgram);
  EXPECT_GT(checker.rereads_, checker.launches_);
  EXPECT_GT(checker.sure_bytes_, checker.written_bytes_ / 20);
}

}  // namespace skmd::test
