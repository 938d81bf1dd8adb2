// SPDX-License-Identifier: Apache-2.0
#include "profiler/ssh_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "profiler/ssh_hosts.h"

namespace skmd::profiler {
namespace {

using Words = std::vector<std::string>;

const SshPlace kPlace{"me@hostc", "/tmp/here/0", "/tmp/there"};

TEST(SshCommand, ForwardsBothSocketsAndStartsTheServer) {
  const Words command = ssh_command("", kPlace);
  EXPECT_EQ(command.front(), "ssh");
  ASSERT_GE(command.size(), 8u);
  EXPECT_EQ(Words(command.end() - 7, command.end()),
            (Words{"-L", "/tmp/here/0/command:/tmp/there/command", "-L", "/tmp/here/0/stream:/tmp/there/stream", "--",
                   "me@hostc", "skmd-serve --listen unix:/tmp/there --until-eof"}));
  // Neither a question nor a connection that outlives the command.
  for (const char* option : {"BatchMode=yes", "ControlMaster=no", "ControlPath=none", "StreamLocalBindMask=0177"}) {
    const auto found = std::find(command.begin(), command.end(), option);
    ASSERT_NE(found, command.end()) << option;
    EXPECT_EQ(*(found - 1), "-o");
  }
}

TEST(SshCommand, MayBeAnotherWithWordsOfItsOwn) {
  const Words command = ssh_command("  /opt/ssh -F  my.conf ", kPlace);
  EXPECT_EQ(Words(command.begin(), command.begin() + 3), (Words{"/opt/ssh", "-F", "my.conf"}));
  EXPECT_EQ(Words(command.begin() + 3, command.end()), [] {
    Words rest = ssh_command("", kPlace);
    rest.erase(rest.begin());
    return rest;
  }());
}

TEST(SshCommand, KnowsTheLineOfItsServer) {
  EXPECT_TRUE(tells_serving("serving 2 devices on unix:/tmp/there", "/tmp/there"));
  for (const char* line :
       {"", "serving 2 devices on unix:/tmp/there2", "serving 2 devices on 10.0.0.1:10998", "Welcome to hostc",
        "not serving 2 devices on unix:/tmp/there", "serving 2 devices on unix:/tmp/ther"})
    EXPECT_FALSE(tells_serving(line, "/tmp/there")) << line;
}

TEST(SshCommand, SaysWhyItEnded) {
  const auto exited = [](int code) { return code << 8; };  // as waitpid() has it
  EXPECT_EQ(why_ssh_ended(exited(255), "me@hostc: Permission denied (publickey)."),
            "me@hostc: Permission denied (publickey).");
  EXPECT_EQ(why_ssh_ended(exited(255), ""), "ssh could not connect");
  EXPECT_EQ(why_ssh_ended(exited(127), "sh: skmd-serve: not found"),
            "skmd-serve is not in the PATH there: sh: skmd-serve: not found");
  EXPECT_EQ(why_ssh_ended(exited(125), ""), "skmd-serve ended with status 125");
  EXPECT_EQ(why_ssh_ended(9, ""), "ssh was ended by a signal: Killed");
}

std::set<std::string> folders() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/tmp"))
    if (entry.path().filename().string().starts_with("skmd-ssh-")) names.insert(entry.path().string());
  return names;
}

/// Of `names` those that were not there before, and stay: other tests' folders are gone after some seconds.
std::set<std::string> left_of(std::set<std::string> names, const std::set<std::string>& before) {
  std::erase_if(names, [&](const std::string& name) { return before.contains(name); });
  for (int i = 0; i < 300 && !names.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::erase_if(names, [](const std::string& name) { return !std::filesystem::exists(name); });
  }
  return names;
}

/// What reach() makes of `hosts`, and what it leaves.
std::string reached(const std::string& text, const std::string& ssh) {
  auto hosts = settings::parse_hosts("--hosts", text);
  EXPECT_TRUE(hosts);
  const auto before = folders();
  {
    SshHosts connections;
    const auto status = connections.reach(*hosts, ssh);
    EXPECT_TRUE(status) << status.error().reason;
  }
  EXPECT_EQ(left_of(folders(), before), std::set<std::string>());
  return settings::text_of(*hosts);
}

TEST(SshHosts, AreLeftOutWhereSshFails) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(reached("ssh:b,c:1,ssh:me@d", "/nowhere/ssh"), "ssh:b=,c:1,ssh:me@d=");
  EXPECT_EQ(reached("ssh:b", "false"), "ssh:b=");
  const std::string told = testing::internal::GetCapturedStderr();
  for (const char* text : {"ssh:b: is left out: cannot run '/nowhere/ssh': No such file",
                           "ssh:me@d: is left out: cannot run", "ssh:b: is left out: skmd-serve ended with status 1"})
    EXPECT_NE(told.find(text), std::string::npos) << told;
}

TEST(SshHosts, AreNotTriedTwiceNorWhereThereIsNone) {
  EXPECT_EQ(reached("c:1,ssh:d=unix:/tmp/d,ssh:e=", "/nowhere/ssh"), "c:1,ssh:d=unix:/tmp/d,ssh:e=");
}

}  // namespace
}  // namespace skmd::profiler
