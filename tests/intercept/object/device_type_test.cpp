// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/device_type.h"

#include <gtest/gtest.h>

#include "intercept/machine/device_info.h"
#include "tests/intercept/object/scripted_device.h"

namespace skmd::test {
namespace {

using icd::DeviceKind;
using icd::DeviceTypeChoice;
using Kinds = std::vector<DeviceKind>;

std::vector<std::shared_ptr<icd::Device>> devices(const Kinds& kinds) {
  std::vector<std::shared_ptr<icd::Device>> list;
  for (const DeviceKind kind : kinds)
    list.push_back(std::make_shared<ScriptedDevice>("device " + std::to_string(list.size()), kind));
  return list;
}

cl_device_type type(const std::string& choice, const Kinds& kinds) {
  const auto parsed = icd::parse_device_type(choice);
  EXPECT_TRUE(static_cast<bool>(parsed)) << choice;
  return parsed ? icd::reported_type(*parsed, devices(kinds)) : 0;
}

constexpr cl_device_type kCpu = CL_DEVICE_TYPE_CPU, kGpu = CL_DEVICE_TYPE_GPU, kOther = CL_DEVICE_TYPE_ACCELERATOR;
const Kinds kMachines[] = {{DeviceKind::cpu},
                           {DeviceKind::gpu},
                           {DeviceKind::accelerator},
                           {DeviceKind::cpu, DeviceKind::gpu},
                           {DeviceKind::cpu, DeviceKind::accelerator},
                           {DeviceKind::cpu, DeviceKind::accelerator, DeviceKind::gpu}};

TEST(DeviceType, AutoIsOneBitThatTheDevicesDecide) {
  const cl_device_type expected[] = {kCpu, kGpu, kOther, kGpu, kOther, kGpu};
  for (size_t i = 0; i < std::size(kMachines); ++i) {
    EXPECT_EQ(type("auto", kMachines[i]), expected[i]) << i;
    EXPECT_EQ(type("", kMachines[i]), expected[i]) << i;
  }
}

TEST(DeviceType, CpuAndGpuAreThatOnEveryMachine) {
  for (const Kinds& kinds : kMachines) {
    EXPECT_EQ(type("cpu", kinds), kCpu);
    EXPECT_EQ(type("gpu", kinds), kGpu);
  }
}

TEST(DeviceType, AllIsACpuAndAGpuBesideWhatTheDevicesAre) {
  const cl_device_type expected[] = {kCpu | kGpu, kCpu | kGpu,          kCpu | kGpu | kOther,
                                     kCpu | kGpu, kCpu | kGpu | kOther, kCpu | kGpu};
  for (size_t i = 0; i < std::size(kMachines); ++i) EXPECT_EQ(type("all", kMachines[i]), expected[i]) << i;
}

TEST(DeviceType, AnythingElseIsAnErrorThatNamesVariableValueAndChoices) {
  for (const char* text : {"GPU", "cpu,gpu", " cpu", "cpu ", "accelerator", "1", "default"}) {
    const auto parsed = icd::parse_device_type(text);
    ASSERT_FALSE(static_cast<bool>(parsed)) << text;
    for (const std::string part : {"SKMD_DEVICE_TYPE", text, "auto, cpu, gpu or all"})
      EXPECT_NE(parsed.error().reason.find(part), std::string::npos) << parsed.error().reason;
  }
}

TEST(DeviceType, EveryWordIsReadAsWhatItIsWrittenFor) {
  for (const char* word : {"auto", "cpu", "gpu", "all"})
    EXPECT_STREQ(icd::device_type_word(*icd::parse_device_type(word)), word);
}

/// Programs key their caches by these.
TEST(DeviceType, NothingElseOfTheDeviceChanges) {
  icd::Machine machine;
  machine.devices = devices({DeviceKind::cpu, DeviceKind::cpu});
  const icd::DeviceInfo natural(machine);
  for (const char* word : {"cpu", "gpu", "all"}) {
    machine.settings.device_type = *icd::parse_device_type(word);
    const icd::DeviceInfo chosen(machine);
    EXPECT_EQ(chosen.get<cl_device_type>(CL_DEVICE_TYPE),
              icd::reported_type(machine.settings.device_type, machine.devices));
    for (cl_device_info name = CL_DEVICE_TYPE + 1; name < CL_DEVICE_TYPE + 0x100; ++name) {
      const auto *one = natural.find(name), *other = chosen.find(name);
      ASSERT_EQ(one != nullptr, other != nullptr) << std::hex << name;
      if (one != nullptr) {
        EXPECT_EQ(*one, *other) << std::hex << name;
      }
    }
  }
}

}  // namespace
}  // namespace skmd::test
