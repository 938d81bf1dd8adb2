// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/health.h"

#include <chrono>
#include <thread>

#include "intercept/backend/port/port_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// OpenCL's own codes end here; below are vendors' private ones and those of extensions.
constexpr cl_int kLastCode = CL_MAX_SIZE_RESTRICTION_EXCEEDED;

}  // namespace

Fault judge(cl_int code, bool accepted) {
  switch (code) {
    case CL_SUCCESS:
      return Fault::none;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_DEVICE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
      return Fault::device;  // we never pass wrong ones
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
      return Fault::memory;
    case CL_INVALID_BUFFER_SIZE:
    case CL_INVALID_IMAGE_SIZE:
    case CL_IMAGE_FORMAT_NOT_SUPPORTED:
      return accepted ? Fault::device : Fault::memory;
    default:
      break;
  }
  // The driver had accepted the command as valid: that it failed is the device's fault.
  if (accepted) return Fault::device;
  return code == CL_OUT_OF_RESOURCES || code < kLastCode ? Fault::resources : Fault::command;
}

void Health::batch_ended(Fault fault, const std::string& reason) {
  if (fault == Fault::none) {
    if (strikes_.load(std::memory_order_relaxed) != 0) strikes_.store(0, std::memory_order_relaxed);
    return;
  }
  if (fault == Fault::device || (fault == Fault::resources && strikes_.fetch_add(1) + 1 >= kMaxStrikes)) fatal(reason);
}

void Health::call_failed(cl_int code, const std::string& reason) {
  if (judge(code, false) == Fault::device) fatal(reason);
}

void Health::fatal(const std::string& reason) {
  if (!aside() && watch_) watch_(reason);
}

void Health::wait_for_windows() const {
  while (open_.load(std::memory_order_seq_cst) != 0) std::this_thread::sleep_for(kWindowPause);
}

}  // namespace skmd::icd
