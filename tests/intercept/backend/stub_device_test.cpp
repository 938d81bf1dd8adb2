// SPDX-License-Identifier: Apache-2.0
// The adapter against the stub driver: which calls it makes. All tests of this executable run twice: with commands
// inside their enqueue calls, and with a thread per queue.
#include <random>

#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

TEST_P(StubDevice, TellsSpaceAndBlocking) {
  const bool cpu = device_->description().kind == DeviceKind::cpu;
  EXPECT_EQ(device_->description().blocking, cpu && !delayed());
  EXPECT_EQ(device_->description().space, device_->description().discrete ? 1u : 0u);
}

/// A context that is only kept does harm in PoCL 3.1; see VendorDevice::context().
TEST_P(StubDevice, HoldsAContextOnlyWhileSomethingIsInIt) {
  const std::size_t kept = device_->description().kind == DeviceKind::gpu ? 1 : 0;
  EXPECT_EQ(stub::live_objects(), before_) << stub::live_kinds();
  auto memory = allocate(64);
  EXPECT_EQ(stub::live_objects(), before_ + 2) << stub::live_kinds();
  memory.reset();
  EXPECT_EQ(stub::live_objects(), before_ + kept) << stub::live_kinds();
  memory = allocate(64);
  EXPECT_EQ(run_batch(*device_, {zeros(memory, 64)}).status, CL_SUCCESS);
  memory.reset();
  EXPECT_NE(stub::live_kinds().find("contexts=1 queues=1"), std::string::npos) << stub::live_kinds();
}

TEST_P(StubDevice, OnlyAGpuPreparesBuilds) {
  device_->prepare_builds();
  EXPECT_EQ(device_->has_native_context(), device_->description().kind == DeviceKind::gpu);
  device_->prepare_builds();
  EXPECT_EQ(stub::live_objects(), before_ + (device_->has_native_context() ? 1 : 0)) << stub::live_kinds();
}

TEST_P(StubDevice, RecordsTheCallsOfABatch) {
  const auto memory = allocate(1024);
  const auto other = allocate(1024);
  std::vector<std::byte> host(1024, std::byte{7});
  RunOp run = count_op(memory, 1024, 4, 8);
  stub::take_log();
  const auto result = run_batch(
      *device_, {WriteOp{memory, host.data(), plain_rows(16, 64)}, WriteOp{memory, host.data(), {8, 4, 32, 3}},
                 FillOp{other, {std::byte{0}}, 32, 96}, FillOp{other, {std::byte{1}, std::byte{2}}, 2, 4},
                 CopyOp{memory, other, 0, 128, 64}, CopyRectOp{memory, other, 4, 11, {8, 2, 3}, {16, 64}, {10, 40}},
                 CopyRectOp{memory, other, 4, 11, {8, 2, 0}, {16, 64}, {10, 40}}, run,
                 ReadOp{memory, host.data(), {4, 8, 64, 2}}});
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  const auto log = stub::take_log();
  const std::string device = device_->description().name.substr(device_->description().name.size() - 1);
  EXPECT_EQ(calls_of(log, "clEnqueue"),
            (std::vector<std::string>{
                "clEnqueueWriteBuffer device=" + device + " offset=16 bytes=64",
                "clEnqueueWriteBufferRect device=" + device + " origin=8,0 region=4,3 pitch=32",
                "clEnqueueFillBuffer device=" + device + " offset=32 bytes=96 pattern=16",
                "clEnqueueFillBuffer device=" + device + " offset=2 bytes=4 pattern=2",
                "clEnqueueCopyBuffer device=" + device + " offset=0 bytes=64 to=128",
                "clEnqueueCopyBufferRect device=" + device + " region=8,2,3",
                "clEnqueueNDRangeKernel device=" + device + " kernel=stub_count offset=4 global=8 local=1",
                "clEnqueueReadBufferRect device=" + device + " origin=4,0 region=8,2 pitch=64",
            }));
  EXPECT_EQ(calls_of(log, "clFlush").size(), 1u);
}

