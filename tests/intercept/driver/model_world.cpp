// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/driver/model_world.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace skmd::test {

namespace {

const char* const kSource = R"(
kernel void add(global uint* y, global const uint* x, uint a, uint first) {
  size_t i = get_global_id(0) + first; y[i] += a * x[i]; }
kernel void odd(global uint* y, global const uint* x) {
  size_t i = get_global_id(0); if (x[i] & 1) y[i] = x[i] + 1; }
kernel void reverse(global uint* y, global const uint* x, uint n) {
  size_t i = get_global_id(0); y[n - 1 - i] = x[i] ^ 0x5A5A5A5A; }
kernel void scatter(global uint* y, uint n, uint factor) {
  uint i = get_global_id(0); y[(i * factor) % n] = i; }
kernel void in_place(global uint* y) {
  size_t i = get_global_id(0); y[i] = y[i] * 1664525u + 1013904223u; }
)";

std::size_t rounded(std::size_t value, std::size_t granule) { return value / granule * granule; }

}  // namespace

void ModelWorld::open() {
  cl_platform_id platform = nullptr;
  ASSERT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  for (const cl_command_queue_properties properties : {0, 0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE})
    queues.push_back(clCreateCommandQueue(context, device, properties, nullptr));
  cl_uint bits = 0;
  clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, nullptr);
  alignment = bits / 8;
  program = clCreateProgramWithSource(context, 1, const_cast<const char**>(&kSource), nullptr, nullptr);
  ASSERT_EQ(clBuildProgram(program, 1, &device, "", nullptr, nullptr), CL_SUCCESS);
  const auto make = [&](const char* name) { return clCreateKernel(program, name, nullptr); };
  add = make("add");
  odd = make("odd");
  reverse = make("reverse");
  scatter = make("scatter");
  in_place = make("in_place");
  for (std::size_t i = 0; i < kBuffers; ++i) {
    model[i].assign(kWords, 0);
    cl_int status = CL_SUCCESS;
    buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, kWords * 4, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
  }
}

ModelWorld::~ModelWorld() {
  settle();
  for (cl_kernel kernel : {add, odd, reverse, scatter, in_place})
    if (kernel != nullptr) clReleaseKernel(kernel);
  for (cl_mem buffer : buffers)
    if (buffer != nullptr) clReleaseMemObject(buffer);
  for (cl_command_queue queue : queues) clReleaseCommandQueue(queue);
  if (program != nullptr) clReleaseProgram(program);
  if (context != nullptr) clReleaseContext(context);
}

Slice ModelWorld::slice(std::size_t granule) {
  Slice result;
  result.buffer = below(kBuffers);
  result.first = rounded(below(kWords - granule), granule);
  // Mostly small, sometimes large ranges.
  const std::size_t most = std::min(kWords - result.first, below(4) == 0 ? kWords : std::size_t{512});
  result.count = std::max(rounded(1 + below(most), granule), granule);
  return result;
}

std::vector<cl_event> ModelWorld::after(std::initializer_list<std::size_t> reads,
                                        std::initializer_list<std::size_t> writes) {
  std::vector<cl_event> list;
  for (const std::size_t buffer : reads)
    if (history[buffer].writer != nullptr) list.push_back(history[buffer].writer);
  for (const std::size_t buffer : writes) {
    if (history[buffer].writer != nullptr) list.push_back(history[buffer].writer);
    list.insert(list.end(), history[buffer].readers.begin(), history[buffer].readers.end());
  }
  if (below(12) == 0) {
    gates.push_back(clCreateUserEvent(context, nullptr));
    list.push_back(gates.back());
  }
  return list;
}

void ModelWorld::done(cl_event event, std::initializer_list<std::size_t> reads,
                      std::initializer_list<std::size_t> writes) {
  ASSERT_NE(event, nullptr);
  events.push_back(event);
  for (const std::size_t buffer : reads) history[buffer].readers.push_back(event);
  for (const std::size_t buffer : writes) history[buffer] = {event, {}};
}

void ModelWorld::expect(const Words* got, Words want, const std::string& what) {
  pending.push_back({got, std::move(want), "step " + std::to_string(steps) + ": " + what});
}

void ModelWorld::settle() {
  for (cl_event gate : gates) clSetUserEventStatus(gate, CL_COMPLETE);
  for (cl_command_queue queue : queues) EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  for (cl_event event : events) {
    cl_int status = 1;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    EXPECT_EQ(status, CL_COMPLETE);
    clReleaseEvent(event);
  }
  for (cl_event gate : gates) clReleaseEvent(gate);
  for (const Pending& entry : pending) {
    const auto [got, want] = std::mismatch(entry.got->begin(), entry.got->end(), entry.want.begin());
    EXPECT_EQ(got, entry.got->end()) << entry.what << ": word " << got - entry.got->begin() << " is " << *got
                                     << ", not " << *want;
  }
  gates.clear();
  events.clear();
  pending.clear();
  kept.clear();
  history = {};
}

void ModelWorld::compare_all() {
  settle();  // blocking reads behind a gate would never return
  for (std::size_t i = 0; i < kBuffers; ++i) {
    Words& got = host(kWords);
    ASSERT_EQ(clEnqueueReadBuffer(queues[0], buffers[i], CL_TRUE, 0, kWords * 4, got.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    expect(&got, model[i], "buffer " + std::to_string(i));
  }
  settle();
}

void ModelWorld::step() {
  static constexpr Operation kOperations[] = {&ModelWorld::write,
                                              &ModelWorld::read,
                                              &ModelWorld::write_rect,
                                              &ModelWorld::read_rect,
                                              &ModelWorld::fill,
                                              &ModelWorld::copy,
                                              &ModelWorld::copy_rect,
                                              &ModelWorld::map_and_write,
                                              &ModelWorld::map_and_read,
                                              &ModelWorld::launch_add,
                                              &ModelWorld::through_sub_buffer,
                                              &ModelWorld::launch_odd,
                                              &ModelWorld::launch_reverse,
                                              &ModelWorld::launch_scatter,
                                              &ModelWorld::launch_in_place};
  ++steps;
  (this->*kOperations[below(std::size(kOperations))])();
  if (below(40) == 0) settle();
}

}  // namespace skmd::test
