// SPDX-License-Identifier: Apache-2.0
// One device of another machine, through the stub of PoCL's remote driver. The stub reads its settings from the
// environment when it is loaded: each test needs a process of its own (see far_discovery_test.cpp).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/intercept/backend/device_fixture.h"
#include "tests/temporary_folder.h"

namespace skmd::icd {

class OneFarDevice : public testing::Test {
 protected:
  /// Finds the device, and allocates so many bytes on it. Fails the test if either does.
  void open_far(std::uint64_t bytes) {
    DiscoveryOptions options;
    options.vendors_folder = folder_.path();
    options.hosts = {{"b:1", "b:1"}};
    options.engine = STUB_REMOTE_ENGINE;
    auto found = discover(options);
    ASSERT_TRUE(found) << found.error().reason;
    ASSERT_EQ(found->devices.size(), 1u);
    device_ = found->devices.front();
    auto memory = device_->allocate(bytes, nullptr);
    ASSERT_TRUE(memory);
    memory_ = *memory;
  }
  const skmd::test::TemporaryFolder folder_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<NativeMemory> memory_;
};

}  // namespace skmd::icd