TEST_P(StubDevice, RectanglesThatDriversRefuseGoInParts) {
  const auto memory = allocate(100);
  const auto other = allocate(100);
  std::vector<std::byte> host(100), back(100);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i + 1);
  const domain::RowRun wrapping{5, 6, 10, 4};    // rows pass the end of their pitch
  const domain::RowRun short_end{64, 4, 16, 3};  // the last pitch passes the end of the buffer
  stub::take_log();
  const auto result = run_batch(
      *device_, {WriteOp{memory, host.data(), wrapping}, WriteOp{memory, host.data(), short_end},
                 CopyRectOp{memory, other, 5, 3, {6, 4, 1}, {10, 40}, {8, 32}}, ReadOp{memory, back.data(), wrapping},
                 ReadOp{memory, back.data(), short_end}, ReadOp{other, back.data(), {3, 6, 8, 4}}});
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  const auto log = stub::take_log();
  EXPECT_EQ(calls_of(log, "clEnqueueWriteBufferRect").size(), 3u);
  EXPECT_EQ(calls_of(log, "clEnqueueCopyBuffer").size(), 4u) << "row by row";
  for (const std::size_t at : {35, 40, 64, 67, 80, 96, 99}) EXPECT_EQ(back[at], host[at]) << at;
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(back[3 + 8 * row + i], host[5 + 10 * row + i]) << row << ' ' << i;
}

TEST_P(StubDevice, TellsWhatSizeAValueMayHaveWithoutTouchingTheKernel) {
  const auto kernel = kernel_of(*device_, stub::kKernelSource, "stub_fill");
  EXPECT_FALSE(device_->takes_value(*kernel, 1, 8));
  EXPECT_TRUE(device_->takes_value(*kernel, 1, 4));
  const auto memory = allocate(256);
  RunOp run;
  run.kernel = kernel;
  run.range = line_range(0, 64, 8);
  run.arguments = arguments_of({BufferArgument{memory, 0, 256}, bytes_of(7)});
  EXPECT_EQ(run_batch(*device_, {run}).status, CL_SUCCESS);
  const std::size_t live = stub::live_objects();
  EXPECT_FALSE(device_->takes_value(*kernel, 1, 12));
  EXPECT_EQ(stub::live_objects(), live);
  std::vector<std::byte> out(256);
  EXPECT_EQ(run_batch(*device_, {run, ReadOp{memory, out.data(), plain_rows(0, 256)}}).status, CL_SUCCESS);
  EXPECT_EQ(out[252], std::byte{7});
}

TEST_P(StubDevice, SetsOnlyArgumentsThatChanged) {
  const auto y = allocate(256);
  const auto x = allocate(256);
  RunOp run;
  run.kernel = kernel_of(*device_, stub::kKernelSource, "stub_axpy");
  run.range = line_range(0, 8, 8);
  run.arguments = arguments_of({BufferArgument{y, 0, 256}, BufferArgument{x, 0, 256}, bytes_of(1.5f)});
  const auto sets = [&](const RunOp& op) {
    stub::take_log();
    EXPECT_EQ(run_batch(*device_, {op}).status, CL_SUCCESS);
    return calls_of(stub::take_log(), "clSetKernelArg").size();
  };
  EXPECT_EQ(sets(run), 3u);
  EXPECT_EQ(sets(run), 0u) << "the same list";
  run.arguments = arguments_of({BufferArgument{y, 0, 256}, BufferArgument{x, 0, 256}, bytes_of(1.5f)});
  EXPECT_EQ(sets(run), 0u) << "an equal list";
  run.arguments = arguments_of({BufferArgument{y, 0, 256}, BufferArgument{x, 0, 256}, bytes_of(2.5f)});
  EXPECT_EQ(sets(run), 1u);
  run.arguments = arguments_of({BufferArgument{y, 0, 256}, BufferArgument{x, 128, 128}, bytes_of(2.5f)});
  EXPECT_EQ(sets(run), 1u);
  run.arguments = arguments_of({BufferArgument{y, 0, 256}, BufferArgument{x, 0, 256}, bytes_of(2.5f)});
  EXPECT_EQ(sets(run), 1u);
}

TEST_P(StubDevice, ANewBufferAtAnOldAddressIsSetAgain) {
  RunOp run;
  run.kernel = kernel_of(*device_, stub::kKernelSource, "stub_count");
  run.range = line_range(0, 4, 4);
  for (int i = 0; i < 8; ++i) {
    const auto memory = allocate(16);
    run.arguments = arguments_of({BufferArgument{memory, 0, 16}});
    ASSERT_EQ(run_batch(*device_, {zeros(memory, 16), run}).status, CL_SUCCESS);
    EXPECT_EQ(words_of(memory, 4), (std::vector<std::uint32_t>{1, 1, 1, 1}));
    run.arguments = nullptr;
  }
}

