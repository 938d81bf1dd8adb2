// SPDX-License-Identifier: Apache-2.0
// Our own CPU driver behind the port, with kernels written by hand in place of the code generator's, beside PoCL.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include "intercept/backend/cpu/cpu_device.h"
#include "intercept/backend/cpu/cpu_part.h"
#include "tests/intercept/backend/cpu_device_fixture.h"

namespace skmd::icd {
namespace {

TEST_F(CpuDeviceTest, SaysWhatItIs) {
  const DeviceDescription& description = device_->description();
  EXPECT_EQ(description.backend, "cpu-driver");
  EXPECT_FALSE(description.discrete);
  EXPECT_FALSE(description.blocking);
  EXPECT_NE(description.arithmetic.find("skmd-cpu|x86-64"), std::string::npos) << description.arithmetic;
  const auto units = device_->info(CL_DEVICE_MAX_COMPUTE_UNITS);
  ASSERT_TRUE(units);
  EXPECT_EQ(*units, bytes_of(cl_uint{2}));
}

// Programs divide the multiple among teams of work-items; "add" is written as if in vectors of four.
TEST_F(CpuDeviceTest, AKernelThatIsNotVectorisedPrefersTheDevicesMultiple) {
  const auto multiple = device_->info(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  ASSERT_TRUE(multiple) << multiple.error().reason;
  std::size_t expected = 0;
  ASSERT_EQ(multiple->size(), sizeof expected);
  std::memcpy(&expected, multiple->data(), sizeof expected);
  ASSERT_GT(expected, 1u);
  EXPECT_EQ(kernel("count_groups")->limits().preferred_multiple, expected);
  EXPECT_EQ(kernel("add")->limits().preferred_multiple, 4u);
}

// What waits on one part's only thread keeps nothing from another's.
TEST_F(CpuDeviceTest, PartsRunBesideEachOther) {
  ASSERT_TRUE(device_->description().partitionable);
  const auto first = device_->part(0, 1), second = device_->part(1, 1);
  EXPECT_EQ(static_cast<CpuPart&>(*first).threads(), 1u);
  EXPECT_EQ(static_cast<CpuPart&>(*device_->part(0, 2)).threads(), 2u);
  std::vector<Word> gate(1), out(1), in(1, 8), sum(1);
  const auto submit = [](Device& part, RunOp run) {
    Batch batch;
    batch.ops = {std::move(run)};
    batch.done = [](BatchResult&& result) { EXPECT_EQ(result.status, CL_SUCCESS); };
    return part.submit(std::move(batch));
  };
  const Ticket waiting = submit(*first, launch(kernel("wait_at_gate"), {over(gate), over(out)}, line_range(0, 1, 1)));
  second->help(submit(*second, launch(kernel("add"), {over(sum), over(in), bytes_of(Word{1})}, line_range(0, 1, 1))));
  EXPECT_EQ(sum[0], 9u);
  std::atomic_ref(gate[0]).store(1);
  first->help(waiting);
  EXPECT_EQ(out[0], 1u);
}

TEST(CpuPart, HasThreadsThatNoOtherPartHas) {
  cpu::ThreadPlan plan{4, {{1}, {2}, {3}}};  // a plan's first thread is the caller's
  EXPECT_EQ(part_of(plan, 0, 2).threads, 2u);
  EXPECT_EQ(part_of(plan, 0, 2).places, (std::vector<std::vector<unsigned>>{{1}}));
  EXPECT_EQ(part_of(plan, 2, 2).places, (std::vector<std::vector<unsigned>>{{3}}));
  EXPECT_TRUE(part_of(plan, 3, 1).places.empty());
  plan.places.clear();
  EXPECT_TRUE(part_of(plan, 1, 3).places.empty()) << "wherever the system likes";
}

TEST_F(CpuDeviceTest, RunsItsOwnCodeInPlaceWithinTheOffsetRange) {
  std::vector<Word> in(64), out(64);
  std::iota(in.begin(), in.end(), 0u);
  const auto result = run_batch(
      *device_, {launch(kernel("add"), {over(out), over(in), bytes_of(Word{100})}, line_range(16, 32, 8))}, true);
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  ASSERT_EQ(result.times.size(), 1u);
  EXPECT_GT(result.times[0].device_ns, 0u);
  for (Word i = 0; i < 64; ++i) EXPECT_EQ(out[i], i >= 16 && i < 48 ? i + 100 : 0u) << i;
  EXPECT_TRUE(told_.empty());
}

TEST_F(CpuDeviceTest, ViewsBeginAtTheirOffset) {
  std::vector<Word> out(300), in(300, 1);
  BufferArgument view = over(out);
  view.offset = 128 * sizeof(Word);
  view.size = 32 * sizeof(Word);
  ASSERT_EQ(
      run_batch(*device_, {launch(kernel("add"), {view, over(in), bytes_of(Word{6})}, line_range(0, 32, 8))}).status,
      CL_SUCCESS);
  for (Word i = 0; i < 300; ++i) EXPECT_EQ(out[i], i >= 128 && i < 160 ? 7u : 0u) << i;
}

TEST_F(CpuDeviceTest, GivesLocalArgumentsTheirPlaces) {
  std::vector<Word> out(500);
  const auto run = launch(kernel("use_scratch"), {over(out), LocalArgument{37 * 4}, LocalArgument{37 * 4}},
                          line_range(0, 500 * 37, 37));
  ASSERT_EQ(run_batch(*device_, {run, run}).status, CL_SUCCESS);
  EXPECT_EQ(out, std::vector<Word>(500, 1));
}

TEST_F(CpuDeviceTest, TellsTheGeometry) {
  std::vector<std::uint64_t> out(13);
  auto memory = device_->allocate(out.size() * 8, bytes_at(out.data()));
  ASSERT_TRUE(memory);
  domain::NdRange range;
  range.work_dim = 3;
  range.offset = {5, 6, 7};
  range.global = {8, 12, 10};
  range.local = {4, 3, 2};
  ASSERT_EQ(run_batch(*device_, {launch(kernel("tell_geometry"), {BufferArgument{*memory, 0, 104}}, range)}).status,
            CL_SUCCESS);
  EXPECT_EQ(out, (std::vector<std::uint64_t>{3, 5, 6, 7, 8, 12, 10, 2, 4, 5, 4, 3, 2}));
}

TEST_F(CpuDeviceTest, TheHiddenRecordIsOneMoreValue) {
  std::vector<Word> in(8, 1), out(8);
  RunOp run = launch(kernel("add"), {over(out), over(in)}, line_range(0, 8, 4));
  run.record = bytes_of(Word{41});
  ASSERT_EQ(run_batch(*device_, {run}).status, CL_SUCCESS);
  EXPECT_EQ(out, std::vector<Word>(8, 42));
}

TEST_F(CpuDeviceTest, TooMuchLocalMemoryFailsTheLaunchAndNotTheDevice) {
  std::vector<Word> out(4);
  const auto small = LocalArgument{16};
  const auto code = kernel("use_scratch");
  bool aside = false;
  device_->health()->watch([&](const std::string&) { aside = true; });
  for (int round = 0; round < 5; ++round) {
    const auto failed = run_batch(
        *device_, {launch(code, {over(out), LocalArgument{std::uint64_t{1} << 40}, small}, line_range(0, 4, 4))});
    EXPECT_EQ(failed.status, CL_OUT_OF_RESOURCES);
    EXPECT_NE(failed.reason.find("use_scratch"), std::string::npos) << failed.reason;
    EXPECT_EQ(failed.accepted, 0u);
  }
  EXPECT_FALSE(aside);
  EXPECT_EQ(run_batch(*device_, {launch(code, {over(out), small, small}, line_range(0, 4, 4))}).status, CL_SUCCESS);
  EXPECT_EQ(out[0], 1u);
}

TEST_F(CpuDeviceTest, KernelsWithoutCodeRunOnTheOtherDriverOverTheSameBytes) {
  with_other_ = true;
  open({"add"});
  std::vector<Word> in(16, 1), out(16);
  std::string log;
  const auto program = device_->build(kText, "", log);
  ASSERT_TRUE(program) << log;
  const auto add = device_->kernel(*program, "add");
  const auto other = device_->kernel(*program, "other");
  ASSERT_TRUE(add && other);
  EXPECT_FALSE(device_->kernel(*program, "third"));
  const BufferArgument target = over(out);
  const auto add_run = launch(*add, {target, over(in), bytes_of(Word{4})}, line_range(0, 16, 4));
  ASSERT_EQ(run_batch(*device_, {add_run, launch(*other, {target}, line_range(4, 8, 4))}).status, CL_SUCCESS);
  for (Word i = 0; i < 16; ++i) EXPECT_EQ(out[i], i >= 4 && i < 12 ? 77u : 5u) << i;
  EXPECT_EQ(told_, std::vector<std::string>{"other: reads an image"});
}

TEST_F(CpuDeviceTest, ProgramsWithoutCodeRunOnTheOtherDriver) {
  open({}, "");
  std::vector<Word> in(16, 1), out(16);
  ASSERT_EQ(run_batch(*device_, {launch(kernel("add"), {over(out), over(in), bytes_of(Word{4})}, line_range(0, 16, 4))})
                .status,
            CL_SUCCESS);
  EXPECT_EQ(out, std::vector<Word>(16, 5));
  EXPECT_EQ(told_, std::vector<std::string>{"add: nothing works today"});
}

TEST_F(CpuDeviceTest, AProgramOfKernelsWithoutCodeKeepsTheirReasons) {
  with_other_ = true;
  open({}, "");
  std::vector<Word> out(8);
  ASSERT_EQ(run_batch(*device_, {launch(kernel("other"), {over(out)}, line_range(0, 8, 4))}).status, CL_SUCCESS);
  EXPECT_EQ(out, std::vector<Word>(8, 77));
  EXPECT_EQ(told_, std::vector<std::string>{"other: reads an image"});
}

TEST_F(CpuDeviceTest, ImagesAreTheSameForKernelsOfTheOtherDriver) {
  open({}, "");
  constexpr const char* kTurn =
      "kernel void turn(read_only image1d_t in, sampler_t with, write_only image1d_t out, write_only image1d_buffer_t "
      "last) {"
      "  int i = get_global_id(0);"
      "  write_imageui(out, i, read_imageui(in, with, 6 - i));"  // to the edge
      "  write_imageui(last, i, (uint4)(9)); }";
  ImageShape shape;
  shape.format = {CL_R, CL_UNSIGNED_INT32};
  shape.desc.image_type = CL_MEM_OBJECT_IMAGE1D;
  shape.desc.image_width = 8;
  shape.element_bytes = sizeof(Word);
  const auto in = device_->allocate_image(shape, nullptr);
  const auto out = device_->allocate_image(shape, nullptr);
  std::vector<Word> host(64), read(8);
  std::iota(host.begin(), host.end(), 100);
  ImageShape over_buffer = shape;
  over_buffer.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  over_buffer.buffer_bytes = 64 * sizeof(Word);
  std::vector<Word> under(64);
  const auto last = device_->allocate_image(over_buffer, over(under).memory);
  const auto sampler = device_->sampler(false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
  ASSERT_TRUE(in && out && last && sampler);
  const domain::RowRun all{0, 8 * sizeof(Word), 8 * sizeof(Word), 1};
  const RunOp turn = launch(kernel("turn", kTurn),
                            {ImageArgument{*in}, SamplerArgument{*sampler}, ImageArgument{*out}, ImageArgument{*last}},
                            line_range(0, 7, 1));
  const Op fill = WriteImageOp{*out, bytes_at(host.data()), all};
  const BatchResult result = run_batch(*device_, {WriteImageOp{*in, bytes_at(host.data()), all}, fill, turn,
                                                  ReadImageOp{*out, bytes_at(read.data()), all}});
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  EXPECT_EQ(read, (std::vector<Word>{106, 105, 104, 103, 102, 101, 100, 107}));
  for (Word i = 0; i < 64; ++i) EXPECT_EQ(under[i], i < 7 ? 9u : 0u) << i;
}

TEST_F(CpuDeviceTest, CodeForAnotherMachineIsNotRun) {
  open({"add"}, cpu::test::hand_code(cpu::SpanTarget::aarch64));
  std::vector<Word> in(16, 1), out(16);
  ASSERT_EQ(run_batch(*device_, {launch(kernel("add"), {over(out), over(in), bytes_of(Word{4})}, line_range(0, 16, 4))})
                .status,
            CL_SUCCESS);
  EXPECT_EQ(out, std::vector<Word>(16, 5));
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_NE(told_[0].find("another machine"), std::string::npos) << told_[0];
}

TEST_F(CpuDeviceTest, AnErrorOfTheTextIsTheOtherDriversToTell) {
  open({}, "");
  std::string log;
  const auto program = device_->build("kernel void add(global uint* out) { out[0] = missing; }", "", log);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log.find("missing"), std::string::npos) << log;
  EXPECT_NE(log.find("nothing works today"), std::string::npos) << log;
  EXPECT_NE(program.error().reason.find("nothing works today"), std::string::npos) << program.error().reason;
}

TEST_F(CpuDeviceTest, SubmitDoesNotWaitAndBatchesKeepTheirOrder) {
  std::vector<Word> gate(1), out(1), in(1, 8);
  const auto wait = launch(kernel("wait_at_gate"), {over(gate), over(out)}, line_range(0, 1, 1));
  const auto add = launch(kernel("add"), {over(out), over(in), bytes_of(Word{1})}, line_range(0, 1, 1));
  std::vector<int> ended;
  std::atomic<int> count{0};
  const auto submit = [&](const RunOp& run, int number) {
    Batch batch;
    batch.ops = {run};
    batch.done = [&ended, &count, number](BatchResult&& result) {
      EXPECT_EQ(result.status, CL_SUCCESS);
      ended.push_back(number);
      ++count;
    };
    return device_->submit(std::move(batch));
  };
  const Ticket first = submit(wait, 1);
  const Ticket second = submit(add, 2);
  EXPECT_LT(first, second);
  EXPECT_EQ(count, 0);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic_ref(gate[0]).store(1);
  });
  device_->help(second);
  opener.join();
  EXPECT_EQ(ended, (std::vector<int>{1, 2}));
  EXPECT_EQ(out[0], 9u);
}

TEST_F(CpuDeviceTest, NobodyHasToHelp) {
  std::vector<Word> out(100);
  std::atomic<bool> done{false};
  Batch batch;
  batch.ops = {launch(kernel("count_groups"), {over(out)}, line_range(0, 100, 1))};
  batch.done = [&](BatchResult&&) { done = true; };
  device_->submit(std::move(batch));
  while (!done) std::this_thread::yield();
  EXPECT_EQ(out, std::vector<Word>(100, 1));
}

TEST_F(CpuDeviceTest, ManyThreadsSubmitAndHelp) {
  const auto code = kernel("count_groups");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      std::vector<Word> out(50);
      const BufferArgument argument = over(out);
      for (int round = 0; round < 100; ++round)
        wrong += run_batch(*device_, {launch(code, {argument}, line_range(0, 50, 1))}).status != CL_SUCCESS ? 1 : 0;
      wrong += out != std::vector<Word>(50, 100) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CpuDeviceTest, ACompletionMaySubmit) {
  std::vector<Word> out(10);
  const auto run = launch(kernel("count_groups"), {over(out)}, line_range(0, 10, 1));
  std::atomic<int> left{100};
  std::function<void()> next = [&] {
    Batch batch;
    batch.ops = {run};
    batch.done = [&](BatchResult&&) {
      if (--left > 0) next();
    };
    device_->submit(std::move(batch));
  };
  next();
  while (left > 0) std::this_thread::yield();
  run_batch(*device_, {});
  EXPECT_EQ(out, std::vector<Word>(10, 100));
}

TEST_F(CpuDeviceTest, ADeviceSetAsideRefusesEverything) {
  std::vector<Word> out(10);
  const auto run = launch(kernel("count_groups"), {over(out)}, line_range(0, 10, 1));
  device_->health()->set_aside();
  const auto refused = run_batch(*device_, {run});
  EXPECT_EQ(refused.status, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(refused.accepted, 0u);
  EXPECT_EQ(out, std::vector<Word>(10));
}

TEST_F(CpuDeviceTest, SharedOpsRunAsWell) {
  std::vector<Word> out(10);
  const std::vector<Op> ops = {launch(kernel("count_groups"), {over(out)}, line_range(0, 10, 1))};
  Batch batch;
  batch.shared_ops = &ops;
  device_->help(device_->submit(std::move(batch)));
  EXPECT_EQ(out, std::vector<Word>(10, 1));
}

TEST_F(CpuDeviceTest, GoesAwayWithWorkUnderWay) {
  std::vector<Word> out(64);
  Batch batch;
  batch.ops = {launch(kernel("work_hard"), {over(out), bytes_of(Word{100000})}, line_range(0, 64, 1))};
  bool done = false;
  batch.done = [&](BatchResult&&) { done = true; };
  device_->submit(std::move(batch));
  device_.reset();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace skmd::icd
