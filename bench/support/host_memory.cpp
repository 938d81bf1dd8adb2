// SPDX-License-Identifier: Apache-2.0
#include "bench/support/host_memory.h"

#include <utility>

#include "bench/support/opencl.h"

namespace bench {

HostMemory::~HostMemory() {
  try {
    release();
  } catch (const ClError&) {  // a destructor has no way to tell; call release() first
  }
}

void* HostMemory::map(std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  const cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &code);
  check_call(code, "clCreateBuffer");
  void* address =
      clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) clReleaseMemObject(buffer);
  check_call(code, "clEnqueueMapBuffer");
  mapped_.push_back({buffer, address});
  return address;
}

void HostMemory::release() {
  pageable_.clear();
  const std::vector<Mapped> mapped = std::exchange(mapped_, {});
  if (mapped.empty()) return;
  std::pair<cl_int, const char*> failure{CL_SUCCESS, ""};
  const auto note = [&failure](cl_int code, const char* call) {
    if (failure.first == CL_SUCCESS) failure = {code, call};
  };
  for (const Mapped& array : mapped) {
    note(clEnqueueUnmapMemObject(queue_, array.buffer, array.address, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
  }
  note(clFinish(queue_), "clFinish");
  for (const Mapped& array : mapped) note(clReleaseMemObject(array.buffer), "clReleaseMemObject");
  check_call(failure.first, failure.second);
}

}  // namespace bench
