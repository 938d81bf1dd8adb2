// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/device_words.h"

#include <gtest/gtest.h>

namespace skmd::icd::control {
namespace {

std::vector<DeviceDescription> devices() {
  std::vector<DeviceDescription> all(4);
  all[0].name = "Xeon", all[0].backend = "cpu-driver", all[0].platform = "SKMD CPU";
  all[1].name = "NVIDIA H100", all[1].platform = "NVIDIA CUDA";
  all[2].name = "NVIDIA H100", all[2].platform = "NVIDIA CUDA";
  all[3].name = "NVIDIA H200", all[3].platform = "PoCL", all[3].host = "far:10998";
  return all;
}

TEST(DeviceWords, AreNumbersNamesSelectorsOrPartsOfThem) {
  EXPECT_EQ(find_device(devices(), "0").index, 0u);
  EXPECT_EQ(find_device(devices(), "2").index, 2u);
  EXPECT_EQ(find_device(devices(), "cpu").index, 0u) << "a whole selector comes before a part of others";
  EXPECT_EQ(find_device(devices(), "xeon").index, 0u);
  EXPECT_EQ(find_device(devices(), "h200").index, 3u);
  EXPECT_EQ(find_device(devices(), "far:10998/PoCL:NVIDIA H200").index, 3u);
}

TEST(DeviceWords, WhatFitsSeveralOrNoneIsRefused) {
  const NamedDevice several = find_device(devices(), "H100");
  EXPECT_FALSE(several.index);
  EXPECT_FALSE(several.is_unknown);
  EXPECT_EQ(several.reason, "\"H100\" fits the devices 1, 2: name one by its number");
  EXPECT_TRUE(find_device(devices(), "Radeon").is_unknown);
  EXPECT_TRUE(find_device(devices(), "").is_unknown);
  const NamedDevice beyond = find_device(devices(), "4");
  EXPECT_FALSE(beyond.index);
  EXPECT_EQ(beyond.reason, "there is no device 4: they are numbered from 0 to 3");
  EXPECT_FALSE(find_device(devices(), "99999999999999999999").index);
}

TEST(DeviceWords, SelectorsAreThoseOfTheVariable) {
  const auto all = devices();
  EXPECT_EQ(selector_of(all[0]), "cpu");
  EXPECT_EQ(selector_of(all[1]), "NVIDIA CUDA:NVIDIA H100");
  EXPECT_EQ(selector_of(all[3]), "far:10998/PoCL:NVIDIA H200");
}

}  // namespace
}  // namespace skmd::icd::control
