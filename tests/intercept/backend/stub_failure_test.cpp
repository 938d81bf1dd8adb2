// SPDX-License-Identifier: Apache-2.0
// A failure of any of the vendor's calls comes back as an error or as a batch's status, and the next batch runs.
#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

class StubFailure : public StubDevice {};

TEST_P(StubFailure, AFailureAtEachCallOfABatchIsItsStatus) {
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
                               WriteImageOp{*image, host.data(), plain_rows(0, 128)},
                               run,
                               ReadImageOp{*image, host.data(), plain_rows(0, 128)},
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
  stub::set_failure("clGetEventInfo:0:-5");
  EXPECT_EQ(run_batch(*device_, ops).status, CL_SUCCESS) << "waiting tells as well";
  stub::set_failure("clWaitForEvents:0:-5");
  EXPECT_EQ(run_batch(*device_, ops).status, CL_SUCCESS) << "and so does finishing and asking";
  stub::set_failure("clGetEventProfilingInfo:0:-7");
  const auto untimed = run_batch(*device_, ops, true);
  EXPECT_EQ(untimed.status, CL_SUCCESS) << "times are no result";
  EXPECT_TRUE(untimed.times.empty());
}

TEST_P(StubFailure, AFailureCountsWhenItsOwnerHasBeenTold) {
  const auto memory = allocate(64);
  std::vector<std::uint32_t> seen;
  const auto fill = [&] {
    Batch batch;
    batch.ops = {zeros(memory, 64)};
    batch.done = [&](BatchResult&&) { seen.push_back(device_->health()->failures()); };
    return device_->submit(std::move(batch));
  };
  stub::set_failure("clEnqueueFillBuffer:1:-4");
  fill();
  device_->help(fill());
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 1})) << "what begins in the first may still rely on its results";
  EXPECT_EQ(device_->health()->failures(), 1u);
}

TEST_P(StubFailure, AFailureToGetAQueueCountsAfterItsOwnerHasBeenTold) {
  const auto memory = allocate(64);
  stub::set_failure("clCreateCommandQueue:1:-6");
  std::uint32_t seen = 7;
  Batch batch;
  batch.ops = {zeros(memory, 64)};
  batch.done = [&](BatchResult&&) { seen = device_->health()->failures(); };
  device_->help(device_->submit(std::move(batch)));
  EXPECT_EQ(seen, 0u);
  EXPECT_EQ(device_->health()->failures(), 1u);
}

TEST_P(StubFailure, AnArgumentThatCannotBeSetFailsTheBatchAndIsSetNextTime) {
  const auto memory = allocate(64);
  const RunOp run = count_op(memory, 64, 0, 16);
  stub::set_failure("clSetKernelArg:1:-50");
  const auto result = run_batch(*device_, {zeros(memory, 64), run});
  EXPECT_EQ(result.status, CL_INVALID_ARG_VALUE);
  EXPECT_NE(result.reason.find("argument 0"), std::string::npos) << result.reason;
  EXPECT_EQ(run_batch(*device_, {zeros(memory, 64), run}).status, CL_SUCCESS);
  EXPECT_EQ(words_of(memory, 16), std::vector<std::uint32_t>(16, 1));
}

TEST_P(StubFailure, AViewAtAMisalignedOffsetIsAnErrorNotACrash) {
  const auto memory = allocate(256);
  RunOp run = count_op(memory, 256, 0, 4);
  run.arguments = arguments_of({BufferArgument{memory, 4, 16}});
  const auto result = run_batch(*device_, {run});
  EXPECT_EQ(result.status, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  EXPECT_NE(result.reason.find("offset 4"), std::string::npos) << result.reason;
}

TEST_P(StubFailure, LinkedUnitsAreCompiledWithTheirOwnOptions) {
  (void)stub::take_log();
  std::string log;
  ASSERT_TRUE(device_->build_linked({{stub::kKernelSource, "-DV=3"}, {"", "-DV=4 -w"}}, "-cl-no-signed-zeros", log));
  std::string calls;
  for (const std::string& call : stub::take_log())
    if (call.find("options=") != std::string::npos) calls += call + '\n';
  EXPECT_EQ(calls,
            "clCompileProgram options=-DV=3\nclCompileProgram options=-DV=4 -w\n"
            "clLinkProgram units=2 options=-cl-no-signed-zeros\n");
}

TEST_P(StubFailure, ObjectsThatCannotBeMadeAreErrors) {
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
  fails("clCompileProgram", [&] { return device_->build_linked({{text, ""}}, "", log); });
  fails("clLinkProgram", [&] { return device_->build_linked({{text, ""}}, "", log); });
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

INSTANTIATE_TEST_SUITE_P(Kinds, StubFailure, testing::ValuesIn(kStubKinds), stub_kind_name);

}  // namespace
}  // namespace skmd::icd
