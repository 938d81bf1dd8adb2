// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

class ClEnqueueNDRangeKernel : public Driver {
 protected:
  /// out[global linear id] = group id * 1000 + group count, in as many dimensions as it is launched in.
  cl_kernel groups() {
    cl_kernel made = kernel(
        "kernel void k(global int* out) { size_t i = get_global_id(0) - get_global_offset(0);"
        " out[i] = (int)(get_group_id(0) * 1000 + get_num_groups(0)); }",
        "k");
    out_ = buffer(4096 * sizeof(cl_int));
    EXPECT_EQ(clSetKernelArg(made, 0, sizeof out_, &out_), CL_SUCCESS);
    return made;
  }
  std::vector<cl_int> result(size_t items) {
    std::vector<cl_int> values(items, -1);
    EXPECT_EQ(
        clEnqueueReadBuffer(queue(), out_, CL_TRUE, 0, items * sizeof(cl_int), values.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return values;
  }
  /// The code of a call that must not touch its event.
  cl_int refused(cl_kernel made, cl_uint dim, const size_t* offset, const size_t* global, const size_t* local,
                 cl_uint events = 0, const cl_event* list = nullptr) {
    const auto sentinel = reinterpret_cast<cl_event>(this);
    cl_event event = sentinel;
    const cl_int status = clEnqueueNDRangeKernel(queue(), made, dim, offset, global, local, events, list, &event);
    EXPECT_EQ(event, sentinel);
    return status;
  }

 private:
  cl_mem out_ = nullptr;
};

TEST_F(ClEnqueueNDRangeKernel, GroupQueriesAnswerForTheWholeLaunch) {
  cl_kernel made = groups();
  const size_t global = 4096, local = 64, offset = 17;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, &offset, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
  const auto values = result(global);
  for (size_t i = 0; i < global; ++i) ASSERT_EQ(values[i], static_cast<cl_int>(i / 64 * 1000 + 64)) << i;
}

TEST_F(ClEnqueueNDRangeKernel, QueueKernelAndContextComeFirst) {
  cl_kernel made = groups();
  const size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(foreign_handle<cl_command_queue>(platform()), made, 9, nullptr, &one, nullptr, 0,
                                   nullptr, nullptr),
            CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue(), foreign_handle<cl_kernel>(platform()), 9, nullptr, &one, nullptr, 0,
                                   nullptr, nullptr),
            CL_INVALID_KERNEL);
  cl_int status = 0;
  cl_command_queue elsewhere = clCreateCommandQueueWithProperties(other_context(), device(), nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(elsewhere, made, 9, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_INVALID_CONTEXT);
  clReleaseCommandQueue(elsewhere);
}

TEST_F(ClEnqueueNDRangeKernel, UnsetArgumentsCountMoreThanSizes) {
  cl_kernel made = kernel("kernel void k(global int* out) { *out = 1; }", "k");
  const size_t one = 1;
  EXPECT_EQ(refused(made, 9, nullptr, &one, nullptr), CL_INVALID_KERNEL_ARGS);
}

TEST_F(ClEnqueueNDRangeKernel, DimensionsAreOneToThree) {
  cl_kernel made = groups();
  const size_t sizes[4] = {1, 1, 1, 1};
  EXPECT_EQ(refused(made, 0, nullptr, sizes, nullptr), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(refused(made, 4, nullptr, sizes, nullptr), CL_INVALID_WORK_DIMENSION);
}

TEST_F(ClEnqueueNDRangeKernel, OffsetsMayNotOverflow) {
  cl_kernel made = groups();
  const size_t global = 64, offset = ~size_t{0} - 62;
  EXPECT_EQ(refused(made, 1, &offset, &global, nullptr), CL_INVALID_GLOBAL_OFFSET);
}

TEST_F(ClEnqueueNDRangeKernel, LocalSizesAreCheckedAgainstKernelAndRange) {
  cl_kernel made = groups();
  size_t limit = 0;  // a driver may run larger groups of a kernel than it promises, but none beyond this
  ASSERT_EQ(clGetDeviceInfo(device(), CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof limit, &limit, nullptr), CL_SUCCESS);
  const size_t zero = 0, three = 3, global = 64, too_big = limit * 2, big_range = limit * 4;
  EXPECT_EQ(refused(made, 1, nullptr, &global, &zero), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(refused(made, 1, nullptr, &global, &three), CL_INVALID_WORK_GROUP_SIZE) << "no non-uniform groups";
  EXPECT_EQ(refused(made, 1, nullptr, &big_range, &too_big), CL_INVALID_WORK_GROUP_SIZE);
  const size_t wide[3] = {size_t{1} << 32, size_t{1} << 32, 1};
  EXPECT_EQ(refused(made, 3, nullptr, wide, wide), CL_INVALID_WORK_GROUP_SIZE) << "the product wraps to 0";
}

TEST_F(ClEnqueueNDRangeKernel, ARequiredSizeIsUsedForNullAndDemandedOtherwise) {
  cl_kernel made = kernel(
      "__attribute__((reqd_work_group_size(8, 1, 1))) kernel void k(global int* out) "
      "{ out[get_global_id(0)] = (int)get_local_size(0); }",
      "k");
  cl_mem out = buffer(64 * sizeof(cl_int));
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  const size_t global = 64, local = 16, ragged = 60;
  EXPECT_EQ(refused(made, 1, nullptr, &global, &local), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(refused(made, 1, nullptr, &ragged, nullptr), CL_INVALID_WORK_GROUP_SIZE);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int value = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue(), out, CL_TRUE, 63 * sizeof value, sizeof value, &value, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(value, 8);
}

TEST_F(ClEnqueueNDRangeKernel, AnEmptyRangeIsALegalLaunchOfNothing) {
  cl_kernel made = groups();
  const size_t empty[2] = {0, 64};
  for (const size_t* global : {static_cast<const size_t*>(empty), static_cast<const size_t*>(nullptr)}) {
    cl_event event = nullptr;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 2, nullptr, global, nullptr, 0, nullptr, &event), CL_SUCCESS);
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    cl_command_type type = 0;
    EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr), CL_SUCCESS);
    EXPECT_EQ(type, cl_command_type{CL_COMMAND_NDRANGE_KERNEL});
    cl_ulong start = 0, end = 0;
    EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr), CL_SUCCESS);
    EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), CL_SUCCESS);
    EXPECT_LT(start, end);
    clReleaseEvent(event);
  }
}

