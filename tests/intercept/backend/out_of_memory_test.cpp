// SPDX-License-Identifier: Apache-2.0
// Memory that runs out while a device is opened, in each allocation in turn: every native object is given back, once.
#include "tests/faults/allocations.h"
#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

/// Enough reads for page-locked memory.
constexpr int kSmallReads = 40;

void open_and_close() {
  const auto found = discover_stub("stub:0");
  if (!found || found->devices.empty()) return;
  const std::shared_ptr<Device> device = found->devices.front();
  const auto memory = device->allocate(64, nullptr);
  if (!memory) return;
  std::vector<std::uint32_t> words(16);
  run_batch(*device, {ReadOp{*memory, bytes_at(words.data()), plain_rows(0, 64)}});
  for (int i = 0; i < kSmallReads; ++i)
    if (device->small_pieces() != nullptr) return;
}

std::size_t uses_of(const char* call) {
  const auto uses = stub::uses();
  const auto found = uses.find(call);
  return found == uses.end() ? 0 : found->second;
}

TEST(OutOfMemory, GivesNativeObjectsBackOnce) {
  const std::size_t failed = skmd::test::fail_each_allocation("", open_and_close);
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(stub::live_objects(), 0u) << stub::live_kinds();
  const std::vector<std::string> log = stub::take_log();
  const bool locked = std::any_of(log.begin(), log.end(), [](const std::string& line) {
    return line.starts_with("clCreateBuffer") && line.find(" host") != std::string::npos;
  });
  EXPECT_TRUE(locked) << "no page-locked memory was made";
  const char* const pairs[][2] = {{"clCreateContext", "clReleaseContext"},
                                  {"clCreateCommandQueue", "clReleaseCommandQueue"},
                                  {"clCreateBuffer", "clReleaseMemObject"}};
  for (const auto& [create, release] : pairs) EXPECT_EQ(uses_of(create), uses_of(release)) << create;
}

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("STUB_INFO", "VENDOR=NVIDIA Corporation", 1);
  stub::configure("gpu", 0);
  return RUN_ALL_TESTS();
}
