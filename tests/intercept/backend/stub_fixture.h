// SPDX-License-Identifier: Apache-2.0
// The stub driver's devices for tests: a GPU, a CPU with memory of its own, a CPU in host memory.
#pragma once

#include <algorithm>

#include "tests/intercept/backend/device_fixture.h"
#include "tests/stub-icd/control.h"
#include "tests/stub-icd/kernels.h"

namespace skmd::icd {

inline bool delayed() { return std::getenv("STUB_DELAY_US") != nullptr; }

inline Result<Discovery> discover_stub(const std::string& selectors) {
  return discover({.vendors_folder = STUB_ICD_VENDORS, .selectors = selectors, .own_library = ""});
}

inline std::vector<std::string> calls_of(const std::vector<std::string>& log, const std::string& prefix) {
  std::vector<std::string> found;
  std::copy_if(log.begin(), log.end(), std::back_inserter(found),
               [&](const std::string& line) { return line.starts_with(prefix); });
  return found;
}

class StubDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    stub::set_failure("");
    before_ = stub::live_objects();
    auto found = discover_stub(GetParam());
    ASSERT_TRUE(found) << found.error().reason;
    ASSERT_EQ(found->devices.size(), 1u);
    device_ = found->devices.front();
    stub::take_log();
  }
  void TearDown() override {
    stub::set_failure("");
    device_.reset();
    EXPECT_EQ(stub::live_objects(), before_) << "native objects leak";
  }
  std::shared_ptr<NativeMemory> allocate(std::uint64_t bytes) {
    auto memory = device_->allocate(bytes, nullptr);
    EXPECT_TRUE(memory) << (memory ? "" : memory.error().reason);
    return memory ? *memory : nullptr;
  }
  std::vector<std::uint32_t> words_of(const std::shared_ptr<NativeMemory>& memory, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    const auto result = run_batch(*device_, {ReadOp{memory, bytes_at(words.data()), plain_rows(0, count * 4)}});
    EXPECT_EQ(result.status, CL_SUCCESS) << result.reason;
    return words;
  }
  static FillOp zeros(const std::shared_ptr<NativeMemory>& memory, std::uint64_t bytes) {
    return {memory, {std::byte{0}}, 0, bytes};
  }
  RunOp count_op(const std::shared_ptr<NativeMemory>& memory, std::uint64_t bytes, std::uint64_t first,
                 std::uint64_t items) {
    RunOp run;
    run.kernel = kernel_of(*device_, stub::kKernelSource, "stub_count");
    run.arguments = arguments_of({BufferArgument{memory, 0, bytes}});
    run.range = line_range(first, items, 1);
    return run;
  }
  std::shared_ptr<Device> device_;
  std::size_t before_ = 0;
};

inline constexpr const char* kStubKinds[] = {"stub:0", "stub:2@discrete", "stub:2"};

inline std::string stub_kind_name(const testing::TestParamInfo<const char*>& param) {
  const char* const names[] = {"gpu", "discrete_cpu", "cpu"};
  return names[param.index];
}

}  // namespace skmd::icd
