// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/host_facts.h"

#include <gtest/gtest.h>

#include "cpu-driver/runtime/processors.h"

namespace skmd::cpu {
namespace {

TEST(HostFacts, AreReadFromTheTextOfCpuinfo) {
  const HostFacts facts = with_cpuinfo({.processors = 7},
                                       "processor\t: 0\nvendor_id\t: GenuineIntel\n"
                                       "model name\t: A Processor (R) @ 2: 3\n"
                                       "cpu MHz\t\t: 800.125\n\nprocessor\t: 1\n"
                                       "model name\t: Another\ncpu MHz\t\t: 3100.9\n");
  EXPECT_EQ(facts.model, "A Processor (R) @ 2: 3");
  EXPECT_EQ(facts.vendor, "GenuineIntel");
  EXPECT_EQ(facts.megahertz, 3100u);
  EXPECT_EQ(facts.processors, 7u);
}

TEST(HostFacts, StayAsTheyAreWithoutUsefulText) {
  for (const char* text : {"", ":", "model name\t:\n", "cpu MHz : many\ncpu MHz : -5\ncpu MHz : 1e300\ncpu MHz : nan",
                           "no colon\nvendor_id\n", "model name :  \t\r\n"}) {
    const HostFacts facts = with_cpuinfo({.model = "M", .vendor = "V", .megahertz = 5}, text);
    EXPECT_EQ(facts.model, "M") << text;
    EXPECT_EQ(facts.vendor, "V") << text;
    EXPECT_EQ(facts.megahertz, 5u) << text;
  }
}

TEST(HostFacts, OfThisMachineAreComplete) {
  const HostFacts facts = read_host_facts();
  EXPECT_FALSE(facts.model.empty());
  EXPECT_EQ(facts.processors, usable_processors());
  EXPECT_GE(facts.megahertz, 1u);
  EXPECT_GE(facts.vector_bytes, 16u);
  EXPECT_GE(facts.line_bytes, 16u);
  EXPECT_GE(facts.memory_bytes, 1u << 20);
}

TEST(HostFacts, TheProcessorsNameIsThatOfTheWholeText) { EXPECT_EQ(processor_name(), read_host_facts().model); }

}  // namespace
}  // namespace skmd::cpu
