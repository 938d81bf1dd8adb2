// SPDX-License-Identifier: Apache-2.0
// Preloaded into a workload: launches, copies and transfers are written down instead of done, and buffers are small, so
// that the largest sizes can be looked at in no time. One line a launch on descriptor 2: kernel, groups, items per
// group.
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

template <typename F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

EXPORT cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, std::size_t, void*, cl_int* code) {
  return real<decltype(clCreateBuffer)>("clCreateBuffer")(context, flags, 4096, nullptr, code);
}

EXPORT cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, const void*, cl_uint,
                                   const cl_event*, cl_event*) {
  return CL_SUCCESS;
}

EXPORT cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, void*, cl_uint,
                                  const cl_event*, cl_event*) {
  return CL_SUCCESS;
}

EXPORT cl_int clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, std::size_t, std::size_t, std::size_t, cl_uint,
                                  const cl_event*, cl_event*) {
  return CL_SUCCESS;
}

EXPORT cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel kernel, cl_uint dims, const std::size_t*,
                                     const std::size_t* global, const std::size_t* local, cl_uint, const cl_event*,
                                     cl_event*) {
  char name[64] = {};
  real<decltype(clGetKernelInfo)>("clGetKernelInfo")(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, nullptr);
  std::size_t groups = 1, items = 1;
  for (cl_uint d = 0; d < dims; ++d) {
    if (global[d] % local[d] != 0) return CL_INVALID_WORK_GROUP_SIZE;
    groups *= global[d] / local[d];
    items *= local[d];
  }
  std::fprintf(stderr, "launch %s %zu %zu\n", name, groups, items);
  return CL_SUCCESS;
}
