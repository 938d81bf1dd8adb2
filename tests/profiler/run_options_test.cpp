// SPDX-License-Identifier: Apache-2.0
#include "profiler/run_options.h"

#include <gtest/gtest.h>

#include <fstream>

#include "profiler/settings/variables.h"
#include "tests/temporary_folder.h"

namespace skmd::profiler {
namespace {

using Words = std::vector<std::string>;

RunOptions parsed(const Words& arguments) {
  RunOptions options;
  const auto end = parse_run_options(arguments, options);
  EXPECT_FALSE(end.has_value()) << (end ? end->text : "");
  return options;
}

TEST(RunOptions, MirrorTheVariables) {
  const RunOptions options =
      parsed({"--devices", "cpu,a:b@discrete", "--partition",  "fixed:30,70", "--stats",       "/s",  "--trace",
              "/t",        "--verify",         "--log",        "debug",       "--cache-dir",   "/c",  "--vendors",
              "/v",        "--split-mixed",    "--profile-db", "/p",          "--device-type", "gpu", "--",
              "app"});
  EXPECT_EQ(options.variables, (Environment{{"SKMD_DEVICES", "cpu,a:b@discrete"},
                                            {"SKMD_PARTITION", "fixed:30,70"},
                                            {"SKMD_STATS", "/s"},
                                            {"SKMD_TRACE", "/t"},
                                            {"SKMD_VERIFY", "1"},
                                            {"SKMD_LOG", "debug"},
                                            {"SKMD_CACHE_DIR", "/c"},
                                            {"SKMD_VENDORS", "/v"},
                                            {"SKMD_SPLIT_MIXED", "1"},
                                            {"SKMD_PROFILE_DB", "/p"},
                                            {"SKMD_DEVICE_TYPE", "gpu"}}));
  EXPECT_EQ(options.command, Words{"app"});
}

TEST(RunOptions, AFlagThatIsOffAndALogWithoutALevelLeaveTheEnvironments) {
  EXPECT_EQ(parsed({"--verify=false", "--log", "", "app"}).variables, Environment());
  EXPECT_EQ(parsed({"--verify", "--stats", "", "app"}).variables,
            (Environment{{"SKMD_VERIFY", "1"}, {"SKMD_STATS", ""}}));
}

TEST(RunOptions, EveryVariableWithAnOptionIsInTheHelp) {
  RunOptions options;
  const auto end = parse_run_options({"--help"}, options);
  ASSERT_TRUE(end.has_value());
  std::size_t at = 0;
  for (const settings::Variable& variable : settings::kVariables) {
    if (*variable.option == 0) continue;
    at = end->text.find(std::string("  ") + variable.option + " ", at);
    ASSERT_NE(at, std::string::npos) << variable.option << " is not there, or not in the order of options.def";
  }
}

TEST(RunOptions, HostsAreCheckedAndReadFromFiles) {
  EXPECT_EQ(parsed({"--hosts", "b:1,c:1", "app"}).variables, (Environment{{"SKMD_HOSTS", "b:1,c:1"}}));
  // The job's nodes are listed when the application's environment is known.
  EXPECT_EQ(parsed({"--hosts", "slurm,c:1", "app"}).variables, (Environment{{"SKMD_HOSTS", "slurm,c:1"}}));
  const skmd::test::TemporaryFolder folder;
  const std::string file = folder.file("hosts");
  std::ofstream(file) << "# ours\nb:1\nc:1 # slow\n";
  EXPECT_EQ(parsed({"--hosts", "@" + file, "app"}).variables, (Environment{{"SKMD_HOSTS", "b:1,c:1"}}));
  std::ofstream(folder.file("twice")) << "b:1\nb:1\n";
  const std::pair<std::string, std::string> wrong[] = {
      {"b", "skmd-run: --hosts: 'b' has no port; expected HOST:PORT, ssh:[USER@]HOST or slurm\n"},
      {"slurm:x", "skmd-run: --hosts: 'slurm:x' has the port 'x'; expected a number from 1 to 65533\n"},
      {"@" + folder.file("none"), "skmd-run: --hosts: '@" + folder.file("none") + "' cannot be read\n"},
      {"@" + folder.file("twice"), "skmd-run: --hosts: 'b:1' is named twice\n"},
  };
  for (const auto& [value, text] : wrong) {
    RunOptions options;
    const auto end = parse_run_options({"--hosts", value, "app"}, options);
    ASSERT_TRUE(end.has_value()) << value;
    EXPECT_EQ(end->status, 125);
    EXPECT_EQ(end->text, text);
  }
}

TEST(RunOptions, TheApplicationsOptionsAreItsOwn) {
  EXPECT_EQ(parsed({"--partition=equal", "app", "--partition", "x"}).command, (Words{"app", "--partition", "x"}));
  EXPECT_EQ(parsed({"--verify", "app", "--", "x"}).command, (Words{"app", "--", "x"}));
  EXPECT_EQ(parsed({"--", "--app"}).command, Words{"--app"});
}

TEST(RunOptions, AValueMayLookLikeAnApplication) {
  const RunOptions options = parsed({"--stats", "/app", "real"});
  EXPECT_EQ(options.command, Words{"real"});
  EXPECT_EQ(options.variables.at("SKMD_STATS"), "/app");
}

TEST(RunOptions, HelpEndsEarlyWithSuccess) {
  RunOptions options;
  const auto end = parse_run_options({"--help"}, options);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->status, 0);
  EXPECT_NE(end->text.find("--partition"), std::string::npos);
}

TEST(RunOptions, TheEnvironmentIsKeptUnlessAnOptionSaysOtherwise) {
  RunOptions options;
  options.variables["SKMD_PARTITION"] = "equal";
  const Environment outer = {
      {"PATH", "/bin"}, {"SKMD_PARTITION", "auto"}, {"SKMD_DEVICES", "cpu"}, {"SKMD_STATS", "/s"}};
  const Environment inner = application_environment(outer, options, {"/icd", "/lib/libskmd.so"}, "/vendors", "/shared");
  EXPECT_EQ(inner.at("PATH"), "/bin");
  EXPECT_EQ(inner.at("SKMD_PARTITION"), "equal");
  EXPECT_EQ(inner.at("SKMD_DEVICES"), "cpu");
  EXPECT_EQ(inner.at("SKMD_STATS"), "/s");
  EXPECT_EQ(inner.at("SKMD_STATS_SHM"), "/shared");
  EXPECT_EQ(inner.at("SKMD_VENDORS"), "/vendors");
  EXPECT_EQ(inner.at("OCL_ICD_VENDORS"), "/icd");
  EXPECT_EQ(inner.at("OCL_ICD_FILENAMES"), "/lib/libskmd.so");
}

}  // namespace
}  // namespace skmd::profiler
