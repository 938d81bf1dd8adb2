// SPDX-License-Identifier: Apache-2.0
#include "bench/support/opencl.h"

#include <chrono>
#include <ctime>

#include "bench/support/select.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Of all threads of this process.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void check_call(cl_int code, const char* call) {
  if (code != CL_SUCCESS) throw ClError(std::string(call) + " failed with " + std::to_string(code));
}

Kernel::Kernel(const Program& program, const char* name) {
  cl_int code = CL_SUCCESS;
  kernel_ = Handle<cl_kernel, clReleaseKernel>(clCreateKernel(program.get(), name, &code));
  check_call(code, "clCreateKernel");
}

void Kernel::set_bytes(cl_uint index, std::size_t size, const void* value) {
  check_call(clSetKernelArg(kernel_.get(), index, size, value), "clSetKernelArg");
}

Range range_1d(std::size_t global, std::size_t local) { return {1, {global, 1, 1}, {local, 1, 1}}; }

Range range_2d(std::array<std::size_t, 2> global, std::array<std::size_t, 2> local) {
  return {2, {global[0], global[1], 1}, {local[0], local[1], 1}};
}

Range range_3d(std::array<std::size_t, 3> global, std::array<std::size_t, 3> local) { return {3, global, local}; }

Device::Device(const std::string& selector, Memory memory) : device_(select_device(selector)) {
  cl_int code = CL_SUCCESS;
  context_ = Context(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
  check_call(code, "clCreateContext");
  queue_ = Queue(clCreateCommandQueue(context_.get(), device_, 0, &code));
  check_call(code, "clCreateCommandQueue");
  host_ = std::make_unique<HostMemory>(context_.get(), queue_.get(), memory);
}

Program Device::build(const char* source, const std::string& options) const {
  cl_int code = CL_SUCCESS;
  const auto start = Clock::now();
  Program program(clCreateProgramWithSource(context_.get(), 1, &source, nullptr, &code));
  check_call(code, "clCreateProgramWithSource");
  code = clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
  if (spent_ != nullptr) spent_->build += seconds_since(start);
  if (code == CL_SUCCESS) return program;
  std::size_t size = 0;
  check_call(clGetProgramBuildInfo(program.get(), device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size),
             "clGetProgramBuildInfo");
  std::string log(size, '\0');
  check_call(clGetProgramBuildInfo(program.get(), device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr),
             "clGetProgramBuildInfo");
  throw ClError("clBuildProgram failed with " + std::to_string(code) + ":\n" + log.c_str());
}

Buffer Device::buffer(cl_mem_flags flags, std::size_t bytes) const {
  cl_int code = CL_SUCCESS;
  Buffer result(clCreateBuffer(context_.get(), flags, bytes, nullptr, &code));
  check_call(code, "clCreateBuffer");
  return result;
}

void Device::write_bytes(const Buffer& to, std::size_t bytes, const void* data) const {
  check_call(clEnqueueWriteBuffer(queue_.get(), to.get(), CL_FALSE, 0, bytes, data, 0, nullptr, nullptr),
             "clEnqueueWriteBuffer");
}

void Device::read_bytes(const Buffer& from, std::size_t bytes, void* data) const {
  check_call(clEnqueueReadBuffer(queue_.get(), from.get(), CL_TRUE, 0, bytes, data, 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
}

void Device::copy(const Buffer& from, const Buffer& to, std::size_t bytes) const {
  check_call(clEnqueueCopyBuffer(queue_.get(), from.get(), to.get(), 0, 0, bytes, 0, nullptr, nullptr),
             "clEnqueueCopyBuffer");
}

void Device::finish() const { check_call(clFinish(queue_.get()), "clFinish"); }

void Device::launch(const Kernel& kernel, const Range& range) const {
  if (spent_ != nullptr) finish();
  const auto start = Clock::now();
  const double used = spent_ != nullptr ? processor_seconds() : 0;
  check_call(clEnqueueNDRangeKernel(queue_.get(), kernel.get(), range.dims, nullptr, range.global.data(),
                                    range.local.data(), 0, nullptr, nullptr),
             "clEnqueueNDRangeKernel");
  if (spent_ == nullptr) return;
  finish();
  spent_->kernels += seconds_since(start);
  spent_->processor += processor_seconds() - used;
}

}  // namespace bench
