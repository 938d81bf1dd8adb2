// SPDX-License-Identifier: Apache-2.0
// Preloaded into a workload: every call is made, and at the end one line on descriptor 2 tells from what memory the
// transfers were, and what became of the buffers that were made with CL_MEM_ALLOC_HOST_PTR. With BENCH_TEST_UNMAP=fail,
// unmapping is made, too, but said to have failed.
#include <CL/cl.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

template <typename F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

struct Pinned {
  const char* address = nullptr;  // while it is mapped
  std::size_t bytes = 0;
};

/// Workloads make their calls on one thread.
struct Seen {
  std::map<cl_mem, Pinned> buffers;
  int pinned = 0, pageable = 0;  // transfers
  const pid_t process = getpid();
  int maps = 0, unmaps = 0, released = 0, released_mapped = 0;

  void transfer(const void* host, std::size_t bytes) {
    const auto* first = static_cast<const char*>(host);
    for (const auto& [buffer, memory] : buffers) {
      if (memory.address == nullptr || first < memory.address || first + bytes > memory.address + memory.bytes)
        continue;
      ++pinned;
      return;
    }
    ++pageable;
  }
  /// Compilers and linkers that a driver starts are preloaded, too.
  ~Seen() {
    if (pinned + pageable == 0 || getpid() != process) return;
    std::fprintf(stderr,
                 "memory {\"pinned\":%d,\"pageable\":%d,\"maps\":%d,\"unmaps\":%d,\"released\":%d,"
                 "\"released_mapped\":%d,\"kept\":%zu}\n",
                 pinned, pageable, maps, unmaps, released, released_mapped, buffers.size());
  }
} seen;

}  // namespace

EXPORT cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, std::size_t bytes, void* host, cl_int* code) {
  const cl_mem buffer = real<decltype(clCreateBuffer)>("clCreateBuffer")(context, flags, bytes, host, code);
  if (buffer != nullptr && (flags & CL_MEM_ALLOC_HOST_PTR) != 0) seen.buffers[buffer] = {};
  return buffer;
}

EXPORT void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                                std::size_t offset, std::size_t bytes, cl_uint count, const cl_event* waits,
                                cl_event* event, cl_int* code) {
  void* address = real<decltype(clEnqueueMapBuffer)>("clEnqueueMapBuffer")(queue, buffer, blocking, flags, offset,
                                                                           bytes, count, waits, event, code);
  ++seen.maps;
  seen.buffers[buffer] = {static_cast<const char*>(address), bytes};
  return address;
}

EXPORT cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void* address, cl_uint count,
                                      const cl_event* waits, cl_event* event) {
  ++seen.unmaps;
  seen.buffers[buffer] = {};
  const cl_int code =
      real<decltype(clEnqueueUnmapMemObject)>("clEnqueueUnmapMemObject")(queue, buffer, address, count, waits, event);
  return std::getenv("BENCH_TEST_UNMAP") == nullptr ? code : CL_OUT_OF_RESOURCES;
}

EXPORT cl_int clReleaseMemObject(cl_mem buffer) {
  if (const auto known = seen.buffers.find(buffer); known != seen.buffers.end()) {
    ++seen.released;
    if (known->second.address != nullptr) ++seen.released_mapped;
    seen.buffers.erase(known);
  }
  return real<decltype(clReleaseMemObject)>("clReleaseMemObject")(buffer);
}

EXPORT cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                                   std::size_t bytes, const void* host, cl_uint count, const cl_event* waits,
                                   cl_event* event) {
  seen.transfer(host, bytes);
  return real<decltype(clEnqueueWriteBuffer)>("clEnqueueWriteBuffer")(queue, buffer, blocking, offset, bytes, host,
                                                                      count, waits, event);
}

EXPORT cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                                  std::size_t bytes, void* host, cl_uint count, const cl_event* waits,
                                  cl_event* event) {
  seen.transfer(host, bytes);
  return real<decltype(clEnqueueReadBuffer)>("clEnqueueReadBuffer")(queue, buffer, blocking, offset, bytes, host, count,
                                                                    waits, event);
}
