// SPDX-License-Identifier: Apache-2.0
#include "profiler/slurm_job.h"

#include <gtest/gtest.h>

namespace skmd::profiler {
namespace {

using Names = std::vector<std::string>;

/// The application's list; "error: …" where there is none.
std::string list(const std::string& hosts, const Environment& environment,
                 const std::string& host_name = "here.x.org") {
  const auto parsed = settings::parse_hosts("--hosts", hosts);
  EXPECT_TRUE(parsed) << parsed.error().reason;
  const auto result = with_slurm_nodes("--hosts", *parsed, slurm_job(environment, host_name));
  return result ? settings::text_of(*result) : "error: " + result.error().reason;
}

TEST(SlurmJob, IsReadFromTheEnvironment) {
  SlurmJob job = slurm_job({{"SLURM_JOB_NODELIST", "a"}, {"SLURM_NODELIST", "b"}, {"SLURMD_NODENAME", "a"}}, "c.d.e");
  EXPECT_EQ(job.variable, "SLURM_JOB_NODELIST");
  EXPECT_EQ(job.nodes, "a");
  EXPECT_EQ(job.own, Names{"a"});
  job = slurm_job({{"SLURM_JOB_NODELIST", ""}, {"SLURM_NODELIST", "b"}}, "c.d.e");
  EXPECT_EQ(job.variable, "SLURM_NODELIST");
  EXPECT_EQ(job.nodes, "b");
  EXPECT_EQ(job.own, (Names{"c.d.e", "c"}));
  EXPECT_EQ(slurm_job({}, "c").variable, "");
}

TEST(SlurmJob, GivesItsOtherNodes) {
  const Environment job = {{"SLURM_JOB_NODELIST", "node[08-10],gpu5"}, {"SLURMD_NODENAME", "node09"}};
  EXPECT_EQ(list("slurm", job), "node08:10998,node10:10998,gpu5:10998");
  EXPECT_EQ(list("slurm:11998", job), "node08:11998,node10:11998,gpu5:11998");
  EXPECT_EQ(list("a:1,slurm,ssh:b,ssh:c=unix:/tmp/c", job),
            "a:1,node08:10998,node10:10998,gpu5:10998,ssh:b,ssh:c=unix:/tmp/c");
  EXPECT_EQ(list("slurm,slurm:2", job), "node08:10998,node10:10998,gpu5:10998,node08:2,node10:2,gpu5:2");
  EXPECT_EQ(list("a:1,SLURM:2", job), "a:1,SLURM:2") << "a host of this name";
  EXPECT_EQ(list("slurm", {{"SLURM_NODELIST", "a,b"}, {"SLURMD_NODENAME", "c"}}), "a:10998,b:10998");
}

TEST(SlurmJob, LeavesOutTheNodeWhereWeAreByItsHostName) {
  EXPECT_EQ(list("slurm", {{"SLURM_JOB_NODELIST", "here,there"}}), "there:10998");
  EXPECT_EQ(list("slurm", {{"SLURM_JOB_NODELIST", "here.x.org,there.x.org"}}), "there.x.org:10998");
  EXPECT_EQ(list("slurm", {{"SLURM_JOB_NODELIST", "here,here2,her"}}), "here2:10998,her:10998");
  EXPECT_EQ(list("slurm", {{"SLURM_JOB_NODELIST", "here,there"}, {"SLURMD_NODENAME", "there"}}), "here:10998")
      << "SLURM's name is the one that counts";
  EXPECT_EQ(list("slurm", {{"SLURM_JOB_NODELIST", "a,b"}}, ""), "a:10998,b:10998") << "a host name that is not known";
}

TEST(SlurmJob, MayHaveNoOtherNode) {
  const Environment job = {{"SLURM_JOB_NODELIST", "node1"}, {"SLURMD_NODENAME", "node1"}};
  EXPECT_EQ(list("slurm", job), "");
  EXPECT_EQ(list("slurm,a:1", job), "a:1");
}

TEST(SlurmJob, IsMissedOnlyWhereItIsAskedFor) {
  EXPECT_EQ(list("a:1,ssh:b", {}), "a:1,ssh:b");
  EXPECT_EQ(list("a:1", {{"SLURM_JOB_NODELIST", "n["}}), "a:1");
  EXPECT_EQ(list("a:1,slurm:5", {}),
            "error: --hosts: 'slurm:5' is the nodes of a SLURM job, and neither SLURM_JOB_NODELIST nor SLURM_NODELIST "
            "is set; expected a SLURM job around skmd-run (a host of this name is written SLURM:PORT)");
}

TEST(SlurmJob, HasErrorsOfItsList) {
  EXPECT_EQ(list("slurm", {{"SLURM_NODELIST", "n[1-"}}),
            "error: SLURM_NODELIST: 'n[1-' is wrong at character 5: expected a number");
  EXPECT_EQ(list("slurm,N2:10998", {{"SLURM_JOB_NODELIST", "n[1-3]"}}), "error: --hosts: 'N2:10998' is named twice");
  EXPECT_EQ(list("slurm", {{"SLURM_JOB_NODELIST", "n[1,1]"}}), "error: --hosts: 'n1:10998' is named twice");
}

TEST(SlurmJob, HasAsManyOtherNodesAsHostsArePossible) {
  const Environment inside = {{"SLURM_JOB_NODELIST", "n[1-65]"}, {"SLURMD_NODENAME", "n65"}};
  const auto hosts = settings::parse_hosts("--hosts", list("slurm", inside));
  ASSERT_TRUE(hosts) << hosts.error().reason;
  EXPECT_EQ(hosts->size(), settings::kMaxHosts);
  EXPECT_EQ(list("slurm", {{"SLURM_JOB_NODELIST", "n[1-65]"}}),
            "error: --hosts: 'n65:10998' is one more than the 64 hosts that are possible");
  EXPECT_EQ(list("slurm", {{"SLURM_JOB_NODELIST", "n[1-1000000000]"}}),
            "error: SLURM_JOB_NODELIST: 'n[1-1000000000]' is wrong at character 1: there are more than 65 nodes");
}

}  // namespace
}  // namespace skmd::profiler
