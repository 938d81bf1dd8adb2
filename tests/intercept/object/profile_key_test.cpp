// SPDX-License-Identifier: Apache-2.0
// By which names the profile database knows devices, and the CPU driver's code.
#include "intercept/machine/profile_key.h"

#include <gtest/gtest.h>

#include "cpu-driver/generator_version.h"
#include "intercept/backend/port/code_form.h"
#include "tests/intercept/object/scripted_device.h"

namespace skmd::icd {
namespace {

domain::DeviceKey key_of(const std::string& backend) {
  skmd::test::ScriptedDevice device("a processor", DeviceKind::cpu);
  device.described.platform = "Portable Computing Language";
  device.described.backend = backend;
  if (backend == "cpu-driver") {
    device.described.name = "pthread-znver4-a processor";
    device.described.processor = "a processor";
  }
  device.answer<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 8).answer_text(CL_DRIVER_VERSION, "3.1");
  return profile_key(device);
}

TEST(ProfileKey, OfAVendorsDeviceIsWhatItAnswers) {
  const domain::DeviceKey expected{"Portable Computing Language", "a processor", "3.1", 8};
  EXPECT_EQ(key_of("icd"), expected);
}

TEST(ProfileKey, OfTheCpuDriverIsNotThatOfTheVendorsDeviceBesideIt) {
  const domain::DeviceKey key = key_of("cpu-driver");
  EXPECT_EQ(key.platform, "SKMD");
  EXPECT_EQ(key.name, "a processor");
  EXPECT_EQ(key.units, 8u);
  EXPECT_NE(key.driver, "3.1");  // another version of the vendor's driver is no other CPU driver
  EXPECT_FALSE(key.driver.empty());
}

TEST(ProfileKey, OfTheCpuDriverDoesNotDependOnWhatIsInstalledBesideIt) {
  std::vector<domain::DeviceKey> keys;
  for (const char* name : {"pthread-skylake-avx512-AMD EPYC", "cpu-znver4-AMD EPYC", "AMD EPYC"}) {
    skmd::test::ScriptedDevice device(name, DeviceKind::cpu);
    device.described.backend = "cpu-driver";
    device.described.processor = "AMD EPYC";
    device.answer<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 8);
    keys.push_back(profile_key(device));
  }
  EXPECT_EQ(keys[0].name, "AMD EPYC");
  EXPECT_EQ(keys[1], keys[0]);
  EXPECT_EQ(keys[2], keys[0]);
}

TEST(CodeForm, NamesInstructionSetAndGenerator) {
  EXPECT_TRUE(code_form("x86-64-v3").starts_with("span-x86-64-v3-g"));
  EXPECT_GT(std::stoi(code_form("x86-64-v3").substr(16)), 0);
  // Their code changed at different times.
  EXPECT_EQ(code_form("x86-64-v4").substr(14), "-g" + std::to_string(cpu::kGeneratorVersion));
  EXPECT_EQ(code_form("x86-64-v4-vbmi").substr(19), "-g" + std::to_string(cpu::kGeneratorVersion));
  EXPECT_EQ(code_form("x86-64-v2").substr(14), "-g" + std::to_string(cpu::kGeneratorVersionBelowAvx512));
}

}  // namespace
}  // namespace skmd::icd
