// SPDX-License-Identifier: Apache-2.0
// The adapter against a real driver: PoCL's threaded and its single-threaded device, in place and with memory of their
// own.
#include <atomic>
#include <set>
#include <thread>

#include "tests/intercept/backend/device_fixture.h"

namespace skmd::icd {
namespace {

constexpr const char* kAxpy =
    "kernel void axpy(global float* y, global const float* x, float a) {"
    "  size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }";

class PoclDevice : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { setenv("POCL_DEVICES", "pthread basic", 1); }
  void SetUp() override {
    auto found = discover({.vendors_folder = "/etc/OpenCL/vendors", .selectors = GetParam(), .own_library = ""});
    ASSERT_TRUE(found) << found.error().reason;
    ASSERT_EQ(found->devices.size(), 1u);
    device_ = found->devices.front();
  }
  /// A buffer over `host`: in place where the device shares memory, else a native one that holds a copy.
  std::shared_ptr<NativeMemory> buffer(std::vector<float>& host) {
    const std::uint64_t bytes = host.size() * sizeof(float);
    const bool own = device_->description().discrete;
    auto memory = device_->allocate(bytes, own ? nullptr : bytes_at(host.data()));
    EXPECT_TRUE(memory) << (memory ? "" : memory.error().reason);
    if (own) {
      EXPECT_EQ(run_batch(*device_, {WriteOp{*memory, bytes_at(host.data()), plain_rows(0, bytes)}}).status,
                CL_SUCCESS);
    }
    return *memory;
  }
  void fetch(const std::shared_ptr<NativeMemory>& memory, std::vector<float>& host) {
    if (!device_->description().discrete) return;
    const auto rows = plain_rows(0, host.size() * sizeof(float));
    EXPECT_EQ(run_batch(*device_, {ReadOp{memory, bytes_at(host.data()), rows}}).status, CL_SUCCESS);
  }
  std::shared_ptr<Device> device_;
};

TEST_P(PoclDevice, KnowsHowItsDriverRunsWork) {
  const std::string selector = GetParam();
  const DeviceDescription& d = device_->description();
  EXPECT_EQ(d.blocking, selector.find("basic") != std::string::npos);
  EXPECT_EQ(d.discrete, selector.find("@discrete") != std::string::npos);
  EXPECT_EQ(d.space, d.discrete ? 1u : 0u);
  EXPECT_EQ(d.kind, DeviceKind::cpu);
}

TEST_P(PoclDevice, RunsOnlyTheItemsOfTheOffsetRange) {
  std::vector<float> x(64), y(64, 1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  const auto kernel = kernel_of(*device_, kAxpy, "axpy");
  const auto nx = buffer(x);
  const auto ny = buffer(y);
  RunOp run;
  run.kernel = kernel;
  run.arguments = arguments_of({BufferArgument{ny, 0, 256}, BufferArgument{nx, 0, 256}, bytes_of(2.0f)});
  run.range = line_range(16, 32, 8);
  const BatchResult result = run_batch(*device_, {run}, true);
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  ASSERT_EQ(result.times.size(), 1u);
  EXPECT_GT(result.times[0].device_ns, 0u);
  EXPECT_LE(result.times[0].start, result.times[0].end);
  fetch(ny, y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i], i >= 16 && i < 48 ? 2.0f * static_cast<float>(i) + 1.0f : 1.0f) << i;
  }
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Devices, PoclDevice,
                         testing::Values("portable:pthread", "portable:basic", "portable:pthread@discrete",
                                         "portable:basic@discrete"),
                         [](const auto& param) {
                           std::string name = param.param;
                           for (char& c : name) {
                             if (c == ':' || c == '@') c = '_';
                           }
                           return name;
                         });

}  // namespace skmd::icd
