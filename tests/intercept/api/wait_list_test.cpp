// SPDX-License-Identifier: Apache-2.0
// What all enqueue calls owe to their wait list and event, checked on each of them.
#include <functional>
#include <map>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

struct Call {
  std::string name;
  cl_command_type type;
  /// Enqueues with this wait list on this queue; `out` may be null.
  std::function<cl_int(cl_command_queue, cl_uint, const cl_event*, cl_event* out)> enqueue;
};

class WaitList : public Driver {
 protected:
  void SetUp() override {
    a_ = buffer(256);
    b_ = buffer(256);
    const char* source = "kernel void touch(global int* p) { p[get_global_id(0)] += 1; }";
    kernel_ = kernel(source, "touch");
    ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof a_, &a_), CL_SUCCESS);
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(device(), CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
    if (images != CL_FALSE) make_image();
  }
  void TearDown() override {
    if (image_ != nullptr) clReleaseMemObject(image_);
    Driver::TearDown();
  }

  std::vector<Call> calls() {
    std::vector<Call> list = buffer_calls();
    add_other_calls(list);
    if (image_ != nullptr) add_image_calls(list);
    return list;
  }

 private:
  void make_image() {
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = 4;
    cl_int status = CL_SUCCESS;
    image_ = clCreateImage(context(), CL_MEM_READ_WRITE, &format, &desc, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
  }

  std::vector<Call> buffer_calls() {
    return {
        {"clEnqueueReadBuffer", CL_COMMAND_READ_BUFFER,
         [this](auto q, auto n, auto l, auto e) {
           return clEnqueueReadBuffer(q, a_, CL_FALSE, 0, 64, host_, n, l, e);
         }},
        {"clEnqueueWriteBuffer", CL_COMMAND_WRITE_BUFFER,
         [this](auto q, auto n, auto l, auto e) {
           return clEnqueueWriteBuffer(q, a_, CL_FALSE, 0, 64, host_, n, l, e);
         }},
        {"clEnqueueReadBuffer of nothing", CL_COMMAND_READ_BUFFER,
         [this](auto q, auto n, auto l, auto e) { return clEnqueueReadBuffer(q, a_, CL_FALSE, 0, 0, host_, n, l, e); }},
        {"clEnqueueReadBufferRect", CL_COMMAND_READ_BUFFER_RECT,
         [this](auto q, auto n, auto l, auto e) {
           return clEnqueueReadBufferRect(q, a_, CL_FALSE, zero_, zero_, box_, 16, 0, 16, 0, host_, n, l, e);
         }},
        {"clEnqueueWriteBufferRect", CL_COMMAND_WRITE_BUFFER_RECT,
         [this](auto q, auto n, auto l, auto e) {
           return clEnqueueWriteBufferRect(q, a_, CL_FALSE, zero_, zero_, box_, 16, 0, 16, 0, host_, n, l, e);
         }},
        {"clEnqueueCopyBuffer", CL_COMMAND_COPY_BUFFER,
         [this](auto q, auto n, auto l, auto e) { return clEnqueueCopyBuffer(q, a_, b_, 0, 0, 64, n, l, e); }},
        {"clEnqueueCopyBufferRect", CL_COMMAND_COPY_BUFFER_RECT,
         [this](auto q, auto n, auto l, auto e) {
           return clEnqueueCopyBufferRect(q, a_, b_, zero_, zero_, box_, 16, 0, 16, 0, n, l, e);
         }},
        {"clEnqueueFillBuffer", CL_COMMAND_FILL_BUFFER,
         [this](auto q, auto n, auto l, auto e) { return clEnqueueFillBuffer(q, a_, host_, 4, 0, 64, n, l, e); }},
        {"clEnqueueMapBuffer", CL_COMMAND_MAP_BUFFER,
         [this](auto q, auto n, auto l, auto e) {
           cl_int status = CL_SUCCESS;
           clEnqueueMapBuffer(q, b_, CL_FALSE, CL_MAP_READ, 0, 64, n, l, e, &status);
           return status;
         }},
    };
  }

  void add_other_calls(std::vector<Call>& list) {
    list.push_back({"clEnqueueNDRangeKernel", CL_COMMAND_NDRANGE_KERNEL, [this](auto q, auto n, auto l, auto e) {
                      const size_t global = 64;
                      return clEnqueueNDRangeKernel(q, kernel_, 1, nullptr, &global, nullptr, n, l, e);
                    }});
    list.push_back({"clEnqueueTask", CL_COMMAND_TASK,
                    [this](auto q, auto n, auto l, auto e) { return clEnqueueTask(q, kernel_, n, l, e); }});
    list.push_back({"clEnqueueNativeKernel", CL_COMMAND_NATIVE_KERNEL, [](auto q, auto n, auto l, auto e) {
                      return clEnqueueNativeKernel(
                          q, [](void*) {}, nullptr, 0, 0, nullptr, nullptr, n, l, e);
                    }});
    list.push_back(
        {"clEnqueueMigrateMemObjects", CL_COMMAND_MIGRATE_MEM_OBJECTS, [this](auto q, auto n, auto l, auto e) {
           return clEnqueueMigrateMemObjects(q, 1, &a_, CL_MIGRATE_MEM_OBJECT_HOST, n, l, e);
         }});
    list.push_back({"clEnqueueMarkerWithWaitList", CL_COMMAND_MARKER,
                    [](auto q, auto n, auto l, auto e) { return clEnqueueMarkerWithWaitList(q, n, l, e); }});
    list.push_back({"clEnqueueBarrierWithWaitList", CL_COMMAND_BARRIER,
                    [](auto q, auto n, auto l, auto e) { return clEnqueueBarrierWithWaitList(q, n, l, e); }});
  }

  void add_image_calls(std::vector<Call>& list) {
    list.push_back({"clEnqueueReadImage", CL_COMMAND_READ_IMAGE, [this](auto q, auto n, auto l, auto e) {
                      return clEnqueueReadImage(q, image_, CL_FALSE, zero_, pixels_, 0, 0, host_, n, l, e);
                    }});
    list.push_back({"clEnqueueWriteImage", CL_COMMAND_WRITE_IMAGE, [this](auto q, auto n, auto l, auto e) {
                      return clEnqueueWriteImage(q, image_, CL_FALSE, zero_, pixels_, 0, 0, host_, n, l, e);
                    }});
    list.push_back({"clEnqueueCopyImage", CL_COMMAND_COPY_IMAGE, [this](auto q, auto n, auto l, auto e) {
                      const size_t target[3] = {2, 2, 0};
                      return clEnqueueCopyImage(q, image_, image_, zero_, target, pixels_, n, l, e);
                    }});
    list.push_back({"clEnqueueFillImage", CL_COMMAND_FILL_IMAGE, [this](auto q, auto n, auto l, auto e) {
                      return clEnqueueFillImage(q, image_, host_, zero_, pixels_, n, l, e);
                    }});
    list.push_back(
        {"clEnqueueCopyImageToBuffer", CL_COMMAND_COPY_IMAGE_TO_BUFFER, [this](auto q, auto n, auto l, auto e) {
           return clEnqueueCopyImageToBuffer(q, image_, a_, zero_, pixels_, 0, n, l, e);
         }});
    list.push_back(
        {"clEnqueueCopyBufferToImage", CL_COMMAND_COPY_BUFFER_TO_IMAGE, [this](auto q, auto n, auto l, auto e) {
           return clEnqueueCopyBufferToImage(q, a_, image_, 0, zero_, pixels_, n, l, e);
         }});
    list.push_back({"clEnqueueMapImage", CL_COMMAND_MAP_IMAGE, [this](auto q, auto n, auto l, auto e) {
                      cl_int status = CL_SUCCESS;
                      size_t pitch = 0;
                      clEnqueueMapImage(q, image_, CL_FALSE, CL_MAP_READ, zero_, pixels_, &pitch, nullptr, n, l, e,
                                        &status);
                      return status;
                    }});
  }

  cl_mem a_ = nullptr, b_ = nullptr, image_ = nullptr;
  cl_kernel kernel_ = nullptr;
  unsigned char host_[256] = {};
  const size_t zero_[3] = {0, 0, 0};
  const size_t box_[3] = {8, 2, 1};
  const size_t pixels_[3] = {2, 2, 1};
};

