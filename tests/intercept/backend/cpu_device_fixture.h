// SPDX-License-Identifier: Apache-2.0
// Our own CPU driver behind the port, with kernels written by hand in place of the code generator's.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "intercept/backend/cpu/cpu_device.h"
#include "tests/cpu-driver/hand-code/artifact.h"
#include "tests/intercept/backend/device_fixture.h"

namespace skmd::icd {

using Word = std::uint32_t;

/// Has hand-written code of kernels named in hand_code.cpp; "add" alone is described in this text as well.
inline constexpr const char* kText =
    "kernel void add(global uint* out, global const uint* in, uint a) {"
    "  size_t i = get_global_id(0); out[i] = in[i] + a; }"
    "kernel void other(global uint* out) { out[get_global_id(0)] = 77; }";

class CpuDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("POCL_DEVICES", "pthread", 1);
    open({"nothing", "count_groups", "add", "use_scratch", "tell_geometry", "wait_at_gate", "work_hard"});
  }
  /// The device whose generator makes code of these kernels, and of "other" none.
  void open(const std::vector<std::string>& names, const std::string& artifact = cpu::test::hand_code()) {
    CpuCode code{artifact, {}, artifact.empty() ? "nothing works today" : ""};
    for (const std::string& name : names) code.kernels.push_back({name, ""});
    if (with_other_) code.kernels.push_back({"other", "reads an image"});
    CpuDriverOptions cpu;
    cpu.compile = [code](const std::string&, const std::string&, const std::string&) { return code; };
    cpu.report = [this](const std::string& kernel, const std::string& reason) {
      told_.push_back(kernel + ": " + reason);
    };
    cpu.threads = 2;
    auto found = discover(
        {.vendors_folder = "/etc/OpenCL/vendors", .selectors = "cpu", .own_library = "", .cpu_driver = std::move(cpu)});
    ASSERT_TRUE(found) << found.error().reason;
    device_ = found->devices.front();
  }
  std::shared_ptr<NativeKernel> kernel(const std::string& name, const char* text = kText) {
    return kernel_of(*device_, text, name);
  }
  BufferArgument over(std::vector<Word>& host) {
    auto memory = device_->allocate(host.size() * sizeof(Word), bytes_at(host.data()));
    EXPECT_TRUE(memory);
    return {*memory, 0, host.size() * sizeof(Word)};
  }
  static RunOp launch(std::shared_ptr<NativeKernel> kernel, std::vector<NativeArgument> arguments,
                      const domain::NdRange& range) {
    return {std::move(kernel), arguments_of(std::move(arguments)), {}, range};
  }

  bool with_other_ = false;
  std::vector<std::string> told_;
  std::shared_ptr<Device> device_;
};

}  // namespace skmd::icd