TEST_F(ClEnqueueNDRangeKernel, TheSuggestedLocalSizeIsTheOneThatNullGets) {
  using Suggest = cl_int (*)(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, size_t*);
  const auto suggest = reinterpret_cast<Suggest>(
      clGetExtensionFunctionAddressForPlatform(platform(), "clGetKernelSuggestedLocalWorkSizeKHR"));
  ASSERT_NE(suggest, nullptr);
  cl_kernel made = kernel(
      "kernel void k(global int* out) { out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = "
      "(int)(get_local_size(0) * 10000 + get_local_size(1)); }",
      "k");
  cl_mem out = buffer(4096 * sizeof(cl_int));
  const size_t global[2] = {48, 20};
  size_t local[2] = {0, 0};
  EXPECT_EQ(suggest(queue(), made, 2, nullptr, global, local), CL_INVALID_KERNEL_ARGS);
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(suggest(queue(), made, 2, nullptr, global, local), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 2, nullptr, global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int value = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue(), out, CL_TRUE, 959 * sizeof value, sizeof value, &value, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(value, static_cast<cl_int>(local[0] * 10000 + local[1]));
  const size_t empty[2] = {48, 0};
  EXPECT_EQ(suggest(queue(), made, 2, nullptr, empty, local), CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT_EQ(suggest(queue(), made, 2, nullptr, global, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(suggest(queue(), made, 4, nullptr, global, local), CL_INVALID_WORK_DIMENSION);
}

TEST_F(ClEnqueueNDRangeKernel, LocalMemoryBeyondTheDeviceIsOutOfResources) {
  cl_kernel made = kernel(
      "kernel void k(local int* scratch, global int* out) { scratch[get_local_id(0)] = 1; *out = scratch[0]; }", "k");
  cl_mem out = buffer(4);
  // The virtual device tells of the least that any of its devices has: of those with more, one would run the launch.
  const size_t beyond_all = size_t{1} << 30;
  ASSERT_EQ(clSetKernelArg(made, 0, beyond_all, nullptr), CL_SUCCESS) << "no error code for it there";
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof out, &out), CL_SUCCESS);
  const size_t global = 64;
  EXPECT_EQ(refused(made, 1, nullptr, &global, nullptr), CL_OUT_OF_RESOURCES);
}

TEST_F(ClEnqueueNDRangeKernel, WaitListsAreChecked) {
  cl_kernel made = groups();
  const size_t global = 64;
  cl_event foreign = foreign_handle<cl_event>(platform());
  EXPECT_EQ(refused(made, 1, nullptr, &global, nullptr, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(refused(made, 1, nullptr, &global, nullptr, 0, &foreign), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(refused(made, 1, nullptr, &global, nullptr, 1, &foreign), CL_INVALID_EVENT_WAIT_LIST);
  cl_int status = 0;
  cl_event elsewhere = clCreateUserEvent(other_context(), &status);
  EXPECT_EQ(refused(made, 1, nullptr, &global, nullptr, 1, &elsewhere), CL_INVALID_CONTEXT);
  clSetUserEventStatus(elsewhere, CL_COMPLETE);
  clReleaseEvent(elsewhere);
}

TEST_F(ClEnqueueNDRangeKernel, ArgumentsAreFrozenWhenItIsEnqueued) {
  cl_kernel made = kernel("kernel void k(global int* out, int value) { *out = value; }", "k");
  cl_mem first = buffer(4), second = buffer(4);
  const cl_int one = 1, two = 2, zero = 0;
  ASSERT_EQ(clEnqueueWriteBuffer(queue(), second, CL_TRUE, 0, 4, &zero, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof first, &first), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof one, &one), CL_SUCCESS);
  cl_event gate = user_event();
  const size_t global = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, nullptr, &global, nullptr, 1, &gate, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof second, &second), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof two, &two), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  cl_int values[2] = {-1, -1};
  ASSERT_EQ(clEnqueueReadBuffer(queue(), first, CL_TRUE, 0, 4, &values[0], 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue(), second, CL_TRUE, 0, 4, &values[1], 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 0);
}

TEST_F(ClEnqueueNDRangeKernel, LaunchesInARowDifferInWhatIsSetBetweenThem) {
  cl_uint align = 0;
  ASSERT_EQ(clGetDeviceInfo(device(), CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, nullptr), CL_SUCCESS);
  const size_t half = std::max<size_t>(align / 8, 64) / sizeof(cl_int), items = 2 * half,
               bytes = items * sizeof(cl_int);
  // The digits of a number say which launches it has seen.
  cl_kernel made = kernel(
      "kernel void k(global int* out, int value) { size_t i = get_global_id(0); out[i] = out[i] * 10 + value; }", "k");
  const std::vector<cl_int> zeros(items);
  cl_mem a = buffer(bytes), b = buffer(bytes);
  for (cl_mem memory : {a, b})
    ASSERT_EQ(clEnqueueWriteBuffer(queue(), memory, CL_TRUE, 0, bytes, zeros.data(), 0, nullptr, nullptr), CL_SUCCESS);
  const cl_buffer_region upper{bytes / 2, bytes / 2};
  cl_int status = CL_SUCCESS;
  cl_mem part = clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &upper, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_event gate = user_event();
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue(), 1, &gate, nullptr), CL_SUCCESS);
  const auto launch = [&](cl_mem memory, cl_int value, size_t global, size_t offset = 0) {
    ASSERT_EQ(clSetKernelArg(made, 0, sizeof memory, &memory), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(made, 1, sizeof value, &value), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, &offset, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  };
  launch(a, 1, items);
  launch(a, 1, items);
  launch(a, 2, items);
  launch(b, 2, items);
  launch(a, 2, items);
  launch(a, 2, half);
  launch(part, 2, half);
  launch(part, 3, half);
  launch(a, 3, half);
  launch(a, 4, half);
  launch(a, 4, half, half);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  std::vector<cl_int> seen_a(items), seen_b(items);
  ASSERT_EQ(clEnqueueReadBuffer(queue(), a, CL_TRUE, 0, bytes, seen_a.data(), 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue(), b, CL_TRUE, 0, bytes, seen_b.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen_a, std::vector<cl_int>(items, 1122234));
  EXPECT_EQ(seen_b, std::vector<cl_int>(items, 2));
  clReleaseMemObject(part);
}

TEST_F(ClEnqueueNDRangeKernel, ABufferThatWasReleasedIsNotLaunchedAgain) {
  cl_kernel made = kernel("kernel void k(global int* out) { *out = 7; }", "k");
  cl_mem out = clCreateBuffer(context(), CL_MEM_READ_WRITE, 4, nullptr, nullptr);
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  cl_event gate = user_event();
  const size_t global = 1;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, nullptr, &global, nullptr, 1, &gate, nullptr), CL_SUCCESS);
  }
  EXPECT_EQ(clReleaseMemObject(out), CL_SUCCESS);
  EXPECT_EQ(refused(made, 1, nullptr, &global, nullptr), CL_INVALID_MEM_OBJECT);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue()), CL_SUCCESS);
}

