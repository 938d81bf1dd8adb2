// SPDX-License-Identifier: Apache-2.0
// A BareHost stands for the driver that is opened late.
#include "intercept/backend/vendor/late_device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "intercept/backend/cpu/bare_host.h"

namespace skmd::icd {
namespace {

class Late : public testing::Test {
 protected:
  std::shared_ptr<Device> bare() const { return std::make_shared<BareHost>(cpu::HostFacts{}); }
  LateDevice::Open opening() {
    return [this]() -> Result<std::shared_ptr<Device>> {
      ++opened_;
      return bare();
    };
  }
  LateDevice::Keep keeping() {
    return [this](const KeptAnswers& answers) { kept_.push_back(answers); };
  }
  /// What the driver answered in an earlier process.
  KeptAnswers answers() const {
    KeptAnswers known;
    known.description = bare()->description();
    known.infos.emplace(CL_DEVICE_NAME, std::vector<std::byte>{std::byte{'K'}});
    known.formats[{CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D}] = {{CL_RGBA, CL_FLOAT}};
    return known;
  }

  std::atomic<int> opened_ = 0;
  std::vector<KeptAnswers> kept_;
};

TEST_F(Late, WhatIsKnownOpensNothing) {
  LateDevice device(answers(), opening(), keeping());
  EXPECT_EQ(device.info(CL_DEVICE_NAME)->size(), 1u);
  EXPECT_EQ(device.image_formats(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D)->size(), 1u);
  EXPECT_EQ(device.description().name, bare()->description().name);
  device.settle();
  EXPECT_EQ(opened_, 0);
  EXPECT_TRUE(kept_.empty());
}

TEST_F(Late, WhatIsNotKnownIsAskedOnceAndKept) {
  LateDevice device(answers(), opening(), keeping());
  device.settle();
  const auto asked = device.info(CL_DEVICE_VENDOR);
  EXPECT_EQ(*asked, *bare()->info(CL_DEVICE_VENDOR));
  EXPECT_EQ(*device.info(CL_DEVICE_VENDOR), *asked);
  EXPECT_EQ(opened_, 1);
  ASSERT_EQ(kept_.size(), 1u);
  EXPECT_EQ(*kept_[0].infos.at(CL_DEVICE_VENDOR), *asked);
  EXPECT_EQ(kept_[0].infos.count(CL_DEVICE_NAME), 1u);
  (void)device.image_formats(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE3D);
  ASSERT_EQ(kept_.size(), 2u);
  EXPECT_EQ(kept_[1].formats.size(), 2u);
}

TEST_F(Late, AnswersUntilSettledAreKeptTogether) {
  LateDevice device(bare(), keeping());
  (void)device.info(CL_DEVICE_NAME);
  (void)device.info(CL_DEVICE_VENDOR);
  EXPECT_TRUE(kept_.empty());
  device.settle();
  ASSERT_EQ(kept_.size(), 1u);
  EXPECT_EQ(kept_[0].infos.size(), 2u);
  EXPECT_EQ(kept_[0].description.name, bare()->description().name);
}

TEST_F(Late, FailedAnswersAreAnswers) {
  LateDevice device(bare(), keeping());
  const auto refused = device.info(0x7fff);
  ASSERT_FALSE(refused);
  device.settle();
  EXPECT_EQ(kept_.at(0).infos.at(0x7fff).error().code, refused.error().code);
}

TEST_F(Late, HandlesAreNotKept) {
  LateDevice device(bare(), keeping());
  (void)device.info(CL_DEVICE_PLATFORM);
  (void)device.info(CL_DEVICE_PARENT_DEVICE);
  device.settle();
  EXPECT_TRUE(kept_.at(0).infos.empty());
}

TEST_F(Late, WhateverIsDoneOpensIt) {
  LateDevice device(answers(), opening(), {});
  std::string log;
  EXPECT_FALSE(device.build("kernel", "", log));
  EXPECT_EQ(opened_, 1);
  EXPECT_NE(log.find("no code"), std::string::npos) << log;
}

TEST_F(Late, ADriverThatIsGoneFailsWhatNeedsItAndIsTriedOnce) {
  int tried = 0;
  LateDevice device(
      answers(),
      [&tried]() -> Result<std::shared_ptr<Device>> {
        ++tried;
        return domain::Error{CL_DEVICE_NOT_AVAILABLE, "gone"};
      },
      keeping());
  std::string log;
  EXPECT_EQ(device.build("kernel", "", log).error().reason, "gone");
  EXPECT_EQ(log, "gone");
  EXPECT_EQ(device.allocate(4, nullptr).error().code, CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(device.info(CL_DEVICE_VENDOR).error().reason, "gone");
  EXPECT_TRUE(device.info(CL_DEVICE_NAME));
  Batch batch;
  BatchResult result;
  batch.done = [&result](BatchResult&& told) { result = std::move(told); };
  device.help(device.submit(std::move(batch)));
  EXPECT_EQ(result.status, CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(result.reason, "gone");
  EXPECT_EQ(result.accepted, 0u);
  EXPECT_EQ(tried, 1);
  device.settle();
  EXPECT_TRUE(kept_.empty());
}

TEST_F(Late, ManyThreadsOpenItOnce) {
  LateDevice device(answers(), opening(), {});
  device.settle();
  std::vector<std::thread> threads;
  for (cl_device_info i = 0; i < 8; ++i)
    threads.emplace_back([&device, i] { (void)device.info(CL_DEVICE_MAX_COMPUTE_UNITS + i); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened_, 1);
}

}  // namespace
}  // namespace skmd::icd