cl_event const kUntouched = reinterpret_cast<cl_event>(std::uintptr_t{0x1234});

TEST_F(WaitList, CountAndPointerMustAgree) {
  const cl_event event = user_event();
  for (const Call& call : calls()) {
    cl_event out = kUntouched;
    EXPECT_EQ(call.enqueue(queue(), 1, nullptr, &out), CL_INVALID_EVENT_WAIT_LIST) << call.name;
    EXPECT_EQ(call.enqueue(queue(), 0, &event, &out), CL_INVALID_EVENT_WAIT_LIST) << call.name;
    EXPECT_EQ(out, kUntouched) << call.name;
  }
}

TEST_F(WaitList, EventsMustBeLive) {
  cl_event released = clCreateUserEvent(context(), nullptr);
  ASSERT_EQ(clSetUserEventStatus(released, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clReleaseEvent(released), CL_SUCCESS);
  const cl_event bad[2] = {released, nullptr};
  for (const Call& call : calls()) {
    EXPECT_EQ(call.enqueue(queue(), 1, &bad[0], nullptr), CL_INVALID_EVENT_WAIT_LIST) << call.name;
    EXPECT_EQ(call.enqueue(queue(), 1, &bad[1], nullptr), CL_INVALID_EVENT_WAIT_LIST) << call.name;
  }
}

TEST_F(WaitList, EventsOfAnotherContextAreRefused) {
  cl_event foreign = clCreateUserEvent(other_context(), nullptr);
  for (const Call& call : calls())
    EXPECT_EQ(call.enqueue(queue(), 1, &foreign, nullptr), CL_INVALID_CONTEXT) << call.name;
  clSetUserEventStatus(foreign, CL_COMPLETE);
  clReleaseEvent(foreign);
}

TEST_F(WaitList, ABadQueueIsTheFirstError) {
  for (const Call& call : calls()) {
    EXPECT_EQ(call.enqueue(foreign_handle<cl_command_queue>(platform()), 1, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE)
        << call.name;
  }
}

TEST_F(WaitList, TheCommandWaitsAndItsEventTellsTypeQueueAndTimes) {
  for (const Call& call : calls()) {
    const cl_event gate = user_event();
    cl_event event = nullptr;
    ASSERT_EQ(call.enqueue(queue(), 1, &gate, &event), CL_SUCCESS) << call.name;
    cl_int status = CL_COMPLETE;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    EXPECT_GT(status, CL_COMPLETE) << call.name;
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS) << call.name;
    cl_command_type type = 0;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
    EXPECT_EQ(type, call.type) << call.name;
    cl_command_queue of = nullptr;
    clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, nullptr);
    EXPECT_EQ(of, queue()) << call.name;
    cl_ulong start = 0;
    cl_ulong end = 0;
    EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr), CL_SUCCESS);
    EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), CL_SUCCESS);
    EXPECT_LT(start, end) << call.name;
    clReleaseEvent(event);
  }
}