TEST_P(StubDevice, AppendsTheHiddenRecord) {
  const auto memory = allocate(64);
  RunOp run;
  run.kernel = kernel_of(*device_,
                         "struct hidden { ulong words[12]; };"
                         "kernel void split_stub_count(global uint* counts, struct hidden record) {}",
                         "split_stub_count");
  run.arguments = arguments_of({BufferArgument{memory, 0, 64}});
  run.record.assign(96, std::byte{3});
  run.range = line_range(2, 4, 2);
  stub::take_log();
  ASSERT_EQ(run_batch(*device_, {zeros(memory, 64), run}).status, CL_SUCCESS);
  EXPECT_EQ(calls_of(stub::take_log(), "clSetKernelArg").back(),
            "clSetKernelArg kernel=split_stub_count index=1 bytes=96");
  EXPECT_EQ(words_of(memory, 8), (std::vector<std::uint32_t>{0, 0, 1, 1, 1, 1, 0, 0}));
}

TEST_P(StubDevice, RowRunsMoveExactlyTheirBytes) {
  std::mt19937 random(7);
  constexpr std::size_t kBytes = 4096;
  for (int round = 0; round < 200; ++round) {
    domain::RowRun rows;
    rows.rows = 1 + random() % 6;
    rows.stride = 1 + random() % 300;
    rows.width = 1 + random() % rows.stride;
    rows.begin = random() % 600;
    std::vector<std::byte> source(kBytes), back(kBytes, std::byte{1}), expected(kBytes, std::byte{1});
    for (std::byte& b : source) b = static_cast<std::byte>(random());
    for (std::uint64_t i = 0; i < rows.rows; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(rows.begin + i * rows.stride);
      std::copy_n(source.begin() + at, rows.width, expected.begin() + at);
    }
    const auto memory = allocate(kBytes);
    ASSERT_EQ(run_batch(*device_, {FillOp{memory, {std::byte{1}}, 0, kBytes}, WriteOp{memory, source.data(), rows},
                                   ReadOp{memory, back.data(), plain_rows(0, kBytes)}})
                  .status,
              CL_SUCCESS);
    ASSERT_EQ(back, expected) << "write " << rows.begin << " " << rows.width << " " << rows.stride << " " << rows.rows;
    std::fill(back.begin(), back.end(), std::byte{1});
    ASSERT_EQ(
        run_batch(*device_, {WriteOp{memory, source.data(), plain_rows(0, kBytes)}, ReadOp{memory, back.data(), rows}})
            .status,
        CL_SUCCESS);
    ASSERT_EQ(back, expected) << "read " << rows.begin << " " << rows.width << " " << rows.stride << " " << rows.rows;
  }
}

TEST_P(StubDevice, OpsWithoutWorkAreNotForwarded) {
  const auto memory = allocate(64);
  std::byte host[64] = {};
  RunOp run = count_op(memory, 64, 0, 1);
  run.range.global[0] = 0;
  stub::take_log();
  const auto result = run_batch(*device_,
                                {WriteOp{memory, host, plain_rows(0, 0)}, ReadOp{memory, host, {0, 4, 8, 0}},
                                 FillOp{memory, {std::byte{0}}, 0, 0}, CopyOp{memory, memory, 0, 0, 0}, run},
                                true);
  EXPECT_EQ(result.status, CL_SUCCESS) << result.reason;
  EXPECT_TRUE(result.times.empty()) << "no clock could tell any";
  EXPECT_TRUE(calls_of(stub::take_log(), "clEnqueue").empty());
}

TEST_P(StubDevice, BinariesComeBackAsPrograms) {
  std::string log;
  auto program = device_->build(stub::kKernelSource, "", log);
  ASSERT_TRUE(program);
  auto binary = device_->binary(**program);
  ASSERT_TRUE(binary);
  auto loaded = device_->load(*binary, "");
  ASSERT_TRUE(loaded) << loaded.error().reason;
  const auto names = device_->kernel_names(**loaded);
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, *device_->kernel_names(**program));
  EXPECT_EQ(names->front(), "stub_empty");
  EXPECT_FALSE(device_->load({std::byte{1}, std::byte{2}}, ""));
  EXPECT_FALSE(device_->load({}, ""));
}

TEST_P(StubDevice, SamplersAreMadeOncePerValue) {
  auto a = device_->sampler(true, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  auto b = device_->sampler(true, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  auto c = device_->sampler(false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(*a, *b);
  EXPECT_NE(*a, *c);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StubDevice, testing::ValuesIn(kStubKinds), stub_kind_name);

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* const delay = std::getenv("STUB_DELAY_US");
  stub::configure("gpu,gpu,cpu", delay != nullptr ? std::atoi(delay) : -1);
  return RUN_ALL_TESTS();
}
