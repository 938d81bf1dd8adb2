// SPDX-License-Identifier: Apache-2.0
// The adapter against the stub driver: which calls it makes, and that a failure of any of them comes back as a status.
// Runs twice: with commands inside their enqueue calls, and with a thread per queue.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "tests/intercept/backend/device_fixture.h"
#include "tests/stub-icd/control.h"
#include "tests/stub-icd/kernels.h"

namespace skmd::icd {
namespace {

bool delayed() { return std::getenv("STUB_DELAY_US") != nullptr; }

Result<Discovery> discover_stub(const std::string& selectors) {
  return discover({.vendors_folder = STUB_ICD_VENDORS, .selectors = selectors, .own_library = ""});
}

std::vector<std::string> calls_of(const std::vector<std::string>& log, const std::string& prefix) {
  std::vector<std::string> found;
  std::copy_if(log.begin(), log.end(), std::back_inserter(found),
               [&](const std::string& line) { return line.starts_with(prefix); });
  return found;
}

class StubDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    stub::set_failure("");
    before_ = stub::live_objects();
    auto found = discover_stub(GetParam());
    ASSERT_TRUE(found) << found.error().reason;
    ASSERT_EQ(found->devices.size(), 1u);
    device_ = found->devices.front();
    stub::take_log();
  }
  void TearDown() override {
    stub::set_failure("");
    device_.reset();
    EXPECT_EQ(stub::live_objects(), before_) << "native objects leak";
  }
  std::shared_ptr<NativeMemory> allocate(std::uint64_t bytes) {
    auto memory = device_->allocate(bytes, nullptr);
    EXPECT_TRUE(memory) << (memory ? "" : memory.error().reason);
    return memory ? *memory : nullptr;
  }
  std::vector<std::uint32_t> words_of(const std::shared_ptr<NativeMemory>& memory, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    const auto result = run_batch(*device_, {ReadOp{memory, bytes_at(words.data()), plain_rows(0, count * 4)}});
    EXPECT_EQ(result.status, CL_SUCCESS) << result.reason;
    return words;
  }
  static FillOp zeros(const std::shared_ptr<NativeMemory>& memory, std::uint64_t bytes) {
    return {memory, {std::byte{0}}, 0, bytes};
  }
  RunOp count_op(const std::shared_ptr<NativeMemory>& memory, std::uint64_t bytes, std::uint64_t first,
                 std::uint64_t items) {
    RunOp run;
    run.kernel = kernel_of(*device_, stub::kKernelSource, "stub_count");
    run.arguments = arguments_of({BufferArgument{memory, 0, bytes}});
    run.range = line_range(first, items, 1);
    return run;
  }
  std::shared_ptr<Device> device_;
  std::size_t before_ = 0;
};

TEST_P(StubDevice, TellsSpaceAndBlocking) {
  const bool cpu = device_->description().kind == DeviceKind::cpu;
  EXPECT_EQ(device_->description().blocking, cpu && !delayed());
  EXPECT_EQ(device_->description().space, device_->description().discrete ? 1u : 0u);
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
                 CopyOp{memory, other, 0, 128, 64}, run, ReadOp{memory, host.data(), {4, 8, 64, 2}}});
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
                "clEnqueueNDRangeKernel device=" + device + " kernel=stub_count offset=4 global=8 local=1",
                "clEnqueueReadBufferRect device=" + device + " origin=4,0 region=8,2 pitch=64",
            }));
  EXPECT_EQ(calls_of(log, "clFlush").size(), 1u);
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
  EXPECT_EQ(result.times.size(), 5u);
  EXPECT_TRUE(calls_of(stub::take_log(), "clEnqueue").empty());
}

