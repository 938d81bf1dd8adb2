// SPDX-License-Identifier: Apache-2.0
// What skmd-compile says a work-group of the workloads does, against counts made by hand from their source.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <fstream>
#include <sstream>

#include "compiler/client/client.h"
#include "partitioner/model/group_work.h"

namespace bench::test {
namespace {

using skmd::domain::ArgumentView;
using skmd::domain::GroupWork;
using skmd::domain::KernelTraits;
using skmd::domain::NdRange;

/// The arguments of one launch, in order.
class Arguments {
 public:
  Arguments& buffer() {
    views_.push_back({true, std::uint64_t{1} << 30, {}});
    return *this;
  }
  Arguments& local() {
    views_.push_back({});
    return *this;
  }
  template <class T>
  Arguments& value(T number) {
    std::vector<std::byte>& bytes = bytes_.emplace_back(sizeof number);
    std::memcpy(bytes.data(), &number, sizeof number);
    views_.push_back({false, 0, bytes});
    return *this;
  }
  [[nodiscard]] const std::vector<ArgumentView>& views() const { return views_; }

 private:
  std::deque<std::vector<std::byte>> bytes_;  // stay where they are
  std::vector<ArgumentView> views_;
};

NdRange line(std::uint64_t global, std::uint64_t local) { return {1, {0, 0, 0}, {global, 1, 1}, {local, 1, 1}}; }
NdRange square(std::uint64_t width, std::uint64_t height, std::uint64_t x, std::uint64_t y) {
  return {2, {0, 0, 0}, {width, height, 1}, {x, y, 1}};
}

KernelTraits traits_of(const std::string& name, std::size_t kernel = 0) {
  std::ostringstream text;
  text << std::ifstream(SKMD_TEST_KERNELS "/" + name + ".cl").rdbuf();
  skmd::compiler::CompileRequest request;
  request.source = text.str();
  const skmd::compiler::Client client({SKMD_TEST_HELPER, "", {}});
  const skmd::compiler::CompileAnswer answer = client.compile(request);
  EXPECT_EQ(answer.outcome, skmd::compiler::Outcome::analysed) << answer.log << answer.reason;
  return answer.kernels.size() > kernel ? answer.kernels[kernel] : KernelTraits{};
}

GroupWork work_of(const KernelTraits& traits, const NdRange& range, const Arguments& arguments) {
  EXPECT_EQ(arguments.views().size(), traits.parameters.size());
  if (arguments.views().size() != traits.parameters.size()) return {};
  return group_work(traits, range, arguments.views());
}

TEST(Work, NbodyLooksAtEveryBody) {
  const KernelTraits traits = traits_of("nbody");
  const auto of = [&](int bodies, std::uint64_t size) {
    Arguments arguments;
    arguments.buffer().buffer().buffer().buffer().value(bodies).value(0.01f).value(1e-3f).local();
    const GroupWork work = work_of(traits, line(static_cast<std::uint64_t>(bodies), size), arguments);
    EXPECT_FALSE(work.data_decides);
    return work;
  };
  // Of a pair: 4 loads, 3 differences, 4 for the squared distance, 8 for rsqrt, 3 products, 3 sums, 3 for the loop. Of
  // a tile: load and store of 4 each, an index, 2 barriers, 3 for the loop, 1 to enter the inner one.
  for (const std::uint64_t size : {64, 256}) {
    const double tiles = 4096.0 / static_cast<double>(size);
    const double more = of(8192, size).operations - of(4096, size).operations;
    EXPECT_DOUBLE_EQ(more, static_cast<double>(size) * (28 * 4096 + 15 * tiles));
    EXPECT_NEAR(of(8192, size).operations / of(4096, size).operations, 2, 0.01);
    // What an item moves: its own position and velocity, both ways, and one body of each tile.
    EXPECT_DOUBLE_EQ(of(4096, size).bytes, static_cast<double>(size) * 16 * (4 + tiles));
  }
}

TEST(Work, MatrixMultiplicationGoesAlongARowAndAColumn) {
  const KernelTraits traits = traits_of("matrix_multiplication");
  const auto of = [&](int n) {
    Arguments arguments;
    arguments.buffer().buffer().buffer().value(n);
    const auto half = static_cast<std::uint64_t>(n) / 2;
    return work_of(traits, square(half, half, 16, 16), arguments);
  };
  // In a tile, 32 times: 4 loads, 4 products that are added up, 3 for the loop.
  const double more = of(2048).operations - of(1024).operations;
  EXPECT_GE(more, 256.0 * 1024 * 11);
  EXPECT_LE(more, 256.0 * 1024 * 13);
  EXPECT_DOUBLE_EQ(of(4096).operations - of(2048).operations, 2 * more);
  // 8 numbers for each tile of 32, and 4 results.
  EXPECT_DOUBLE_EQ(of(1024).bytes, 256 * 4.0 * (8 * 32 + 4));
}

TEST(Work, BinomialOptionWalksTheTreeBack) {
  const KernelTraits traits = traits_of("binomial_option");
  const auto of = [&](int steps) {
    Arguments arguments;
    arguments.buffer().buffer().value(steps).value(0.02f).value(0.3f).local().local();
    const auto items = static_cast<std::uint64_t>(steps) + 1;
    return work_of(traits, line(100 * items, items), arguments);
  };
  // Items times levels: quadratic in the number of steps, with a step of the tree's four options at each half level.
  const auto item = [&](int steps) { return of(steps).operations / (steps + 1); };
  EXPECT_NEAR(item(2048) - item(1024), 2 * (item(1024) - item(512)), 1);  // the last write is one item's: 8 / items
  EXPECT_GE(item(1024) - item(512), 256 * 2 * 4 * 3);  // at least two loads, a product with a sum, a store, of 4 each
  EXPECT_LE(item(1024) - item(512), 256 * 2 * 4 * 8);
  EXPECT_DOUBLE_EQ(of(512).bytes, 513 * 16 + 16);  // all read the sample, one writes
}

TEST(Work, ReductionAddsPairsThenHalves) {
  const KernelTraits traits = traits_of("reduction");
  const auto of = [&](int pairs, std::uint64_t size) {
    Arguments arguments;
    arguments.buffer().buffer().value(pairs).local();
    return work_of(traits, line(64 * size, size), arguments);
  };
  const double pair = (of(17, 256).operations - of(16, 256).operations) / 256;
  EXPECT_GE(pair, 7);  // 2 loads, 2 sums, 3 for the loop, and indices
  EXPECT_LE(pair, 16);
  EXPECT_DOUBLE_EQ(of(1016, 256).operations - of(16, 256).operations, 1000 * 256 * pair);
  EXPECT_DOUBLE_EQ(of(16, 256).bytes, 256 * 16 * 8 + 4);
  // From 64 to 128 items there is one more halving, for all items: a condition, a barrier, and 4 for the loop. Two
  // loads, two sums and a store are done by n - 1 items in all halvings together, as many as there are in the mean. 2
  // operations are the first item's alone.
  const auto item = [&](std::uint64_t size) { return (of(16, size).operations - 2) / static_cast<double>(size); };
  const double halving = item(128) - item(64);
  EXPECT_GE(halving, 5);
  EXPECT_LE(halving, 7);
  EXPECT_NEAR(item(1024) - item(64), 4 * halving, 1e-9);
}

TEST(Work, BlackScholesAndSobelDoTheSameForEveryItem) {
  const KernelTraits options = traits_of("black_scholes");
  const auto of_options = [&](std::uint64_t items) {
    Arguments arguments;
    arguments.buffer().buffer().buffer().buffer().buffer().value(0.02f).value(0.3f);
    return work_of(options, line(items, 64), arguments);
  };
  EXPECT_DOUBLE_EQ(of_options(1 << 12).operations, of_options(1 << 20).operations);
  EXPECT_DOUBLE_EQ(of_options(1 << 12).bytes, 64 * 5 * 16);
  // Four options each: 2 x 4 of exp, log, sqrt, and divisions at 8, and some 45 simple ones.
  EXPECT_GE(of_options(1 << 12).operations, 64 * 4 * 70);
  EXPECT_LE(of_options(1 << 12).operations, 64 * 4 * 150);

  const KernelTraits sobel = traits_of("sobel_filter");
  const auto of_image = [&](int width, int height) {
    Arguments arguments;
    arguments.buffer().buffer().value(width).value(height);
    const auto x = static_cast<std::uint64_t>(width), y = static_cast<std::uint64_t>(height);
    return work_of(sobel, square(x, y, 16, 4), arguments);
  };
  EXPECT_DOUBLE_EQ(of_image(480, 272).operations, of_image(7680, 4320).operations);
  EXPECT_GE(of_image(480, 272).operations, 64 * 4 * 25);
  EXPECT_LE(of_image(480, 272).operations, 64 * 4 * 80);
}

TEST(Work, NumbersOfGeneratorsCountThoughNoMemoryIsRead) {
  const KernelTraits twister = traits_of("mersenne_twister");
  const auto of = [&](int per_item) {
    Arguments arguments;
    arguments.buffer().buffer().value(1 << 16).value(per_item);
    return work_of(twister, line(1 << 16, 64), arguments);
  };
  const double number = (of(2).operations - of(1).operations) / 64;
  EXPECT_GE(number, 20);
  EXPECT_LE(number, 60);
  EXPECT_DOUBLE_EQ(of(1001).operations - of(1).operations, 1000 * 64 * number);
}

TEST(Work, DataDecidesHowLongAnEscapeTakes) {
  const KernelTraits traits = traits_of("mandelbrot");
  EXPECT_NE(traits.facts & skmd::domain::kFactDataDecidesWork, 0u);
  const auto of = [&](int limit) {
    Arguments arguments;
    arguments.buffer().value(1024).value(-2.0f).value(-1.25f).value(0.002f).value(limit);
    return work_of(traits, square(1024, 1024, 16, 16), arguments);
  };
  EXPECT_TRUE(of(256).data_decides);
  // The limit: two squares, their sum and difference, two more sums, two products, the steps and the conditions.
  const double step = (of(512).operations - of(256).operations) / (256 * 256);
  EXPECT_GE(step, 10);
  EXPECT_LE(step, 15);
  EXPECT_NEAR(of(1024).operations / of(512).operations, 2, 0.02);
  EXPECT_NE(traits_of("ray_march").facts & skmd::domain::kFactDataDecidesWork, 0u);
  EXPECT_NE(traits_of("bfs_level").facts & skmd::domain::kFactDataDecidesWork, 0u);
  EXPECT_NE(traits_of("quadrature").facts & skmd::domain::kFactDataDecidesWork, 0u);
  EXPECT_NE(traits_of("spmv").facts & skmd::domain::kFactDataDecidesWork, 0u);
}

}  // namespace
}  // namespace bench::test
