// SPDX-License-Identifier: Apache-2.0
// skmd-ctl's command line, where it looks for a process, and what it says of answers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiler/control/control_client.h"
#include "profiler/control/ctl_options.h"
#include "profiler/control/status_text.h"
#include "profiler/settings/control_place.h"
#include "tests/temporary_folder.h"

namespace skmd::profiler {
namespace {

using Words = std::vector<std::string>;

std::string refusal(const Words& words) {
  CtlOptions options;
  const auto end = parse_ctl_options(words, options);
  if (!end) return "";
  EXPECT_EQ(end->status, kCtlBadUsage);
  return end->text;
}

TEST(CtlOptions, TakeAProcessAndACommandWithItsNames) {
  CtlOptions options;
  ASSERT_FALSE(parse_ctl_options({"12", "move", "nbody", "NVIDIA H100", "--json"}, options));
  EXPECT_EQ(options.process, 12);
  EXPECT_EQ(options.words, (Words{"move", "nbody", "NVIDIA H100"}));
  EXPECT_TRUE(options.as_json);
  CtlOptions other;
  ASSERT_FALSE(parse_ctl_options({"--folder", "/run/sockets", "1", "status"}, other));
  EXPECT_EQ(other.folder, "/run/sockets");
  EXPECT_FALSE(other.as_json);
}

TEST(CtlOptions, WhatIsWrongIsNamed) {
  EXPECT_NE(refusal({"12", "stauts"}).find("command \"stauts\" is not known: is \"status\" meant?"), std::string::npos);
  EXPECT_NE(refusal({"12", "stop"}).find("stop takes DEVICE behind it"), std::string::npos);
  EXPECT_NE(refusal({"12", "move", "nbody"}).find("move takes KERNEL DEVICE behind it"), std::string::npos);
  EXPECT_NE(refusal({"12", "suspend", "now"}).find("suspend takes no more words"), std::string::npos);
  EXPECT_NE(refusal({"0", "status"}).find("PID 0: expected a number above 0"), std::string::npos);
  EXPECT_NE(refusal({"12", "stop", "a\tb"}).find("no tabs"), std::string::npos);
  EXPECT_FALSE(refusal({"12"}).empty());
  EXPECT_FALSE(refusal({"me", "status"}).empty());
  EXPECT_FALSE(refusal({}).empty());
  CtlOptions options;
  const auto help = parse_ctl_options({"--help"}, options);
  ASSERT_TRUE(help);
  EXPECT_EQ(help->status, kCtlDone);
}

TEST(ControlPlace, IsWhereTheVariableSays) {
  using settings::control_folder;
  EXPECT_EQ(*control_folder("", "/run/user/7", 7), std::nullopt);
  EXPECT_EQ(*control_folder("0", "/run/user/7", 7), std::nullopt);
  EXPECT_EQ(**control_folder("1", "/run/user/7", 7), "/run/user/7/skmd");
  EXPECT_EQ(**control_folder("1", "", 7), "/tmp/skmd-7");
  EXPECT_EQ(**control_folder("1", "here", 7), "/tmp/skmd-7") << "no absolute path: by its specification to be ignored";
  EXPECT_EQ(**control_folder("/var/sockets", "/run/user/7", 7), "/var/sockets");
  EXPECT_EQ(control_folder("yes", "", 7).error().reason,
            "SKMD_CONTROL=yes: expected 0, 1 or the absolute path of a folder");
  EXPECT_EQ(*settings::control_socket("/run/skmd", 12), "/run/skmd/12");
  EXPECT_NE(settings::control_socket("/" + std::string(120, 'x'), 12).error().reason.find("at most 106"),
            std::string::npos);
}

TEST(ControlClient, SaysWhyAProcessDoesNotAnswer) {
  const skmd::test::TemporaryFolder folder;
  EXPECT_NE(ask(folder.file("."), 1, {"status"}).error().reason.find("process 1 has no socket"), std::string::npos);
  // Above the largest number that Linux gives to processes (PID_MAX_LIMIT).
  EXPECT_EQ(ask(folder.file("."), 4194305, {"status"}).error().reason, "process 4194305 does not run");
}

TEST(StatusText, TellsDevicesAndKernels) {
  const auto answer = nlohmann::json::parse(
      R"({"ok":true,"version":1,"pid":12,"program":"app","suspended":true,"devices":[{"name":"Xeon","selector":"cpu",)"
      R"("state":"open","launches":1,"bytes":96,"sole_bytes":32}],"kernels":[{"name":"nbody","running_groups":[5]}]})");
  EXPECT_EQ(text_of_answer({"status"}, answer),
            "app, process 12, suspended\n"
            "  device 0: Xeon (cpu): open, 1 launches, 96 bytes, 32 of them nowhere else\n"
            "  kernel nbody: groups under way 5 on device 0\n");
}

TEST(StatusText, TellsWhatWasDone) {
  const auto said = [](const Words& words, const char* text) {
    return text_of_answer(words, nlohmann::json::parse(text));
  };
  EXPECT_EQ(said({"stop", "0"}, R"({"device":"Xeon","objects":2,"fetched_bytes":64})"),
            "Xeon is stopped: 64 bytes were fetched that it alone had, and 2 memory objects were released\n");
  EXPECT_EQ(said({"start", "0"}, R"({"device":"Xeon"})"), "Xeon is started\n");
  EXPECT_EQ(said({"move", "nbody", "0"}, R"({"kernel":"nbody","device":"Xeon","launches":1,"groups":7})"),
            "7 groups of nbody moved to Xeon\n");
  EXPECT_EQ(said({"suspend"}, R"({"objects":2,"fetched_bytes":64,"open":["Xeon: context"]})"),
            "suspended: 64 bytes were fetched that only devices had, and 2 memory objects were released\n"
            "  still open: Xeon: context\n");
  EXPECT_EQ(said({"resume"}, "{}"), "resumed\n");
}

TEST(StatusText, NamesTheNearestName) {
  const auto said = [](const char* text) { return text_of_refusal(nlohmann::json::parse(text)); };
  EXPECT_EQ(said(R"({"reason":"no device has this name","what":"device","name":"Xoen","names":["Xeon","H100"]})"),
            "device \"Xoen\" is not known: is \"Xeon\" meant?");
  EXPECT_EQ(
      said(R"({"reason":"no launch of the kernel nbdoy is running","what":"kernel","name":"nbdoy","names":["nbody"]})"),
      "no launch of the kernel nbdoy is running: is \"nbody\" meant?");
  EXPECT_EQ(said(R"({"reason":"no launch of the kernel f is running","what":"kernel","name":"f","names":[]})"),
            "no launch of the kernel f is running");
  EXPECT_EQ(said(R"({"reason":"it is stopped already"})"), "it is stopped already");
}

}  // namespace
}  // namespace skmd::profiler