TEST_F(ClEnqueueNDRangeKernel, AViewLivesAsLongAsItsLaunchesThoughAnotherHasTheSameBytes) {
  static std::atomic<int> gone;
  gone = 0;
  cl_kernel made = kernel("kernel void k(global int* out) { ++*out; }", "k");
  cl_mem whole = buffer(64);
  const cl_int zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue(), whole, &zero, 4, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
  const cl_buffer_region region{0, 64};
  cl_event gate = user_event();
  const size_t global = 1;
  cl_mem views[2] = {};
  for (cl_mem& view : views) {
    view = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
    ASSERT_EQ(clSetKernelArg(made, 0, sizeof view, &view), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, nullptr, &global, nullptr, 1, &gate, nullptr), CL_SUCCESS);
  }
  const auto note = [](cl_mem, void*) {
    ++gone;
    gone.notify_all();
  };
  ASSERT_EQ(clSetMemObjectDestructorCallback(views[1], note, nullptr), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(views[1]), CL_SUCCESS);
  EXPECT_EQ(gone, 0);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  cl_int seen = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue(), whole, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 2);
  gone.wait(0);
  EXPECT_EQ(clReleaseMemObject(views[0]), CL_SUCCESS);
}

TEST_F(ClEnqueueNDRangeKernel, BuffersAndKernelMayBeReleasedWhileItWaits) {
  cl_kernel made = clCreateKernel(program("kernel void k(global int* out) { *out = 7; }"), "k", nullptr);
  cl_mem out = clCreateBuffer(context(), CL_MEM_READ_WRITE, 4, nullptr, nullptr);
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  cl_event gate = user_event(), done = nullptr;
  const size_t global = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, nullptr, &global, nullptr, 1, &gate, &done), CL_SUCCESS);
  EXPECT_EQ(clReleaseKernel(made), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(out), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
}

TEST_F(ClEnqueueNDRangeKernel, TasksAreOneItemOfTheirOwnType) {
  cl_kernel made = kernel("kernel void k(global int* out) { *out = (int)get_global_size(0); }", "k");
  cl_mem out = buffer(4);
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueTask(queue(), made, 0, nullptr, &event), CL_SUCCESS);
  cl_int value = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue(), out, CL_TRUE, 0, 4, &value, 1, &event, nullptr), CL_SUCCESS);
  EXPECT_EQ(value, 1);
  cl_command_type type = 0;
  EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr), CL_SUCCESS);
  EXPECT_EQ(type, cl_command_type{CL_COMMAND_TASK});
  clReleaseEvent(event);
}
}  // namespace
}  // namespace skmd::test
