// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/selectors.h"

#include <gtest/gtest.h>

namespace skmd::icd {
namespace {

Candidate device(std::uint32_t platform_index, std::uint32_t device_index, const std::string& platform,
                 const std::string& name, DeviceKind kind, std::uint32_t units = 8) {
  Candidate c;
  c.platform_index = platform_index;
  c.device_index = device_index;
  c.platform = platform;
  c.name = name;
  c.kind = kind;
  c.compute_units = units;
  return c;
}

constexpr const char* kPocl = "Portable Computing Language";
constexpr const char* kNvidia = "NVIDIA CUDA";

std::vector<Candidate> machine() {
  return {
      device(0, 0, kPocl, "basic-skylake", DeviceKind::cpu, 8),
      device(0, 1, kPocl, "pthread-skylake", DeviceKind::cpu, 8),
      device(1, 0, kNvidia, "NVIDIA H200", DeviceKind::gpu),
      device(1, 1, kNvidia, "NVIDIA H200", DeviceKind::gpu),
      device(2, 0, "Oclgrind", "Oclgrind Simulator", DeviceKind::cpu, 64),
      device(3, 0, "Intel(R) FPGA", "Board", DeviceKind::accelerator),
  };
}

std::vector<Selected> chosen(const std::vector<Candidate>& candidates, const std::string& text) {
  auto selection = select_devices(candidates, text);
  EXPECT_TRUE(selection) << selection.error().reason;
  return selection ? selection->devices : std::vector<Selected>{};
}

using List = std::vector<Selected>;

struct Case {
  const char* text;
  List expected;
};

TEST(Selectors, ChooseDevicesInTheirOwnOrder) {
  const Case cases[] = {
      {"cpu", {{1, false, true}}},
      {"CPU", {{1, false, true}}},
      {"cpu@discrete", {{1, true, true}}},
      {" cpu @Discrete ", {{1, true, true}}},
      {"nvidia:1", {{3, true}}},
      {"nvidia:01", {{3, true}}},
      {"nvidia:h200", {{2, true}, {3, true}}},
      {"nvidia:1,cpu,nvidia:0", {{3, true}, {1, false, true}, {2, true}}},
      {"portable:basic", {{0, false}}},
      {"portable:basic@discrete,portable:pthread", {{0, true}, {1, false}}},
      {"portable:", {{0, false}, {1, false}}},
      {"oclgrind:simulator", {{4, false}}},
      {"oclgrind:0", {{4, false}}},
      {"fpga:board", {{5, true}}},
      {"nvidia:0,nvidia:h200", {{2, true}, {3, true}}},
      {"cpu,portable:1@discrete", {{1, true, true}}},
      {":", {{0, false}, {1, false}, {2, true}, {3, true}, {4, false}, {5, true}}},
  };
  for (const Case& c : cases) EXPECT_EQ(chosen(machine(), c.text), c.expected) << c.text;
}

TEST(Selectors, DefaultIsTheHostCpuWithEveryGpuAndAccelerator) {
  const List expected = {{1, false, true}, {2, true}, {3, true}, {5, true}};
  EXPECT_EQ(chosen(machine(), ""), expected);
  EXPECT_EQ(chosen(machine(), "  "), expected);
}

// The same cores through three drivers, in the order of their files.
TEST(Selectors, TheHostCpuIsTheDriversThatCanDoMost) {
  std::vector<Candidate> drivers = {device(0, 0, "Clover", "llvmpipe", DeviceKind::cpu, 8),
                                    device(1, 0, kPocl, "basic-skylake", DeviceKind::cpu, 8),
                                    device(1, 1, kPocl, "pthread-skylake", DeviceKind::cpu, 8),
                                    device(2, 0, "rusticl", "llvmpipe", DeviceKind::cpu, 16)};
  const std::uint32_t versions[] = {0, 3u << 22, 3u << 22, 3u << 22};
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    drivers[i].version = versions[i];
    drivers[i].fp64 = drivers[i].platform != "rusticl";
  }
  EXPECT_EQ(host_cpu(drivers), 2u);
  drivers.erase(drivers.begin() + 1, drivers.begin() + 3);
  EXPECT_EQ(host_cpu(drivers), 0u);
  drivers.erase(drivers.begin());
  EXPECT_EQ(host_cpu(drivers), 0u);
}

TEST(Selectors, DefaultSaysWhyTheOthersAreLeftOut) {
  const auto selection = select_devices(machine(), "");
  ASSERT_TRUE(selection);
  ASSERT_EQ(selection->left_out.size(), 2u);
  EXPECT_NE(selection->left_out[0].find("basic-skylake: the host CPU is used through"), std::string::npos);
  EXPECT_NE(selection->left_out[1].find("a simulator takes part only when named"), std::string::npos);
}

TEST(Selectors, HostCpuIsTheOneWithMostComputeUnits) {
  const std::vector<Candidate> two = {device(0, 0, kPocl, "pthread", DeviceKind::cpu, 4),
                                      device(1, 0, "Intel", "Xeon", DeviceKind::cpu, 16)};
  EXPECT_EQ(chosen(two, "cpu"), (List{{1, false, true}}));
}

TEST(Selectors, ErrorsNameTheSelector) {
  for (const char* text : {"amd:0", "nvidia:2", "nvidia:99999999999999999999", "nvidia:titan", "gpu", "cpu@fast"}) {
    const auto selection = select_devices(machine(), std::string("portable:0,") + text);
    ASSERT_FALSE(selection) << text;
    EXPECT_NE(selection.error().reason.find(std::string("'") + text + "'"), std::string::npos)
        << selection.error().reason;
  }
  EXPECT_FALSE(select_devices(machine(), "cpu,,nvidia:0"));
  EXPECT_FALSE(select_devices({}, "cpu"));
}

TEST(Selectors, UnfitDevicesAreLeftOutWithTheirReason) {
  auto candidates = machine();
  candidates[2].unfit = "has no compiler";
  EXPECT_EQ(chosen(candidates, "nvidia:h200"), (List{{3, true}}));
  const auto by_default = select_devices(candidates, "");
  ASSERT_TRUE(by_default);
  EXPECT_EQ(by_default->devices, (List{{1, false, true}, {3, true}, {5, true}}));
  EXPECT_NE(by_default->left_out[1].find("H200: has no compiler"), std::string::npos);
  const auto only = select_devices(candidates, "nvidia:0");
  ASSERT_FALSE(only);
  EXPECT_NE(only.error().reason.find("has no compiler"), std::string::npos);
}

TEST(Selectors, OneGpuSeenThroughTwoPlatformsCountsOnce) {
  auto candidates = machine();
  candidates[2].pci = "0:1:0.0";
  candidates[3].pci = "0:2:0.0";
  Candidate again = device(4, 0, "rusticl", "nvc0", DeviceKind::gpu);
  again.pci = "0:2:0.0";
  candidates.push_back(again);
  const auto selection = select_devices(candidates, "");
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->devices, (List{{1, false, true}, {2, true}, {3, true}, {5, true}}));
  EXPECT_NE(selection->left_out.back().find("the same GPU is used through NVIDIA CUDA"), std::string::npos);
  EXPECT_EQ(chosen(candidates, "rusticl:0,nvidia:h200"), (List{{6, true}, {2, true}}));
}

