// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

#include <cstdlib>

namespace skmd::test {
namespace {

struct World {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};
World world;

void set(const char* name, const char* value) { setenv(name, value, 0); }

void make_world() {
  set("OCL_ICD_VENDORS", SKMD_TEST_VENDORS);  // a folder that holds nothing but our .icd
  set("SKMD_DEVICES", "portable:pthread@discrete,portable:basic@discrete");
  set("POCL_DEVICES", "pthread basic");
  set("SKMD_CACHE_DIR", SKMD_TEST_CACHE);
  set("POCL_CACHE_DIR", SKMD_TEST_CACHE "/pocl");
  cl_int status = clGetPlatformIDs(1, &world.platform, nullptr);
  ASSERT_EQ(status, CL_SUCCESS) << "no platform: see SKMD_LOG=error";
  ASSERT_EQ(clGetDeviceIDs(world.platform, CL_DEVICE_TYPE_ALL, 1, &world.device, nullptr), CL_SUCCESS);
  world.context = clCreateContext(nullptr, 1, &world.device, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  world.queue = clCreateCommandQueueWithProperties(world.context, world.device, properties, &status);
  ASSERT_EQ(status, CL_SUCCESS);
}

}  // namespace

Driver::Driver() {
  if (world.queue == nullptr) make_world();
}

cl_platform_id Driver::platform() { return world.platform; }
cl_device_id Driver::device() { return world.device; }
cl_context Driver::context() { return world.context; }
cl_command_queue Driver::queue() { return world.queue; }

cl_context Driver::other_context() {
  cl_int status = CL_SUCCESS;
  cl_context made = clCreateContext(nullptr, 1, &world.device, nullptr, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  contexts_.push_back(made);
  return made;
}

cl_mem Driver::buffer(size_t bytes, cl_mem_flags flags, void* host) {
  cl_int status = CL_SUCCESS;
  cl_mem made = clCreateBuffer(world.context, flags, bytes, host, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  memories_.push_back(made);
  return made;
}

cl_program Driver::program(const std::string& source, const char* options) {
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  cl_program made = clCreateProgramWithSource(world.context, 1, &text, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  programs_.push_back(made);
  status = clBuildProgram(made, 1, &world.device, options, nullptr, nullptr);
  if (status != CL_SUCCESS) {
    std::string log(1 << 16, '\0');
    clGetProgramBuildInfo(made, world.device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    ADD_FAILURE() << "clBuildProgram: " << status << "\n" << log.c_str();
  }
  return made;
}

cl_kernel Driver::kernel(const std::string& source, const char* name, const char* options) {
  cl_int status = CL_SUCCESS;
  cl_kernel made = clCreateKernel(program(source, options), name, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  kernels_.push_back(made);
  return made;
}

cl_event Driver::user_event() {
  cl_int status = CL_SUCCESS;
  cl_event made = clCreateUserEvent(world.context, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  events_.push_back(made);
  return made;
}

void Driver::TearDown() {
  for (cl_event event : events_) {
    cl_int status = CL_COMPLETE;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status > CL_COMPLETE) clSetUserEventStatus(event, -1);
    clReleaseEvent(event);
  }
  for (cl_kernel kernel : kernels_) clReleaseKernel(kernel);
  for (cl_program program : programs_) clReleaseProgram(program);
  for (cl_mem memory : memories_) clReleaseMemObject(memory);
  for (cl_context context : contexts_) clReleaseContext(context);
}

}  // namespace skmd::test
