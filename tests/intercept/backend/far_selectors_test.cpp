// SPDX-License-Identifier: Apache-2.0
// Selectors among devices of this and other machines.
#include <gtest/gtest.h>

#include "intercept/backend/discovery/selectors.h"

namespace skmd::icd {
namespace {

Candidate near(std::uint32_t platform, std::uint32_t index, const std::string& name, DeviceKind kind) {
  Candidate c;
  c.platform_index = platform;
  c.device_index = index;
  c.platform = platform == 0 ? kPoclPlatform : "NVIDIA CUDA";
  c.name = name;
  c.kind = kind;
  c.compute_units = 8;
  return c;
}

Candidate far(std::uint32_t index, const std::string& host, const std::string& vendor, const std::string& name,
              DeviceKind kind) {
  Candidate c = near(0, index, name, kind);
  c.platform_index = 2;
  c.host = host;
  c.vendor = vendor;
  c.compute_units = 64;
  return c;
}

/// Two machines with the same GPUs as this one.
std::vector<Candidate> machines() {
  return {
      near(0, 0, "pthread-skylake", DeviceKind::cpu),
      near(1, 0, "NVIDIA H200", DeviceKind::gpu),
      far(0, "b:1", "AuthenticAMD", "pthread-skylake", DeviceKind::cpu),
      far(1, "b:1", "NVIDIA Corporation", "NVIDIA H200", DeviceKind::gpu),
      far(2, "b:1", "NVIDIA Corporation", "NVIDIA H200", DeviceKind::gpu),
      far(3, "c:1", "SKMD", "SKMD (AMD EPYC) 3f0a", DeviceKind::cpu),
      far(4, "c:1", "SKMD", "SKMD (AMD EPYC) 3f0a", DeviceKind::cpu),
  };
}

const std::vector<RemoteHost> kHosts = {{.address = "b:1", .away = "", .devices = 3},
                                        {.address = "c:1", .away = "", .devices = 2},
                                        {.address = "d:1", .away = "does not answer"}};

using List = std::vector<Selected>;

List chosen(const std::string& text, const std::vector<Candidate>& candidates = machines()) {
  auto selection = select_devices(candidates, text, kHosts);
  EXPECT_TRUE(selection) << selection.error().reason;
  return selection ? selection->devices : List{};
}

TEST(FarSelectors, ChooseAmongTheDevicesOfAHost) {
  struct Case {
    const char* text;
    List expected;
  };
  const Case cases[] = {
      {"b:1/*", {{2, true}, {3, true}, {4, true}}},
      {"c:1/*,b:1/*", {{5, true}, {6, true}, {2, true}, {3, true}, {4, true}}},
      {" b:1 / nvidia : 1 ", {{4, true}}},
      {"b:1/nvidia:0", {{3, true}}},
      {"b:1/nvidia:h200", {{3, true}, {4, true}}},
      {"b:1/:2", {{4, true}}},
      {"b:1/cpu", {{2, true}}},
      {"b:1/nvidia:0@discrete", {{3, true}}},
      {"b:1/*@discrete", {{2, true}, {3, true}, {4, true}}},
      {"c:1/skmd:epyc", {{5, true}, {6, true}}},
      {"c:1/*,c:1/skmd:1", {{5, true}, {6, true}}},
      {"cpu,c:1/skmd:0", {{0, false, true}, {5, true}}},
      // What has no '/' means devices of this machine.
      {"nvidia:h200", {{1, true}}},
      {"portable:", {{0, false}}},
      // A host that is away has no devices.
      {"cpu,d:1/*", {{0, false, true}}},
      {"d:1/nvidia:0", {}},
  };
  for (const Case& c : cases) EXPECT_EQ(chosen(c.text), c.expected) << c.text;
}

TEST(FarSelectors, DefaultIsAllDevicesOfTheHostsBesideTheLocalOnes) {
  EXPECT_EQ(chosen(""), (List{{0, false, true}, {1, true}, {2, true}, {3, true}, {4, true}, {5, true}, {6, true}}));
}

TEST(FarSelectors, AFarProcessorIsNeverTheHosts) {
  const std::vector<Candidate> all = machines();
  EXPECT_EQ(host_cpu(all), 0u) << "though the far ones have more compute units";
  const std::vector<Candidate> only_far(all.begin() + 2, all.end());
  EXPECT_FALSE(host_cpu(only_far));
  EXPECT_FALSE(select_devices(only_far, "cpu", kHosts));
}

TEST(FarSelectors, AFarGpuIsNeverALocalOne) {
  std::vector<Candidate> all = machines();
  for (const std::size_t i : {1u, 3u, 4u}) all[i].pci = "0:1:0.0";
  EXPECT_EQ(chosen("", all).size(), 7u);
  for (Candidate& candidate : all) candidate.pci.reset();
  EXPECT_EQ(chosen("", all).size(), 7u);
}

TEST(FarSelectors, FarProcessorsTakeNoTurns) {
  const std::vector<Candidate> all = machines();
  const List devices = chosen("c:1/*");
  EXPECT_EQ(taking_turns(all, devices), (std::vector<std::size_t>{0, 1}));
}

TEST(FarSelectors, ErrorsNameTheSelector) {
  const std::pair<const char*, const char*> cases[] = {
      {"e:1/*", "names the host 'e:1', which SKMD_HOSTS does not"},
      {"B:1/*", "names the host 'B:1'"},
      {"/*", "names the host ''"},
      {"b:1/", "has neither '*', 'cpu' nor 'platform:device' behind its '/'"},
      {"b:1/gpu", "has neither"},
      {"d:1/gpu", "has neither"},
      {"b:1/nvidia:2", "matches no device"},
      {"c:1/nvidia:0", "matches no device"},
      {"b:1/*@fast", "only @discrete is known"},
  };
  for (const auto& [text, why] : cases) {
    const auto selection = select_devices(machines(), text, kHosts);
    ASSERT_FALSE(selection) << text;
    EXPECT_NE(selection.error().reason.find(std::string("selector '") + text + "'"), std::string::npos);
    EXPECT_NE(selection.error().reason.find(why), std::string::npos) << selection.error().reason;
  }
}

TEST(FarSelectors, UnfitDevicesAreNamedWithTheirHost) {
  std::vector<Candidate> all = machines();
  all[3].unfit = "is not available";
  const auto selection = select_devices(all, "b:1/*", kHosts);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->devices, (List{{2, true}, {4, true}}));
  EXPECT_EQ(selection->left_out, std::vector<std::string>{"b:1: NVIDIA H200: is not available"});
}

}  // namespace
}  // namespace skmd::icd
