// SPDX-License-Identifier: Apache-2.0
// Devices of other machines through the stub of the library that reaches them. The library is set up once a process:
// each of these tests needs its own.
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "cpu-driver/host_target.h"
#include "intercept/backend/discovery/discovery.h"
#include "tests/temporary_folder.h"

namespace skmd::icd {
namespace {

class FarDiscovery : public testing::Test {
 protected:
  /// `hosts`: each with its server behind a '=', where that is another text.
  Result<Discovery> find(const std::string& selectors, const std::vector<std::string>& hosts, bool ours = false) {
    DiscoveryOptions options;
    options.vendors_folder = folder_.path();
    options.selectors = selectors;
    for (const std::string& host : hosts) {
      const auto equals = host.find('=');
      options.hosts.push_back({host.substr(0, equals), equals == std::string::npos ? host : host.substr(equals + 1)});
    }
    options.engine = engine_;
    if (ours) options.cpu_driver = CpuDriverOptions{.compile = {}, .report = {}, .code_folder = "", .threads = 1};
    return discover(options);
  }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }
  std::string engine_ = STUB_REMOTE_ENGINE;
  const skmd::test::TemporaryFolder folder_;  // without drivers
};

TEST_F(FarDiscovery, DevicesOfEachHostAreDescribed) {
  set("STUB_FAR_SERVERS", "1,2");
  set("STUB_FAR_DEVICES", "cpu,gpu,cpu");
  const auto found = find("", {"b:1", "c:1"});
  ASSERT_TRUE(found) << found.error().reason;
  ASSERT_EQ(found->devices.size(), 3u);
  const char* const hosts[] = {"b:1", "c:1", "c:1"};
  for (std::size_t i = 0; i < 3; ++i) {
    const DeviceDescription& description = found->devices[i]->description();
    EXPECT_EQ(description.backend, "remote");
    EXPECT_EQ(description.host, hosts[i]);
    EXPECT_TRUE(description.discrete);
    EXPECT_EQ(description.space, i + 1);
    EXPECT_FALSE(description.blocking);
    EXPECT_TRUE(description.arithmetic.starts_with("remote|1.0|")) << description.arithmetic;
  }
  ASSERT_EQ(found->hosts.size(), 2u);
  EXPECT_EQ(found->hosts[0].devices, 1u);
  EXPECT_EQ(found->hosts[1].devices, 2u);
  EXPECT_EQ(found->hosts[1].away, "");
}

TEST_F(FarDiscovery, AHostThatIsAwayIsNamedAndStopsNothing) {
  set("STUB_FAR_SERVERS", "away,1");
  const auto found = find("b:1/*,c:1/*", {"b:1", "c:1"});
  ASSERT_TRUE(found) << found.error().reason;
  ASSERT_EQ(found->devices.size(), 1u);
  EXPECT_EQ(found->devices[0]->description().host, "c:1");
  ASSERT_EQ(found->hosts.size(), 2u);
  EXPECT_EQ(found->hosts[0].address, "b:1");
  EXPECT_EQ(found->hosts[0].away, "does not answer");
}

TEST_F(FarDiscovery, AHostKeepsItsNameWhereItsServerHasAnother) {
  const auto found = find("ssh:me@c/*,b:1/*", {"ssh:me@b=", "ssh:me@c=unix:/tmp/c", "b:1", "ssh:d=unix:/tmp/d"});
  ASSERT_TRUE(found) << found.error().reason;
  ASSERT_EQ(found->devices.size(), 2u);
  EXPECT_EQ(found->devices[0]->description().host, "ssh:me@c");
  EXPECT_EQ(found->devices[1]->description().host, "b:1");
  ASSERT_EQ(found->hosts.size(), 4u);
  EXPECT_EQ(found->hosts[0].address, "ssh:me@b");
  EXPECT_EQ(found->hosts[0].away, "could not be reached by skmd-run");
  EXPECT_EQ(found->hosts[1].address, "ssh:me@c");
  EXPECT_EQ(found->hosts[1].devices, 1u);
  EXPECT_EQ(found->hosts[3].address, "ssh:d");
}

TEST_F(FarDiscovery, HostsThatWereNotReachedNeedNoLibrary) {
  if (!cpu::best_target()) GTEST_SKIP() << "our code does not run on this processor";
  engine_ = folder_.file("libpocl-remote.so");
  const auto found = find("", {"ssh:b="}, true);
  ASSERT_TRUE(found) << found.error().reason;
  ASSERT_EQ(found->hosts.size(), 1u);
  EXPECT_EQ(found->hosts[0].away, "could not be reached by skmd-run");
}

TEST_F(FarDiscovery, OurCpuDriverIsThereWithFarDriversOnly) {
  if (!cpu::best_target()) GTEST_SKIP() << "our code does not run on this processor";
  set("STUB_FAR_DEVICES", "cpu");
  const auto found = find("cpu,b:1/*", {"b:1"}, true);
  ASSERT_TRUE(found) << found.error().reason;
  ASSERT_EQ(found->devices.size(), 2u);
  EXPECT_EQ(found->devices[0]->description().backend, "cpu-driver");
  EXPECT_EQ(found->devices[0]->description().space, domain::kHostSpace);
  EXPECT_EQ(found->devices[1]->description().backend, "remote");
}

TEST_F(FarDiscovery, NoDeviceAtAllIsAnErrorThatNamesTheHosts) {
  set("STUB_FAR_SERVERS", "away");
  const auto found = find("", {"b:1"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, CL_PLATFORM_NOT_FOUND_KHR);
  EXPECT_NE(found.error().reason.find("b:1: does not answer"), std::string::npos) << found.error().reason;
}

TEST_F(FarDiscovery, WithoutTheLibraryEveryHostIsAway) {
  if (!cpu::best_target()) GTEST_SKIP() << "our code does not run on this processor";
  engine_ = folder_.file("libpocl-remote.so");
  const auto found = find("", {"b:1", "c:1"}, true);
  ASSERT_TRUE(found) << found.error().reason;
  EXPECT_EQ(found->devices.size(), 1u);
  ASSERT_EQ(found->hosts.size(), 2u);
  for (const RemoteHost& host : found->hosts)
    EXPECT_NE(host.away.find("libpocl-remote.so"), std::string::npos) << host.away;
}

TEST_F(FarDiscovery, ADriverWithoutTheFunctionsIsNoSuchLibrary) {
  std::ifstream(std::string(STUB_ICD_VENDORS) + "/stub.icd") >> engine_;
  const auto found = find("", {"b:1"});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().reason.find("it has no pocl_remote_set_servers"), std::string::npos) << found.error().reason;
}

TEST_F(FarDiscovery, ALibraryThatWasSetUpBeforeIsNotUsed) {
  ASSERT_TRUE(find("", {"b:1"}));
  const auto again = find("", {"c:1"});
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().reason.find("set up before its servers could be named"), std::string::npos);
}

}  // namespace
}  // namespace skmd::icd
