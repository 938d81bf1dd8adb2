// SPDX-License-Identifier: Apache-2.0
// Invented /sys and /proc trees, and this machine's own.
#include "cpu-driver/runtime/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.h"

namespace skmd::cpu::test {
namespace {

namespace fs = std::filesystem;

class MadeUpHost : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  void processor(unsigned id, const std::string& siblings, const std::string& cache) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(id);
    write(folder + "/topology/thread_siblings_list", siblings);
    write(folder + "/cache/index0/level", "1");
    write(folder + "/cache/index0/shared_cpu_list", siblings);
    write(folder + "/cache/index1/level", "3");
    write(folder + "/cache/index1/shared_cpu_list", cache);
  }
  [[nodiscard]] Topology read(const std::vector<unsigned>& usable) const {
    return read_topology(root_.string(), usable);
  }

  const skmd::test::TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(MadeUpHost, IsSimpleWhereNothingCanBeRead) {
  const Topology facts = read({2, 5});
  ASSERT_EQ(facts.usable.size(), 2u);
  EXPECT_EQ(facts.usable[0].id, 2u);
  EXPECT_NE(facts.usable[0].core, facts.usable[1].core);
  EXPECT_EQ(facts.usable[0].cache, facts.usable[1].cache);
  EXPECT_EQ(facts.usable[0].node, facts.usable[1].node);
  EXPECT_FALSE(facts.restricted);
  EXPECT_EQ(facts.quota, 0);
}

TEST_F(MadeUpHost, TellsCoresCachesAndNodes) {
  write("sys/devices/system/cpu/online", "0-3");
  processor(0, "0,2", "0,2");
  processor(1, "1,3", "1,3");
  processor(2, "0,2", "0,2");
  processor(3, "1,3", "1,3");
  write("sys/devices/system/node/online", "0-1");
  write("sys/devices/system/node/node0/cpulist", "0,2");
  write("sys/devices/system/node/node1/cpulist", "1,3");
  const Topology facts = read({0, 1, 2, 3});
  ASSERT_EQ(facts.usable.size(), 4u);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(facts.usable[i].core, i % 2) << i;
    EXPECT_EQ(facts.usable[i].cache, i % 2) << i;
    EXPECT_EQ(facts.usable[i].node, i % 2) << i;
  }
  EXPECT_FALSE(facts.restricted);
  EXPECT_EQ(plan_threads(facts, 0).places, (std::vector<std::vector<unsigned>>{{1, 3}}));
}

TEST_F(MadeUpHost, SaysWhenOtherProcessorsAreThere) {
  write("sys/devices/system/cpu/online", "0-1,4");
  EXPECT_FALSE(read({0, 1, 4}).restricted);
  EXPECT_TRUE(read({0, 4}).restricted);
}

TEST_F(MadeUpHost, KnowsTheQuotaOfItsGroupAndOfThoseAbove) {
  write("proc/self/cgroup", "0::/a/b");
  EXPECT_EQ(read({0}).quota, 0);
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000");
  EXPECT_EQ(read({0}).quota, 0);
  write("sys/fs/cgroup/a/cpu.max", "250000 100000");
  EXPECT_EQ(read({0}).quota, 2.5);
  write("sys/fs/cgroup/a/b/cpu.max", "50000 100000");
  EXPECT_EQ(read({0}).quota, 0.5);
  write("sys/fs/cgroup/cpu.max", "400000 100000");
  EXPECT_EQ(read({0}).quota, 0.5);
}

TEST_F(MadeUpHost, KnowsTheQuotaOfAContainerWhosePathIsTheHosts) {
  write("proc/self/cgroup", "0::/../outside/of/here");
  write("sys/fs/cgroup/cpu.max", "150000 100000");
  EXPECT_EQ(read({0}).quota, 1.5);
}

TEST_F(MadeUpHost, KnowsTheQuotaOfOlderGroups) {
  write("proc/self/cgroup", "8:memory:/x\n4:cpu,cpuacct:/job\n0::/");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(read({0}).quota, 3);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(read({0}).quota, 0);
}

TEST_F(MadeUpHost, TakesNoHarmFromGarbage) {
  write("sys/devices/system/cpu/online", "many");
  write("sys/devices/system/node/online", "0-4000000000");
  write("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "-,x");
  write("sys/devices/system/cpu/cpu0/cache/index0/level", "none");
  write("proc/self/cgroup", "::::\nx\n0::\n\n");
  write("sys/fs/cgroup/cpu.max", "lots");
  const Topology facts = read({0});
  EXPECT_EQ(facts.usable[0].core, 0u);
  EXPECT_EQ(facts.quota, 0);
}

TEST(ThisHost, HasTheProcessorsOfTheAffinityMask) {
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(affinity().size(), static_cast<std::size_t>(CPU_COUNT(&set)));
  const Topology facts = this_topology();
  ASSERT_EQ(facts.usable.size(), affinity().size());
  EXPECT_LE(plan_threads(facts, 0).threads, facts.usable.size());
}

}  // namespace
}  // namespace skmd::cpu::test
