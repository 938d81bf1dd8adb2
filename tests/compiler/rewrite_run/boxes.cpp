// SPDX-License-Identifier: Apache-2.0
#include "boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace skmd::compiler::test {

std::vector<Box> random_boxes(const Range& range, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Box> boxes{{{0, 0, 0}, {range.groups(0), range.groups(1), range.groups(2)}}};
  for (int cut = 0; cut < 6; ++cut) {
    const std::size_t which = random() % boxes.size();
    const std::size_t dimension = random() % range.dimensions;
    const Box box = boxes[which];
    if (box.count[dimension] < 2) continue;
    const std::size_t part = 1 + random() % (box.count[dimension] - 1);
    boxes[which].count[dimension] = part;
    Box rest = box;
    rest.first[dimension] += part;
    rest.count[dimension] -= part;
    boxes.push_back(rest);
  }
  std::shuffle(boxes.begin(), boxes.end(), random);
  return boxes;
}

struct Device::Prepared {
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem buffer = nullptr;
  ~Prepared() {
    if (buffer != nullptr) clReleaseMemObject(buffer);
    if (kernel != nullptr) clReleaseKernel(kernel);
    if (program != nullptr) clReleaseProgram(program);
  }
};

Device::Device() {
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  if (clGetPlatformIDs(platforms.size(), platforms.data(), &count) != CL_SUCCESS) return;
  for (cl_uint i = 0; i < std::min<cl_uint>(count, platforms.size()) && device_ == nullptr; ++i) {
    std::array<char, 256> name{};
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr);
    if (std::string(name.data()).find("Portable Computing Language") == std::string::npos) continue;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device_, nullptr) != CL_SUCCESS) device_ = nullptr;
  }
  if (device_ == nullptr) return;
  cl_int error = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
  if (error == CL_SUCCESS) queue_ = clCreateCommandQueue(context_, device_, 0, &error);
}

Device::~Device() {
  if (queue_ != nullptr) clReleaseCommandQueue(queue_);
  if (context_ != nullptr) clReleaseContext(context_);
}

bool Device::prepare(Prepared& prepared, const std::string& text, const std::string& options, const std::string& kernel,
                     std::size_t size) {
  cl_int error = CL_SUCCESS;
  const char* source = text.c_str();
  prepared.program = clCreateProgramWithSource(context_, 1, &source, nullptr, &error);
  if (clBuildProgram(prepared.program, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    std::string log(16384, '\0');
    clGetProgramBuildInfo(prepared.program, device_, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    ADD_FAILURE() << "does not build\n" << log.c_str() << text;
    return false;
  }
  prepared.kernel = clCreateKernel(prepared.program, kernel.c_str(), &error);
  std::vector<std::uint64_t> untouched(size, ~std::uint64_t{0});
  prepared.buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size * sizeof(std::uint64_t),
                                   untouched.data(), &error);
  error = clSetKernelArg(prepared.kernel, 0, sizeof(cl_mem), &prepared.buffer);
  EXPECT_EQ(error, CL_SUCCESS);
  return error == CL_SUCCESS;
}

std::vector<std::uint64_t> Device::finish(Prepared& prepared, std::size_t size) {
  std::vector<std::uint64_t> words(size);
  const cl_int error = clEnqueueReadBuffer(queue_, prepared.buffer, CL_TRUE, 0, size * sizeof(std::uint64_t),
                                           words.data(), 0, nullptr, nullptr);
  EXPECT_EQ(error, CL_SUCCESS);
  return error == CL_SUCCESS ? words : std::vector<std::uint64_t>{};
}

std::vector<std::uint64_t> Device::run_whole(const std::string& text, const std::string& options,
                                             const std::string& kernel, const Range& range, std::size_t size) {
  Prepared prepared;
  if (!prepare(prepared, text, options, kernel, size)) return {};
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, prepared.kernel, range.dimensions, range.offset.data(), range.global.data(),
                                   range.local.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  return finish(prepared, size);
}

std::vector<std::uint64_t> Device::run_boxes(const std::string& text, const std::string& options,
                                             const std::string& kernel, const Range& range, std::size_t size,
                                             const std::vector<Box>& boxes) {
  Prepared prepared;
  if (!prepare(prepared, text, options, kernel, size)) return {};
  for (const Box& box : boxes) {
    HiddenRecord record{};
    Triple offset{};
    Triple global{};
    for (int d = 0; d < 3; ++d) {
      record.global_offset[d] = range.offset[d];
      record.global_size[d] = range.global[d];
      record.group_count[d] = range.groups(d);
      record.first_group[d] = box.first[d];
      record.local_size[d] = range.local[d];
      offset[d] = range.offset[d] + box.first[d] * range.local[d];
      global[d] = box.count[d] * range.local[d];
    }
    EXPECT_EQ(clSetKernelArg(prepared.kernel, 1, sizeof record, &record), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, prepared.kernel, range.dimensions, offset.data(), global.data(),
                                     range.local.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  return finish(prepared, size);
}

}  // namespace skmd::compiler::test