TEST(Selectors, NamesAndOrderTellTheSameGpuWhereNoAddressIsKnown) {
  auto candidates = machine();
  candidates.push_back(device(4, 0, "Other", "NVIDIA H200", DeviceKind::gpu));
  candidates.push_back(device(4, 1, "Other", "NVIDIA H200", DeviceKind::gpu));
  candidates.push_back(device(4, 2, "Other", "NVIDIA H200", DeviceKind::gpu));
  // The third has no twin. Named devices are what the user says they are.
  EXPECT_EQ(chosen(candidates, ""), (List{{1, false, true}, {2, true}, {3, true}, {5, true}, {8, true}}));
  EXPECT_EQ(chosen(candidates, "nvidia:0,other:0"), (List{{2, true}, {6, true}}));
}

TEST(Selectors, GpusOfOnePlatformAreNeverTheSame) {
  auto candidates = machine();
  candidates[2].pci = candidates[3].pci = "0:1:0.0";
  EXPECT_EQ(chosen(candidates, "nvidia:"), (List{{2, true}, {3, true}}));
}

using Firsts = std::vector<std::size_t>;

TEST(TakingTurns, OnlyCpuDevicesOfPoclThatHaveOneName) {
  auto candidates = machine();
  candidates.insert(candidates.begin() + 2, device(0, 2, kPocl, "basic-skylake", DeviceKind::cpu));
  candidates.push_back(device(4, 0, kPocl, "basic-skylake", DeviceKind::cpu));  // a library of its own
  candidates.push_back(device(4, 1, kPocl, "NVIDIA H200", DeviceKind::gpu));
  candidates.push_back(device(4, 2, kPocl, "NVIDIA H200", DeviceKind::gpu));
  const List all = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}};
  EXPECT_EQ(taking_turns(candidates, all), (Firsts{0, 1, 0, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(taking_turns(candidates, {{2}, {1}, {0, true}}), (Firsts{0, 1, 0}));
  EXPECT_EQ(taking_turns(candidates, {{2}, {1}}), (Firsts{0, 1}));
  EXPECT_EQ(taking_turns(candidates, {}), Firsts{});
}

}  // namespace
}  // namespace skmd::icd
