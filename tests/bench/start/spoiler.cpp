// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: in the bytes of the last blocking read, four in the middle come out inverted.
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstddef>

extern "C" __attribute__((visibility("default"))) cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem from,
                                                                             cl_bool blocking, std::size_t offset,
                                                                             std::size_t bytes, void* to, cl_uint count,
                                                                             const cl_event* events, cl_event* event) {
  static const auto real = reinterpret_cast<decltype(&clEnqueueReadBuffer)>(dlsym(RTLD_NEXT, "clEnqueueReadBuffer"));
  const cl_int code = real(queue, from, blocking, offset, bytes, to, count, events, event);
  auto* const middle = static_cast<unsigned char*>(to) + bytes / 8 * 4;
  for (std::size_t i = 0; i < 4; ++i) middle[i] = static_cast<unsigned char>(~middle[i]);
  return code;
}
