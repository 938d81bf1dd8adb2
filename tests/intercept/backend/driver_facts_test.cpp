// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/driver_facts.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace skmd::icd {
namespace {

DriverFacts example() {
  DriverFacts facts;
  facts.file = "/lib/libdriver.so.2";
  for (std::uint32_t i = 0; i < 2; ++i) {
    Candidate c;
    c.device_index = i;
    c.platform = "Portable Computing Language";
    c.name = "cpu: with 7:colons " + std::to_string(i);
    c.compute_units = 6 + i;
    if (i == 1) c.pci = "0:1:2.3";
    c.unfit = i == 0 ? "" : "is not available";
    facts.candidates.push_back(c);
  }
  facts.host = 1;
  facts.answers.description.name = "cpu";
  facts.answers.description.arithmetic = "pocl-cpu|3.1";
  facts.answers.description.discrete = false;
  facts.answers.description.blocking = true;
  facts.answers.infos.emplace(CL_DEVICE_NAME, std::vector<std::byte>{std::byte{0}, std::byte{255}, std::byte{':'}});
  facts.answers.infos.emplace(CL_DEVICE_VENDOR, std::vector<std::byte>{});
  facts.answers.infos.emplace(CL_DEVICE_EXTENSIONS, domain::Error{CL_INVALID_VALUE, "it has no such answer"});
  facts.answers.formats[{CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D}] = {{CL_RGBA, CL_FLOAT}, {CL_R, CL_UNORM_INT8}};
  facts.answers.formats[{CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D}] = {};
  return facts;
}

TEST(DriverFacts, AreReadAsTheyWereWritten) {
  const DriverFacts written = example();
  const auto read = decode_driver_facts(encode(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(encode(*read), encode(written));
  EXPECT_EQ(read->file, written.file);
  ASSERT_EQ(read->candidates.size(), 2u);
  EXPECT_EQ(read->candidates[1].name, written.candidates[1].name);
  EXPECT_EQ(read->candidates[1].pci, written.candidates[1].pci);
  EXPECT_FALSE(read->candidates[0].pci);
  EXPECT_EQ(read->candidates[1].unfit, "is not available");
  EXPECT_EQ(read->host, 1u);
  EXPECT_EQ(read->answers.description.arithmetic, "pocl-cpu|3.1");
  EXPECT_FALSE(read->answers.description.discrete);
  EXPECT_TRUE(read->answers.description.blocking);
  EXPECT_EQ(*read->answers.infos.at(CL_DEVICE_NAME), *written.answers.infos.at(CL_DEVICE_NAME));
  EXPECT_TRUE(read->answers.infos.at(CL_DEVICE_VENDOR)->empty());
  EXPECT_EQ(read->answers.infos.at(CL_DEVICE_EXTENSIONS).error().code, CL_INVALID_VALUE);
  const auto& formats = read->answers.formats.at({CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D});
  ASSERT_EQ(formats.size(), 2u);
  EXPECT_EQ(formats[1].image_channel_order, cl_channel_order{CL_R});
}

TEST(DriverFacts, WhatIsCutOffOrLongerIsNotRead) {
  const std::string text = encode(example());
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(decode_driver_facts(text.substr(0, size))) << size;
  EXPECT_FALSE(decode_driver_facts(text + "0:"));
}

TEST(DriverFacts, WhatIsDamagedNeverReadsOutOfBounds) {
  const std::string text = encode(example());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'9', ':', 'x', '\0'}) {
      std::string damaged = text;
      damaged[i] = c;
      const auto facts = decode_driver_facts(damaged);
      EXPECT_TRUE(!facts || facts->host < facts->candidates.size()) << i;
    }
  }
}

TEST(DriverFacts, TheHostIsOneOfTheDevices) {
  DriverFacts facts = example();
  facts.host = 2;
  EXPECT_FALSE(decode_driver_facts(encode(facts)));
}

TEST(FactsKey, DependsOnWhatTheDriverReads) {
  const std::string key = facts_key("libpocl.so.2");
  EXPECT_EQ(facts_key("libpocl.so.2"), key);
  EXPECT_NE(facts_key("libpocl.so.3"), key);
  setenv("SKMD_TEST_UNRELATED", "1", 1);
  EXPECT_EQ(facts_key("libpocl.so.2"), key);
  for (const char* name : {"POCL_TEST_VARIABLE", "HWLOC_TEST_VARIABLE"}) {
    setenv(name, "1", 1);
    EXPECT_NE(facts_key("libpocl.so.2"), key) << name;
    unsetenv(name);
  }
  EXPECT_EQ(facts_key("libpocl.so.2"), key);
}

TEST(FactsKey, OnlyPoclsAnswersAreKept) {
  EXPECT_TRUE(keeps_facts("Portable Computing Language"));
  EXPECT_FALSE(keeps_facts("Stub"));
  EXPECT_FALSE(keeps_facts("NVIDIA CUDA"));
}

}  // namespace
}  // namespace skmd::icd
