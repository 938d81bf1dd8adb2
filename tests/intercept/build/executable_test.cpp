// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/executable.h"

#include <gtest/gtest.h>

#include "intercept/build/container.h"
#include "intercept/machine/running_launches.h"
#include "tests/intercept/build/build_fixture.h"

namespace skmd::icd {
namespace {

using Executable = test::BuildTest;

TEST_F(Executable, EveryDeviceGetsTheRewrittenTextAndTheVendorOptions) {
  const BuildOutcome outcome = make_executable(machine, answer("text"), nullptr);
  ASSERT_NE(outcome.build, nullptr);
  for (const auto& device : {anchor, other}) {
    EXPECT_EQ(device->built, std::vector<std::string>{"rewritten text"});
    EXPECT_EQ(device->built_options, std::vector<std::string>{"-cl-std=CL1.2"});
  }
  EXPECT_EQ(outcome.log, "") << "the log of a good build is empty";
  ASSERT_EQ(outcome.build->kernels.size(), 1u);
  EXPECT_TRUE(outcome.build->kernels[0]->built_on(0));
  EXPECT_TRUE(outcome.build->kernels[0]->built_on(1));
  EXPECT_FALSE(outcome.build->kernels[0]->opaque());
}

TEST_F(Executable, AFailingDeviceIsALineInTheLogAndTakesNoPart) {
  other->accepts = [](const std::string&) { return false; };
  const BuildOutcome outcome = make_executable(machine, answer("text"), nullptr);
  ASSERT_NE(outcome.build, nullptr);
  EXPECT_EQ(outcome.code, CL_SUCCESS);
  EXPECT_NE(outcome.log.find("second"), std::string::npos) << outcome.log;
  EXPECT_NE(outcome.log.find("refused by second"), std::string::npos) << outcome.log;
  EXPECT_FALSE(outcome.build->kernels[0]->built_on(1));
}

TEST_F(Executable, RunsWhereItWasBuiltThoughTheAnchorFails) {
  anchor->accepts = [](const std::string&) { return false; };
  const BuildOutcome outcome = make_executable(machine, answer("text"), nullptr);
  ASSERT_NE(outcome.build, nullptr) << outcome.log;
  EXPECT_NE(outcome.log.find("takes no part: first: refused\nerror: refused by first"), std::string::npos)
      << outcome.log;
  EXPECT_FALSE(outcome.build->kernels[0]->built_on(0));
  EXPECT_EQ(outcome.build->kernels[0]->home(), 1u);
}

TEST_F(Executable, ProgramsWithVariablesOfTheirOwnAreKnownToThoseWhoStopDevices) {
  machine.devices = {anchor};  // no other thread builds, and keeps the program a little longer
  RunningLaunches running(machine);
  machine.running = &running;
  BuildOutcome plain = make_executable(machine, answer("plain"), nullptr);
  EXPECT_TRUE(running.kept_on(0).empty());
  compiler::CompileAnswer keeps = answer("keeps");
  keeps.kernels[0].facts |= domain::kFactMutableProgramScope;
  BuildOutcome outcome = make_executable(machine, keeps, nullptr);
  EXPECT_EQ(running.kept_on(0), std::vector<std::string>{"k"});
  outcome.build.reset();
  EXPECT_TRUE(running.kept_on(0).empty()) << "they go with the program";
}

TEST_F(Executable, AStoppedDeviceIsBuiltForWhenAProgramIsTakenNowhereElse) {
  machine.stopped = 1;
  const BuildOutcome first = make_executable(machine, answer("text"), nullptr);
  ASSERT_NE(first.build, nullptr);
  EXPECT_FALSE(first.build->kernels[0]->built_on(0));
  EXPECT_TRUE(first.build->kernels[0]->built_on(1));
  other->accepts = [](const std::string&) { return false; };
  const BuildOutcome second = make_executable(machine, answer("text"), nullptr);
  ASSERT_NE(second.build, nullptr) << second.log;
  EXPECT_TRUE(second.build->kernels[0]->built_on(0));
}

TEST_F(Executable, FailsWhenEveryDeviceFails) {
  refused_by_all();
  const BuildOutcome outcome = make_executable(machine, answer("text"), nullptr);
  EXPECT_EQ(outcome.build, nullptr);
  EXPECT_EQ(outcome.code, CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(outcome.log.find("failed on first: refused\nerror: refused by first"), std::string::npos) << outcome.log;
  EXPECT_NE(outcome.log.find("failed on second: refused\nerror: refused by second"), std::string::npos) << outcome.log;
}

TEST_F(Executable, BlobsOfTheSameDriverSaveTheBuild) {
  const BuildOutcome first = make_executable(machine, answer("text"), nullptr);
  const auto blobs = collect_blobs(machine, first.build->native);
  ASSERT_EQ(blobs.size(), 2u);
  const BuildOutcome second = make_executable(machine, answer("text"), &blobs);
  ASSERT_NE(second.build, nullptr);
  EXPECT_EQ(anchor->built.size(), 1u);
  EXPECT_EQ(anchor->loads, 1);
  EXPECT_EQ(other->loads, 1);
}

TEST_F(Executable, BlobsOfAnotherDriverVersionAreNotTried) {
  const BuildOutcome first = make_executable(machine, answer("text"), nullptr);
  const auto blobs = collect_blobs(machine, first.build->native);
  anchor->answer_text(CL_DRIVER_VERSION, "2.0");
  const BuildOutcome second = make_executable(machine, answer("text"), &blobs);
  ASSERT_NE(second.build, nullptr);
  EXPECT_EQ(anchor->loads, 0);
  EXPECT_EQ(anchor->built.size(), 2u);
  EXPECT_EQ(other->loads, 1);
}

TEST_F(Executable, ABlobThatTheVendorRefusesIsRebuiltQuietly) {
  const BuildOutcome first = make_executable(machine, answer("text"), nullptr);
  const auto blobs = collect_blobs(machine, first.build->native);
  anchor->binary_prefix = "other format:";
  const BuildOutcome second = make_executable(machine, answer("text"), &blobs);
  ASSERT_NE(second.build, nullptr);
  EXPECT_EQ(second.log, "");
  EXPECT_EQ(anchor->built.size(), 2u);
}

TEST_F(Executable, OpaqueKernelsAreDescribedByTheAnchorsVendor) {
  anchor->kernels = {"k"};
  anchor->arguments["k"] = {
      {"global", "float*"}, {"private", "int3"}, {"local", "int*"}, {"private", "struct pair"}, {"", ""}};
  VendorInput input;
  input.text = "anything";
  input.options = "-DX=1";
  const BuildOutcome outcome = make_opaque(machine, input, "a reason", false);
  ASSERT_NE(outcome.build, nullptr) << outcome.log;
  EXPECT_EQ(anchor->built, std::vector<std::string>{"anything"});
  EXPECT_EQ(anchor->built_options, std::vector<std::string>{"-DX=1 -cl-kernel-arg-info"});
  ASSERT_EQ(outcome.build->kernels.size(), 1u);
  EXPECT_TRUE(outcome.build->kernels[0]->opaque());
  const auto& parameters = outcome.build->kernels[0]->traits().parameters;
  ASSERT_EQ(parameters.size(), 5u);
  EXPECT_EQ(parameters[0].kind, domain::ParameterKind::global_pointer);
  EXPECT_EQ(parameters[1].size, 16u);
  EXPECT_TRUE(parameters[1].three_vector);
  EXPECT_EQ(parameters[2].kind, domain::ParameterKind::local_pointer);
  EXPECT_EQ(parameters[3].kind, domain::ParameterKind::value);
  EXPECT_EQ(parameters[3].size, 0u) << "a struct's size is not told";
  EXPECT_EQ(parameters[4].kind, domain::ParameterKind::other);
}

TEST_F(Executable, OpaqueKernelsAreDescribedByWhoeverTakesThemWhereTheAnchorDoesNot) {
  anchor->accepts = [](const std::string&) { return false; };
  other->kernels = {"k"};
  other->arguments["k"] = {{"private", "struct pair"}};
  other->value_bytes = {{0, 8}};
  VendorInput input;
  input.text = "what only one vendor knows";
  const BuildOutcome outcome = make_opaque(machine, input, "a reason", false);
  ASSERT_NE(outcome.build, nullptr) << outcome.log;
  ASSERT_EQ(outcome.build->kernels.size(), 1u);
  BuiltKernel& kernel = *outcome.build->kernels[0];
  EXPECT_EQ(kernel.home(), 1u);
  EXPECT_TRUE(kernel.takes_value(0, 8));
  EXPECT_FALSE(kernel.takes_value(0, 4)) << "its size is what that vendor says";
}

TEST_F(Executable, TheContainerGivesBackWhatWentIn) {
  BuildOutcome outcome = make_executable(machine, answer("text"), nullptr);
  outcome.build->units = {{"unit text", "-cl-std=CL3.0", true, true}};
  const std::string packed = pack_program(*outcome.build, collect_blobs(machine, outcome.build->native));
  const auto unpacked = unpack_program(packed);
  ASSERT_TRUE(unpacked) << unpacked.error().reason;
  const ProgramBuild& build = **unpacked;
  EXPECT_EQ(build.type, cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
  EXPECT_EQ(build.answer.text, "rewritten text");
  EXPECT_EQ(build.answer.kernels, outcome.build->answer.kernels);
  ASSERT_EQ(build.units.size(), 1u);
  EXPECT_EQ(build.units[0].text, "unit text");
  EXPECT_TRUE(build.units[0].opaque);
  ASSERT_EQ(build.blobs.size(), 2u);
  EXPECT_EQ(build.blobs[0].driver, driver_key(*anchor));
}

TEST_F(Executable, TheContainerRefusesEveryDamage) {
  const BuildOutcome outcome = make_executable(machine, answer("text"), nullptr);
  const std::string packed = pack_program(*outcome.build, collect_blobs(machine, outcome.build->native));
  for (size_t cut = 0; cut < packed.size(); ++cut) {
    const auto unpacked = unpack_program(std::string_view(packed).substr(0, cut));
    ASSERT_FALSE(unpacked) << "cut at " << cut;
    EXPECT_EQ(unpacked.error().code, CL_INVALID_BINARY);
  }
  for (size_t at = 0; at < packed.size(); ++at) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    ASSERT_FALSE(unpack_program(damaged)) << "flipped at " << at;
  }
  EXPECT_FALSE(unpack_program(packed + "x"));
  EXPECT_FALSE(
      unpack_program("\x7f"
                     "ELF and more, but none of ours, at any length"));
}

}  // namespace
}  // namespace skmd::icd
