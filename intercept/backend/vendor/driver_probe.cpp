// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/driver_probe.h"

#include <ctime>

#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

std::uint64_t thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

struct Round {
  cl_int code = CL_SUCCESS;
  bool finished = false;     // when enqueue and flush had returned
  std::uint64_t own_ns = 0;  // processor time of this thread in enqueue and flush
};

/// Also where waiting for events fails: what the command uses may go afterwards.
cl_int wait_for(NativeQueue& queue, cl_event event) {
  const auto& cl = *queue.context().cl;
  const cl_int code = cl.clWaitForEvents(1, &event);
  if (code != CL_SUCCESS) cl.clFinish(queue.handle());
  cl.clReleaseEvent(event);
  return code;
}

Round fill_once(NativeQueue& queue, cl_mem mem, std::size_t bytes) {
  const auto& cl = *queue.context().cl;
  const cl_uint pattern = 0x2b2b2b2b;
  cl_event event = nullptr;
  Round round;
  const std::uint64_t own = thread_time();
  round.code = cl.clEnqueueFillBuffer(queue.handle(), mem, &pattern, sizeof pattern, 0, bytes, 0, nullptr, &event);
  if (round.code != CL_SUCCESS) return round;
  round.code = cl.clFlush(queue.handle());
  round.own_ns = thread_time() - own;
  cl_int status = CL_COMPLETE;
  cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  round.finished = status <= CL_COMPLETE;
  const cl_int waited = wait_for(queue, event);
  if (round.code == CL_SUCCESS) round.code = waited;
  return round;
}

}  // namespace

Result<bool> driver_blocks(NativeQueue& queue) {
  const NativeContext& context = queue.context();
  for (std::size_t bytes = kFirstProbed; bytes <= kMaxProbed; bytes *= 4) {
    cl_int code = CL_SUCCESS;
    cl_mem mem = context.cl->clCreateBuffer(context.context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
    if (mem == nullptr) return native_failure("clCreateBuffer", code);
    // The first fill includes the allocation of the memory and the driver's lazy initialisation.
    Round round = fill_once(queue, mem, bytes);
    int blocked = 0;
    bool unfinished = false;
    for (int i = 0; i < kProbes && round.code == CL_SUCCESS && !unfinished; ++i) {
      round = fill_once(queue, mem, bytes);
      unfinished = !round.finished;
      // Not wall time: a thread that wakes the driver's own may be interrupted by it until the work is done.
      if (round.own_ns >= kBlockedNs) ++blocked;
    }
    context.cl->clReleaseMemObject(mem);
    if (round.code != CL_SUCCESS) return native_failure("clEnqueueFillBuffer", round.code);
    if (unfinished) return false;
    if (blocked == kProbes) return true;
  }
  // Too fast to tell: then it does not matter.
  return false;
}

Result<bool> uses_host_memory(NativeQueue& queue) {
  const NativeContext& context = queue.context();
  const auto& cl = *context.cl;
  constexpr std::size_t kBytes = 64;  // any few: only where they are is looked at
  alignas(128) unsigned char host[kBytes] = {};
  alignas(128) unsigned char seen[kBytes] = {};
  cl_int code = CL_SUCCESS;
  cl_mem mem = cl.clCreateBuffer(context.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, kBytes, host, &code);
  if (mem == nullptr) return native_failure("clCreateBuffer", code);
  const cl_uint pattern = 0x5c5c5c5c;
  cl_event event = nullptr;
  code = cl.clEnqueueFillBuffer(queue.handle(), mem, &pattern, sizeof pattern, 0, kBytes, 0, nullptr, &event);
  if (code == CL_SUCCESS) code = wait_for(queue, event);
  const bool seen_by_host = host[0] == 0x5c && host[kBytes - 1] == 0x5c;
  host[1] = 0x11;
  if (code == CL_SUCCESS) {
    code = cl.clEnqueueReadBuffer(queue.handle(), mem, CL_TRUE, 0, kBytes, seen, 0, nullptr, nullptr);
  }
  cl.clReleaseMemObject(mem);
  if (code != CL_SUCCESS) return native_failure("probing host memory", code);
  return seen_by_host && seen[1] == 0x11;
}

}  // namespace skmd::icd
