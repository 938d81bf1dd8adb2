// SPDX-License-Identifier: Apache-2.0
#include "profiler/settings/host_list.h"

#include <gtest/gtest.h>

namespace skmd::settings {
namespace {

using List = std::vector<std::string>;

List names(const std::vector<Host>& hosts) {
  List result;
  for (const Host& host : hosts) result.push_back(host.name);
  return result;
}

TEST(HostList, KeepsEntriesAsTheyAreWrittenAndInOrder) {
  const auto hosts = parse_hosts("SKMD_HOSTS", " HostB.example:10998 ,10.77.0.2:1,my_host-2:65533");
  ASSERT_TRUE(hosts) << hosts.error().reason;
  EXPECT_EQ(names(*hosts), (List{"HostB.example:10998", "10.77.0.2:1", "my_host-2:65533"}));
  for (const Host& host : *hosts) {
    EXPECT_EQ(host.server, host.name);
    EXPECT_FALSE(host.by_ssh());
  }
  for (const char* none : {"", "  "}) {
    const auto empty = parse_hosts("SKMD_HOSTS", none);
    ASSERT_TRUE(empty);
    EXPECT_TRUE(empty->empty());
  }
  EXPECT_TRUE(parse_hosts("SKMD_HOSTS", "hostb:1,hostb:2")) << "two servers of one machine";
}

struct Case {
  const char* text;
  const char* reason;
};

TEST(HostList, ErrorsNameTheArgumentTheEntryAndTheLimit) {
  const Case cases[] = {
      {"hostb", "'hostb' has no port"},
      {":10998", "':10998' names no host"},
      {"hostb:", "'hostb:' has the port ''; expected a number from 1 to 65533"},
      {"hostb:0", "'hostb:0' has the port '0'; expected a number from 1 to 65533"},
      {"hostb:65534", "'hostb:65534' has the port '65534'; expected a number from 1 to 65533"},
      {"hostb:4294967297", "has the port '4294967297'"},
      {"hostb:10998/nvidia", "has the port '10998/nvidia'"},
      {"hostb:+1", "has the port '+1'"},
      {"host b:1", "has the host 'host b'; expected a name or an IPv4 address"},
      {"[::1]:1", "has the host '[::1]'"},
      {"@file", "'@file' has no port"},
      {"a:1,", "'a:1,' has an empty entry"},
      {"a:1,,b:1", "has an empty entry"},
      {"a:1,b:1,A:1", "'A:1' is named twice"},
      {"ssh:", "'ssh:' names no host; expected ssh:[USER@]HOST"},
      {"ssh:me@", "names no host"},
      {"ssh:@hostc", "has the user ''"},
      {"ssh:hostc:22", "has more than a host behind 'ssh:'"},
      {"ssh:me@hostc/x", "has the host 'hostc/x'"},
      {"ssh:me you@hostc", "has the user 'me you'"},
      {"ssh:$(id)@hostc", "has the user '$(id)'"},
      {"ssh:-oProxyCommand@hostc", "begins with '-'"},
      {"ssh:-hostc", "begins with '-'"},
      {"ssh:me@-hostc", "begins with '-'"},
      {"ssh:hostc=10.0.0.1:1", "has '10.0.0.1:1' behind its '='; expected unix:FOLDER"},
      {"ssh:hostc=unix:tmp", "has 'unix:tmp' behind its '='"},
      {"slurm:", "'slurm:' has the port ''; expected a number from 1 to 65533"},
      {"slurm:0", "'slurm:0' has the port '0'"},
      {"slurm:node1", "'slurm:node1' has the port 'node1'"},
      {"slurm:1:2", "'slurm:1:2' has the port '1:2'"},
      {"slurm,b:1,slurm", "'slurm' is named twice"},
      {"SLURM", "'SLURM' has no port"},
      {"ssh:hostc,ssh:HostC=unix:/tmp/x", "'ssh:HostC=unix:/tmp/x' is named twice"},
  };
  for (const Case& c : cases) {
    const auto hosts = parse_hosts("--hosts", c.text);
    ASSERT_FALSE(hosts) << c.text;
    EXPECT_TRUE(hosts.error().reason.starts_with("--hosts: '")) << hosts.error().reason;
    EXPECT_NE(hosts.error().reason.find(c.reason), std::string::npos) << hosts.error().reason;
  }
}

TEST(HostList, HostsOfSshHaveASecondFormForTheApplication) {
  const std::string text = "ssh:me@hostc,b:1, ssh:hostd=unix:/tmp/d/0,ssh:hoste=";
  const auto hosts = parse_hosts("SKMD_HOSTS", text);
  ASSERT_TRUE(hosts) << hosts.error().reason;
  EXPECT_EQ(*hosts, (std::vector<Host>{{.name = "ssh:me@hostc", .server = "", .tried = false},
                                       {.name = "b:1", .server = "b:1"},
                                       {.name = "ssh:hostd", .server = "unix:/tmp/d/0"},
                                       {.name = "ssh:hoste", .server = ""}}));
  EXPECT_EQ(text_of(*hosts), "ssh:me@hostc,b:1,ssh:hostd=unix:/tmp/d/0,ssh:hoste=");
  const auto tried = all_tried("SKMD_HOSTS", *hosts);
  ASSERT_FALSE(tried);
  EXPECT_TRUE(tried.error().reason.starts_with("SKMD_HOSTS: 'ssh:me@hostc' is reached by skmd-run"))
      << tried.error().reason;
  EXPECT_TRUE(all_tried("SKMD_HOSTS", {hosts->begin() + 1, hosts->end()}));
}

TEST(HostList, AHostMayBeNamedSsh) {
  const auto hosts = parse_hosts("SKMD_HOSTS", "ssh:10998");
  ASSERT_TRUE(hosts) << hosts.error().reason;
  EXPECT_EQ(hosts->front(), (Host{.name = "ssh:10998", .server = "ssh:10998"}));
  EXPECT_FALSE(hosts->front().by_ssh());
  EXPECT_EQ(text_of(*hosts), "ssh:10998");
  EXPECT_FALSE(parse_hosts("SKMD_HOSTS", "ssh:65534"));
}

TEST(HostList, SlurmStandsForNodesAndSkmdRunAloneKnowsThem) {
  const auto hosts = parse_hosts("SKMD_HOSTS", "slurm,b:1, slurm:11998 ,SLURM:11998,slurm1:1,ssh:slurm");
  ASSERT_TRUE(hosts) << hosts.error().reason;
  EXPECT_EQ(*hosts, (std::vector<Host>{{.name = "slurm", .server = "", .tried = false, .nodes_port = kDefaultPort},
                                       {.name = "b:1", .server = "b:1"},
                                       {.name = "slurm:11998", .server = "", .tried = false, .nodes_port = 11998},
                                       {.name = "SLURM:11998", .server = "SLURM:11998"},
                                       {.name = "slurm1:1", .server = "slurm1:1"},
                                       {.name = "ssh:slurm", .server = "", .tried = false}}));
  EXPECT_EQ(text_of(*hosts), "slurm,b:1,slurm:11998,SLURM:11998,slurm1:1,ssh:slurm");
  for (const Host& host : *hosts) EXPECT_EQ(host.by_ssh(), host.name == "ssh:slurm");
  const auto tried = all_tried("SKMD_HOSTS", *hosts);
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.error().reason,
            "SKMD_HOSTS: 'slurm' is a SLURM job's nodes, which are listed by skmd-run; start the application with "
            "skmd-run, or name a HOST:PORT");
  const auto file = hosts_of_file("f", "slurm\nb:1\n");
  ASSERT_TRUE(file) << file.error().reason;
  EXPECT_EQ(*file, "slurm,b:1");
}

TEST(HostList, HasLimits) {
  std::string most;
  for (std::size_t i = 1; i <= kMaxHosts; ++i) most += (i == 1 ? "h:" : ",h:") + std::to_string(i);
  EXPECT_TRUE(parse_hosts("SKMD_HOSTS", most));
  const auto more = parse_hosts("SKMD_HOSTS", most + ",h:1000");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().reason, "SKMD_HOSTS: 'h:1000' is one more than the 64 hosts that are possible");
  EXPECT_TRUE(parse_hosts("SKMD_HOSTS", std::string(kLongestHost, 'h') + ":1"));
  EXPECT_FALSE(parse_hosts("SKMD_HOSTS", std::string(kLongestHost + 1, 'h') + ":1"));
}

TEST(HostsOfFile, TakesOneALineWithoutComments) {
  const auto list = hosts_of_file("f", "# machines\n  hostb:10998\t# fast\r\n\n\nssh:me@hostc");
  ASSERT_TRUE(list) << list.error().reason;
  EXPECT_EQ(*list, "hostb:10998,ssh:me@hostc");
}

TEST(HostsOfFile, ErrorsNameTheLine) {
  const auto wrong = hosts_of_file("f", "a:1\n\nhostb\n");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().reason, "f:3: 'hostb' has no port; expected HOST:PORT, ssh:[USER@]HOST or slurm");
  const auto two = hosts_of_file("f", "a:1, b:1\n");
  ASSERT_FALSE(two);
  const auto none = hosts_of_file("f", "# nothing\n\n");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, "f: names no host; expected HOST:PORT, ssh:[USER@]HOST or slurm, one a line");
}

}  // namespace
}  // namespace skmd::settings
