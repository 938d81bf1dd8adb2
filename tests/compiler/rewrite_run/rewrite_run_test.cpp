// SPDX-License-Identifier: Apache-2.0
// The partition-ready text, launched in boxes, must leave what the original leaves when it is launched whole.
#include <gtest/gtest.h>

#include <memory>

#include "boxes.h"

namespace skmd::compiler::test {
namespace {

const char* const kAllQueries = R"(
size_t slot(void) {
  return (get_global_id(2) - get_global_offset(2)) * get_global_size(1) * get_global_size(0) +
         (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
}
kernel void k(global ulong* out) {
  ulong hash = get_work_dim();
  for (uint d = 0; d < 3; ++d) {
    hash = hash * 1000003 + get_group_id(d);
    hash = hash * 1000003 + get_num_groups(d);
    hash = hash * 1000003 + get_global_size(d);
    hash = hash * 1000003 + get_global_offset(d);
    hash = hash * 1000003 + get_global_id(d);
    hash = hash * 1000003 + get_local_id(d);
    hash = hash * 1000003 + get_local_size(d);
  }
  out[slot()] = hash;
}
)";

const char* const kGroupSums = R"(
#define GROUP ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))
int flat(void);
size_t base(uint d) { return get_group_id(d) * get_local_size(d); }
int flat(void) { return (int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0)); }
kernel void inner(global ulong* out, ulong value) { out[GROUP] = value + base(0) + 1000 * base(1); }
kernel __attribute__((vec_type_hint(ulong))) void k(global ulong* out) {
  local ulong sum[64];
  int get_global_size = flat();
  sum[get_global_size] = get_global_id(0) * 7 + get_global_id(1);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_global_size == 0) {
    ulong total = 0;
    for (int i = 0; i < (int)(get_local_size(0) * get_local_size(1) * get_local_size(2)); ++i) total += sum[i];
    inner(out, total * get_num_groups(0));
  }
}
)";

const char* const kStride = R"(
kernel void k(global ulong* out) {
  size_t n = 3 * get_global_size(0) * get_global_size(1) * get_global_size(2);
  for (size_t i = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) * get_global_size(0)
                  + get_global_id(0) - get_global_offset(0); i < n; i += n / 3)
    out[i] = i * get_num_groups(0) + get_group_id(0);
}
)";

const char* const kLinear = R"(
kernel void k(global ulong* out) {
  out[get_global_linear_id()] = get_global_linear_id() * 31 + get_enqueued_local_size(0) + 7 * get_enqueued_local_size(2) + get_group_id(0);
}
)";

struct Program {
  const char* name;
  const char* source;
  const char* options;
  std::size_t words_per_item;
};

class RewrittenBoxes : public testing::TestWithParam<Program> {
 protected:
  static void SetUpTestSuite() { device_ = std::make_unique<Device>(); }
  static void TearDownTestSuite() { device_.reset(); }

  static std::unique_ptr<Device> device_;
};
std::unique_ptr<Device> RewrittenBoxes::device_;

CompileAnswer compiled(const Program& program) {
  ClientOptions options;
  options.helper = SKMD_COMPILE;
  CompileRequest request;
  request.source = program.source;
  request.options = program.options;
  return Client(options).compile(request);
}

TEST_P(RewrittenBoxes, LeaveWhatTheWholeLaunchLeaves) {
  ASSERT_TRUE(device_->found()) << "no PoCL device";
  const Program& program = GetParam();
  const CompileAnswer answer = compiled(program);
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  ASSERT_TRUE(answer.kernels.back().hidden_record);
  const Range ranges[] = {{1, {0, 0, 0}, {40, 1, 1}, {8, 1, 1}},  {1, {100, 0, 0}, {21, 1, 1}, {3, 1, 1}},
                          {2, {0, 0, 0}, {12, 10, 1}, {4, 2, 1}}, {2, {5, 9, 0}, {9, 8, 1}, {3, 4, 1}},
                          {3, {0, 0, 0}, {6, 4, 6}, {2, 2, 3}},   {3, {7, 1, 30}, {8, 3, 4}, {4, 1, 2}}};
  unsigned seed = 1;
  for (const Range& range : ranges) {
    const std::size_t size = range.global[0] * range.global[1] * range.global[2] * program.words_per_item;
    const auto whole = device_->run_whole(program.source, program.options, "k", range, size);
    ASSERT_EQ(whole.size(), size);
    EXPECT_NE(whole[0], ~std::uint64_t{0}) << "the launch wrote nothing";
    const auto boxes = random_boxes(range, seed++);
    EXPECT_GT(boxes.size(), 1u);
    EXPECT_EQ(device_->run_boxes(answer.text, answer.vendor_options, "k", range, size, boxes), whole)
        << range.dimensions << " dimensions, seed " << seed;
  }
}

// PoCL 3.1 itself answers 0 to all of these; the specification's defaults are 0, 1, 1, 0.
TEST(RewrittenQueries, BeyondTheThirdDimensionGiveTheDefaults) {
  const char* const source = R"(
kernel void k(global ulong* out) {
  for (uint d = 3; d < 5; ++d) {
    out[4 * (d - 3)] = get_group_id(d);
    out[4 * (d - 3) + 1] = get_num_groups(d);
    out[4 * (d - 3) + 2] = get_global_size(d);
    out[4 * (d - 3) + 3] = get_global_offset(d);
  }
}
)";
  Device device;
  ASSERT_TRUE(device.found()) << "no PoCL device";
  const CompileAnswer answer = compiled({"beyond", source, "", 1});
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  const Range range{3, {5, 5, 5}, {4, 4, 4}, {2, 2, 2}};
  EXPECT_EQ(device.run_boxes(answer.text, answer.vendor_options, "k", range, 8, {{{1, 1, 1}, {1, 1, 1}}}),
            (std::vector<std::uint64_t>{0, 1, 1, 0, 0, 1, 1, 0}));
}

INSTANTIATE_TEST_SUITE_P(Programs, RewrittenBoxes,
                         testing::Values(Program{"all_queries", kAllQueries, "", 1},
                                         Program{"group_sums", kGroupSums, "", 1},
                                         Program{"grid_stride", kStride, "", 3},
                                         Program{"linear_id", kLinear, "-cl-std=CL3.0", 1},
                                         Program{"all_queries_unoptimised", kAllQueries, "-cl-opt-disable", 1}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace skmd::compiler::test
