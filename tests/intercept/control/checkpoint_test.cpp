// SPDX-License-Identifier: Apache-2.0
// Launches are written to files while they run, go on, and are completed by another machine.
#include <gtest/gtest.h>

#include <filesystem>

#include "intercept/control/periodic.h"
#include "intercept/launch/make_launch.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/kernel.h"
#include "profiler/checkpoint/launch_codec.h"
#include "profiler/checkpoint/launch_file.h"
#include "tests/intercept/control/world.h"
#include "tests/temporary_folder.h"

namespace skmd::icd::test {
namespace {

const Words kSum = axpy_of(ramp(5000), ramp(0));

struct KeepingWorld : ControlledWorld {
  explicit KeepingWorld(const std::vector<bool>& discrete, const std::string& policy = "single:0")
      : ControlledWorld(discrete, policy) {
    with_text(add);
  }
  static void with_text(const std::shared_ptr<BuiltKernel>& kernel) {
    kernel->keep_text(std::make_shared<const SourceUnit>(SourceUnit{"the text", "-the-options"}));
  }
  std::string checkpoint() { return "checkpoint\t" + file(); }
  [[nodiscard]] std::string file() const { return folder.file("launch"); }
  skmd::test::TemporaryFolder folder;
};

/// What is left of the launch in `file` runs on a machine of its own.
void complete(const std::string& path, const std::vector<bool>& discrete, std::uint64_t left) {
  ControlledWorld w(discrete);
  auto file = checkpoint::LaunchFile::open(path);
  ASSERT_TRUE(file) << file.error().reason;
  const checkpoint::LaunchCheckpoint& launch = file->launch();
  EXPECT_EQ(launch.kernel, "axpy");
  EXPECT_EQ(launch.program.text, "the text");
  EXPECT_EQ(launch.program.options, "-the-options");
  ASSERT_EQ(launch.buffers.size(), 2u);
  std::vector<std::shared_ptr<Storage>> buffers;
  for (const auto& buffer : launch.buffers) {
    std::vector<std::byte> bytes(buffer.defined.bytes());
    ASSERT_TRUE(file->read_buffer({bytes}));
    ASSERT_EQ(buffer.defined, domain::RangeSet(domain::ByteRange{0, buffer.bytes}));
    buffers.push_back(w.storage(buffer.bytes));
    w.write(buffers.back(), 0, bytes.data(), bytes.size());
  }
  ASSERT_TRUE(file->end());
  std::vector<LaunchArgument> arguments;
  for (const auto& argument : launch.arguments) {
    if (const auto* view = std::get_if<checkpoint::BufferArgument>(&argument))
      arguments.emplace_back(BufferView{buffers[view->buffer], view->offset, view->size});
    else
      arguments.emplace_back(std::get<checkpoint::ValueArgument>(argument).bytes);
  }
  auto command = make_rest(w.machine, {w.add, launch.range, arguments}, checkpoint::encode(launch.rest));
  ASSERT_TRUE(command) << command.error().reason;
  EXPECT_EQ(w.queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {})->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(buffers[0]), kSum);
  std::uint64_t ran = 0;
  for (std::uint32_t device = 0; device < discrete.size(); ++device) ran += w.groups(device);
  EXPECT_EQ(ran, left) << "groups that had run do not run again";
}

TEST(Checkpoint, AnotherMachineCompletesTheLaunch) {
  for (const std::vector<bool>& discrete : {std::vector<bool>{true, true}, {false, false}, {false, true}}) {
    KeepingWorld w(discrete);
    auto answer = w.ask_at(0, 3, w.checkpoint());
    EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
    const std::string said = answer.get();
    EXPECT_TRUE(is_ok(said) && has(said, "\"kernel\":\"axpy\"")) << said;
    EXPECT_EQ(w.groups(0), kGroups) << "it goes on where it was";
    EXPECT_EQ(w.contents(w.y), kSum);
    complete(w.file(), {false}, kGroups - 3);
    complete(w.file(), {true, false}, kGroups - 3);
  }
}

TEST(Checkpoint, ALaunchOnSeveralDevicesIsOneFile) {
  KeepingWorld w({true, true}, "equal");
  auto answer = w.ask_at(0, 3, w.checkpoint());
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_TRUE(is_ok(answer.get()));
  EXPECT_EQ(w.groups(0) + w.groups(1), kGroups);
  EXPECT_EQ(w.contents(w.y), kSum);
  auto file = checkpoint::LaunchFile::open(w.file());
  ASSERT_TRUE(file);
  std::uint64_t left = 0;
  for (const auto& span : file->launch().rest.spans) left += span.span.size();
  complete(w.file(), {true, true}, left);
}

TEST(Checkpoint, NoLaunchIsNoFile) {
  KeepingWorld w({true});
  EXPECT_TRUE(has(w.ask(w.checkpoint()), "no launch is running"));
  EXPECT_TRUE(has(w.ask("checkpoint\there"), "expected the absolute path of a file"));
  EXPECT_FALSE(std::filesystem::exists(w.file()));
}

TEST(Checkpoint, ALaunchThatEndsFirstIsSaidToHave) {
  KeepingWorld w({true});
  w.machine.settings.preempt.mode = PreemptMode::off;
  auto answer = w.ask_at(0, 3, w.checkpoint());
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_TRUE(has(answer.get(), "the launch of axpy left its devices before it could be kept"));
  EXPECT_FALSE(std::filesystem::exists(w.file()));
}

TEST(Checkpoint, ALaunchThatCannotBeStoppedIsNotWaitedForAtRegularTimes) {
  KeepingWorld w({true});
  w.machine.settings.preempt.mode = PreemptMode::off;
  std::string said;
  w.fakes[0]->on_group = [&] {
    if (!said.empty()) return;
    const auto kept = w.running.checkpoint([&](const std::string&) { return w.file(); }, false);
    said = kept ? "it is kept" : kept.error().reason;
  };
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_EQ(said, "no launch that runs can be stopped now");
}

TEST(Checkpoint, OneIsWrittenAtATime) {
  KeepingWorld w({true});
  std::string second;
  std::promise<std::string> first;
  w.fakes[0]->on_group = [&] {
    if (w.fakes[0]->counters.groups != 3) return;
    w.askers.emplace_back([&] { first.set_value(w.ask(w.checkpoint())); });
    while (w.running.being_asked() == 0) std::this_thread::yield();
    second = w.ask(w.checkpoint());
  };
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_TRUE(has(second, "another checkpoint is waited for")) << second;
  EXPECT_TRUE(is_ok(first.get_future().get()));
}

TEST(Checkpoint, AFileThatCannotBeWrittenHarmsNothing) {
  KeepingWorld w({true});
  auto answer = w.ask_at(0, 3, "checkpoint\t" + w.folder.file("none/launch"));
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_TRUE(has(answer.get(), "No such file or directory"));
  EXPECT_EQ(w.groups(0), kGroups);
  EXPECT_EQ(w.contents(w.y), kSum);
}

TEST(Checkpoint, WhatIsNotInBuffersIsNotKept) {
  const std::pair<std::uint32_t, const char*> facts[] = {
      {domain::kFactPointerInMemory, "it takes pointers out of memory"},
      {domain::kFactDeviceSpecificCode, "its code is for one device"},
      {domain::kFactMutableProgramScope, "it writes program-scope variables"}};
  for (const auto& [fact, reason] : facts) {
    KeepingWorld w({true});
    domain::KernelTraits traits = axpy_traits();
    traits.facts |= fact;
    w.add = w.kernel(traits);
    KeepingWorld::with_text(w.add);
    auto answer = w.ask_at(0, 3, w.checkpoint());
    EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
    const std::string said = answer.get();
    EXPECT_TRUE(has(said, reason)) << said;
  }
  KeepingWorld w({true});
  w.add = w.kernel(axpy_traits());
  auto answer = w.ask_at(0, 3, w.checkpoint());
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_TRUE(has(answer.get(), "its program is known to vendors' drivers alone"));
}

TEST(Checkpoint, BytesThatAnotherCommandChangesAreNotKept) {
  KeepingWorld w({false});
  const auto other = RangeLock::take({claim_on(w.y, domain::ByteRange{kItems * 2, kItems * 4}, true)});
  auto answer = w.ask_at(0, 3, w.checkpoint());
  EXPECT_EQ(w.launch(w.add, line(kItems / 2, 64), {whole(w.y), whole(w.x), value_of(2u)})->wait(), CL_COMPLETE);
  const std::string said = answer.get();
  EXPECT_TRUE(has(said, "another command uses other bytes of its buffers now")) << said;
}

TEST(Checkpoint, WhatIsLeftHasToFitTheLaunch) {
  ControlledWorld w({false});
  const auto rest = [&](const checkpoint::Rest& left) {
    const auto command = make_rest(w.machine, {w.add, line(kItems, 64), {whole(w.y), whole(w.x), value_of(2u)}},
                                   checkpoint::encode(left));
    return command ? std::string() : command.error().reason;
  };
  EXPECT_TRUE(has(rest({"", {{{0, kGroups + 1}, {}, {}}}}), "of 16"));
  EXPECT_TRUE(has(rest({"", {{{0, 2}, {0, 1}, {{0, 5, {1}, {}}}}}}), "it has no code that goes on with them"));
  EXPECT_TRUE(has(rest({"other arithmetic", {{{0, 2}, {}, {}}}}), "it may round differently than other arithmetic"));
}

TEST(Checkpoint, FilesAreNamedByKernelAndProcess) {
  EXPECT_EQ(control::checkpoint_file("/there", "nbody", 12), "/there/nbody-12.checkpoint");
  EXPECT_EQ(control::checkpoint_file("/there", std::string(1000, 'k'), 1).size(), 7u + 200 + 13);
}

}  // namespace
}  // namespace skmd::icd::test