TEST_P(StubDevice, TimesLieOnTheHostsClockInOrder) {
  const auto memory = allocate(64);
  const RunOp run = count_op(memory, 64, 0, 16);
  const std::uint64_t before = host_now();
  const auto result = run_batch(*device_, {zeros(memory, 64), run, run}, true);
  const std::uint64_t after = host_now();
  ASSERT_EQ(result.times.size(), 3u);
  std::uint64_t last = before;
  for (const OpTime& t : result.times) {
    EXPECT_LE(last, t.start);
    EXPECT_LE(t.start, t.end);
    last = t.end;
  }
  EXPECT_LE(last, after);
  EXPECT_TRUE(run_batch(*device_, {run}, false).times.empty());
}

TEST_P(StubDevice, AnEmptyBatchCompletesInOrder) {
  const auto memory = allocate(64);
  std::vector<int> order;
  Batch work;
  work.ops = {zeros(memory, 64)};
  work.done = [&](BatchResult&&) { order.push_back(1); };
  device_->submit(std::move(work));
  Batch empty;
  empty.done = [&](BatchResult&& r) {
    EXPECT_EQ(r.status, CL_SUCCESS);
    order.push_back(2);
  };
  device_->help(device_->submit(std::move(empty)));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_P(StubDevice, ADoneMaySubmit) {
  const auto memory = allocate(64);
  std::atomic<Ticket> second{0};
  std::atomic<bool> second_done{false};
  Batch first;
  first.ops = {zeros(memory, 64)};
  first.done = [&](BatchResult&&) {
    Batch next;
    next.ops = {FillOp{memory, {std::byte{9}}, 0, 64}};
    next.done = [&](BatchResult&&) { second_done = true; };
    second = device_->submit(std::move(next));
  };
  device_->help(device_->submit(std::move(first)));
  ASSERT_NE(second.load(), 0u);
  device_->help(second);
  EXPECT_TRUE(second_done);
}

TEST_P(StubDevice, AFailureAtEachCallOfABatchIsItsStatus) {
  const auto memory = allocate(256);
  std::vector<std::byte> host(256);
  auto image =
      device_->allocate_image({{CL_RGBA, CL_FLOAT}, {CL_MEM_OBJECT_IMAGE2D, 4, 2, 0, 0, 0, 0, 0, 0, {}}, 16}, nullptr);
  ASSERT_TRUE(image) << image.error().reason;
  const RunOp run = count_op(memory, 256, 0, 8);
  const std::vector<Op> ops = {WriteOp{memory, host.data(), plain_rows(0, 64)},
                               WriteOp{memory, host.data(), {0, 4, 32, 3}},
                               FillOp{memory, {std::byte{0}}, 0, 64},
                               CopyOp{memory, memory, 0, 128, 64},
                               WriteImageOp{*image, host.data()},
                               run,
                               ReadImageOp{*image, host.data()},
                               ReadOp{memory, host.data(), {0, 4, 32, 3}},
                               ReadOp{memory, host.data(), plain_rows(0, 64)}};
  const char* const calls[] = {"clEnqueueWriteBuffer", "clEnqueueWriteBufferRect", "clEnqueueFillBuffer",
                               "clEnqueueCopyBuffer",  "clEnqueueWriteImage",      "clEnqueueNDRangeKernel",
                               "clEnqueueReadImage",   "clEnqueueReadBufferRect",  "clEnqueueReadBuffer"};
  for (const char* call : calls) {
    stub::set_failure(std::string(call) + ":1:-4");
    auto result = run_batch(*device_, ops, true);
    EXPECT_EQ(result.status, CL_MEM_OBJECT_ALLOCATION_FAILURE) << call;
    EXPECT_NE(result.reason.find(call), std::string::npos) << result.reason;
    stub::set_failure(std::string("run:") + call + ":1:-5");
    result = run_batch(*device_, ops, true);
    EXPECT_EQ(result.status, CL_OUT_OF_RESOURCES) << call;
    EXPECT_NE(result.reason.find(device_->description().name), std::string::npos) << result.reason;
    EXPECT_EQ(run_batch(*device_, ops, true).status, CL_SUCCESS) << "after " << call;
  }
  stub::set_failure("clFlush:1:-36");
  EXPECT_EQ(run_batch(*device_, ops).status, CL_INVALID_COMMAND_QUEUE);
  stub::set_failure("clGetEventInfo:1:-5");
  EXPECT_EQ(run_batch(*device_, ops).status, CL_OUT_OF_RESOURCES);
  stub::set_failure("clGetEventProfilingInfo:0:-7");
  const auto untimed = run_batch(*device_, ops, true);
  EXPECT_EQ(untimed.status, CL_SUCCESS) << "times are no result";
  ASSERT_EQ(untimed.times.size(), ops.size());
  EXPECT_EQ(untimed.times.front().device_ns, 0u);
}

TEST_P(StubDevice, AnArgumentThatCannotBeSetFailsTheBatchAndIsSetNextTime) {
  const auto memory = allocate(64);
  const RunOp run = count_op(memory, 64, 0, 16);
  stub::set_failure("clSetKernelArg:1:-50");
  const auto result = run_batch(*device_, {zeros(memory, 64), run});
  EXPECT_EQ(result.status, CL_INVALID_ARG_VALUE);
  EXPECT_NE(result.reason.find("argument 0"), std::string::npos) << result.reason;
  EXPECT_EQ(run_batch(*device_, {zeros(memory, 64), run}).status, CL_SUCCESS);
  EXPECT_EQ(words_of(memory, 16), std::vector<std::uint32_t>(16, 1));
}

TEST_P(StubDevice, AViewAtAMisalignedOffsetIsAnErrorNotACrash) {
  const auto memory = allocate(256);
  RunOp run = count_op(memory, 256, 0, 4);
  run.arguments = arguments_of({BufferArgument{memory, 4, 16}});
  const auto result = run_batch(*device_, {run});
  EXPECT_EQ(result.status, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  EXPECT_NE(result.reason.find("offset 4"), std::string::npos) << result.reason;
}

TEST_P(StubDevice, ObjectsThatCannotBeMadeAreErrors) {
  const auto fails = [](const char* call, auto make) {
    stub::set_failure(std::string(call) + ":1:-6");
    auto made = make();
    EXPECT_FALSE(made) << call;
    if (!made) {
      EXPECT_EQ(made.error().code, CL_OUT_OF_HOST_MEMORY) << call;
      EXPECT_NE(made.error().reason.find(call), std::string::npos) << made.error().reason;
    }
    stub::set_failure("");
  };
  std::string log;
  const std::string text = stub::kKernelSource;
  fails("clCreateBuffer", [&] { return device_->allocate(16, nullptr); });
  fails("clCreateImage", [&] { return device_->allocate_image({}, nullptr); });
  fails("clCreateSampler", [&] { return device_->sampler(true, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST); });
  fails("clGetSupportedImageFormats", [&] { return device_->image_formats(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D); });
  fails("clCreateProgramWithSource", [&] { return device_->build(text, "", log); });
  fails("clBuildProgram", [&] { return device_->build(text, "", log); });
  EXPECT_FALSE(log.empty());
  fails("clCompileProgram", [&] { return device_->build_linked({text}, "", "", log); });
  fails("clLinkProgram", [&] { return device_->build_linked({text}, "", "", log); });
  auto program = device_->build(text, "-DX=1", log);
  ASSERT_TRUE(program);
  EXPECT_EQ(log, "");
  fails("clCreateKernel", [&] { return device_->kernel(*program, "stub_add"); });
  fails("clGetProgramInfo", [&] { return device_->binary(**program); });
  fails("clGetProgramInfo", [&] { return device_->kernel_names(**program); });
  auto kernel = device_->kernel(*program, "stub_add");
  ASSERT_TRUE(kernel);
  fails("clGetKernelInfo", [&] { return device_->argument_count(**kernel); });
  fails("clGetKernelArgInfo", [&] { return device_->argument_info(**kernel, 0, CL_KERNEL_ARG_NAME); });
  fails("clGetKernelWorkGroupInfo", [&] { return device_->required_local(**kernel); });
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

TEST_P(StubDevice, ThousandOpsInABatch) {
  const auto memory = allocate(64);
  std::vector<Op> ops = {zeros(memory, 64)};
  const RunOp run = count_op(memory, 64, 0, 16);
  for (int i = 0; i < 1000; ++i) ops.emplace_back(run);
  ASSERT_EQ(run_batch(*device_, std::move(ops)).status, CL_SUCCESS);
  EXPECT_EQ(words_of(memory, 16), std::vector<std::uint32_t>(16, 1000));
}

TEST_P(StubDevice, EightThreadsSubmitAndHelpAndCompletionsStayInOrder) {
  constexpr int kThreads = 8;
  constexpr int kBatches = 100;
  const auto memory = allocate(64);
  ASSERT_EQ(run_batch(*device_, {zeros(memory, 64)}).status, CL_SUCCESS);
  const RunOp run = count_op(memory, 64, 0, 16);
  std::atomic<int> completed{0};
  std::atomic<int> concurrent{0};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      int own = 0;  // completions run one at a time, so no lock is needed beyond help()
      for (int i = 0; i < kBatches; ++i) {
        Batch batch;
        batch.ops = {run};
        batch.done = [&, i](BatchResult&& result) {
          overlapped = overlapped || concurrent.fetch_add(1) != 0;
          EXPECT_EQ(result.status, CL_SUCCESS);
          EXPECT_EQ(own, i);
          ++own;
          ++completed;
          concurrent.fetch_sub(1);
        };
        const Ticket ticket = device_->submit(std::move(batch));
        if ((i + t) % 3 != 0 || i + 1 == kBatches) {
          device_->help(ticket);
          EXPECT_EQ(own, i + 1);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, kThreads * kBatches);
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(words_of(memory, 16), std::vector<std::uint32_t>(16, kThreads * kBatches));
}

TEST_P(StubDevice, BatchesCompleteWithoutAnyHelp) {
  const auto memory = allocate(64);
  for (int round = 0; round < 20; ++round) {
    std::mutex mutex;
    std::condition_variable changed;
    int completed = 0;
    for (int i = 0; i < 5; ++i) {
      Batch batch;
      batch.ops = {zeros(memory, 64)};
      batch.done = [&](BatchResult&&) {
        std::lock_guard lock(mutex);
        ++completed;
        changed.notify_all();
      };
      device_->submit(std::move(batch));
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return completed == 5; });
    // A helped batch in between puts the progress thread into its other state.
    lock.unlock();
    if (round % 4 == 0) {
      EXPECT_EQ(run_batch(*device_, {zeros(memory, 64)}).status, CL_SUCCESS);
    }
  }
}

TEST_P(StubDevice, HelpReturnsInAForkedChild) {
  const auto memory = allocate(64);
  ASSERT_EQ(run_batch(*device_, {zeros(memory, 64)}).status, CL_SUCCESS);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    device_->help(1'000'000);
    cl_int status = CL_SUCCESS;
    Batch batch;
    batch.ops = {zeros(memory, 64)};
    batch.done = [&](BatchResult&& r) { status = r.status; };
    device_->help(device_->submit(std::move(batch)));
    _exit(status == CL_OUT_OF_RESOURCES ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

INSTANTIATE_TEST_SUITE_P(Kinds, StubDevice, testing::Values("stub:0", "stub:2@discrete", "stub:2"),
                         [](const auto& param) { return "device" + std::to_string(param.index); });

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* const delay = std::getenv("STUB_DELAY_US");
  stub::configure("gpu,gpu,cpu", delay != nullptr ? std::atoi(delay) : -1);
  return RUN_ALL_TESTS();
}
