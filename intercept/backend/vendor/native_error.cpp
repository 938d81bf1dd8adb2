// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/native_error.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <iterator>

namespace skmd::icd {
namespace {

struct Name {
  cl_int code;
  const char* text;
};

#define SKMD_NAME(code) \
  { code, #code }
constexpr Name kNames[] = {
    SKMD_NAME(CL_DEVICE_NOT_FOUND),
    SKMD_NAME(CL_DEVICE_NOT_AVAILABLE),
    SKMD_NAME(CL_COMPILER_NOT_AVAILABLE),
    SKMD_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    SKMD_NAME(CL_OUT_OF_RESOURCES),
    SKMD_NAME(CL_OUT_OF_HOST_MEMORY),
    SKMD_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    SKMD_NAME(CL_MEM_COPY_OVERLAP),
    SKMD_NAME(CL_IMAGE_FORMAT_MISMATCH),
    SKMD_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    SKMD_NAME(CL_BUILD_PROGRAM_FAILURE),
    SKMD_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    SKMD_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    SKMD_NAME(CL_COMPILE_PROGRAM_FAILURE),
    SKMD_NAME(CL_LINKER_NOT_AVAILABLE),
    SKMD_NAME(CL_LINK_PROGRAM_FAILURE),
    SKMD_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    SKMD_NAME(CL_INVALID_VALUE),
    SKMD_NAME(CL_INVALID_PLATFORM),
    SKMD_NAME(CL_INVALID_DEVICE),
    SKMD_NAME(CL_INVALID_CONTEXT),
    SKMD_NAME(CL_INVALID_QUEUE_PROPERTIES),
    SKMD_NAME(CL_INVALID_COMMAND_QUEUE),
    SKMD_NAME(CL_INVALID_HOST_PTR),
    SKMD_NAME(CL_INVALID_MEM_OBJECT),
    SKMD_NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    SKMD_NAME(CL_INVALID_IMAGE_SIZE),
    SKMD_NAME(CL_INVALID_SAMPLER),
    SKMD_NAME(CL_INVALID_BINARY),
    SKMD_NAME(CL_INVALID_BUILD_OPTIONS),
    SKMD_NAME(CL_INVALID_PROGRAM),
    SKMD_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    SKMD_NAME(CL_INVALID_KERNEL_NAME),
    SKMD_NAME(CL_INVALID_KERNEL_DEFINITION),
    SKMD_NAME(CL_INVALID_KERNEL),
    SKMD_NAME(CL_INVALID_ARG_INDEX),
    SKMD_NAME(CL_INVALID_ARG_VALUE),
    SKMD_NAME(CL_INVALID_ARG_SIZE),
    SKMD_NAME(CL_INVALID_KERNEL_ARGS),
    SKMD_NAME(CL_INVALID_WORK_DIMENSION),
    SKMD_NAME(CL_INVALID_WORK_GROUP_SIZE),
    SKMD_NAME(CL_INVALID_WORK_ITEM_SIZE),
    SKMD_NAME(CL_INVALID_GLOBAL_OFFSET),
    SKMD_NAME(CL_INVALID_EVENT_WAIT_LIST),
    SKMD_NAME(CL_INVALID_EVENT),
    SKMD_NAME(CL_INVALID_OPERATION),
    SKMD_NAME(CL_INVALID_BUFFER_SIZE),
    SKMD_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    SKMD_NAME(CL_INVALID_IMAGE_DESCRIPTOR),
    SKMD_NAME(CL_INVALID_COMPILER_OPTIONS),
    SKMD_NAME(CL_INVALID_LINKER_OPTIONS),
    SKMD_NAME(CL_PLATFORM_NOT_FOUND_KHR),
};
#undef SKMD_NAME

}  // namespace

std::string native_code_name(cl_int code) {
  const auto* const found =
      std::find_if(std::begin(kNames), std::end(kNames), [code](const Name& n) { return n.code == code; });
  if (found == std::end(kNames)) return std::to_string(code);
  return std::string(found->text) + " (" + std::to_string(code) + ")";
}

domain::Error native_failure(const char* call, cl_int code) {
  // A vendor that fails without a code has still failed: callers rely on negative codes.
  return domain::Error{code < 0 ? code : CL_OUT_OF_RESOURCES,
                       std::string(call) + " failed with " + native_code_name(code)};
}

}  // namespace skmd::icd