TEST_F(WaitList, AFailedDependencyEndsTheCommandWithMinus14) {
  for (const Call& call : calls()) {
    const cl_event gate = user_event();
    cl_event event = nullptr;
    ASSERT_EQ(call.enqueue(queue(), 1, &gate, &event), CL_SUCCESS) << call.name;
    ASSERT_EQ(clSetUserEventStatus(gate, -77), CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) << call.name;
    cl_int status = CL_COMPLETE;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    EXPECT_EQ(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) << call.name;
    clReleaseEvent(event);
  }
  EXPECT_EQ(clFinish(queue()), CL_SUCCESS);
}

TEST_F(WaitList, BlockingCallsReturnTheFailureOfTheirDependency) {
  const cl_event gate = user_event();
  ASSERT_EQ(clSetUserEventStatus(gate, -77), CL_SUCCESS);
  cl_mem memory = buffer(64);
  unsigned char host[64] = {};
  cl_event out = kUntouched;
  EXPECT_EQ(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, 64, host, 1, &gate, &out),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(out, kUntouched);
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clEnqueueMapBuffer(queue(), memory, CL_TRUE, CL_MAP_WRITE, 0, 64, 1, &gate, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_uint count = 7;
  clGetMemObjectInfo(memory, CL_MEM_MAP_COUNT, sizeof count, &count, nullptr);
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace skmd::test
