// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/refusal/specification.h"

#include <algorithm>

namespace skmd::test {
namespace {

// Not formatted: clang-format takes the list for one expression and indents each line further.
// clang-format off
#define CODES(X) \
  X(DEVICE_NOT_FOUND) X(DEVICE_NOT_AVAILABLE) X(COMPILER_NOT_AVAILABLE) X(MEM_OBJECT_ALLOCATION_FAILURE) \
  X(OUT_OF_RESOURCES) X(PROFILING_INFO_NOT_AVAILABLE) X(MEM_COPY_OVERLAP) X(IMAGE_FORMAT_MISMATCH) \
  X(IMAGE_FORMAT_NOT_SUPPORTED) X(BUILD_PROGRAM_FAILURE) X(MAP_FAILURE) X(MISALIGNED_SUB_BUFFER_OFFSET) \
  X(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) X(COMPILE_PROGRAM_FAILURE) X(LINKER_NOT_AVAILABLE) \
  X(LINK_PROGRAM_FAILURE) X(DEVICE_PARTITION_FAILED) X(KERNEL_ARG_INFO_NOT_AVAILABLE) X(INVALID_VALUE) \
  X(INVALID_DEVICE_TYPE) X(INVALID_PLATFORM) X(INVALID_DEVICE) X(INVALID_CONTEXT) X(INVALID_QUEUE_PROPERTIES) \
  X(INVALID_COMMAND_QUEUE) X(INVALID_HOST_PTR) X(INVALID_MEM_OBJECT) X(INVALID_IMAGE_FORMAT_DESCRIPTOR) \
  X(INVALID_IMAGE_SIZE) X(INVALID_SAMPLER) X(INVALID_BINARY) X(INVALID_BUILD_OPTIONS) X(INVALID_PROGRAM) \
  X(INVALID_PROGRAM_EXECUTABLE) X(INVALID_KERNEL_NAME) X(INVALID_KERNEL_DEFINITION) X(INVALID_KERNEL) \
  X(INVALID_ARG_INDEX) X(INVALID_ARG_VALUE) X(INVALID_ARG_SIZE) X(INVALID_KERNEL_ARGS) X(INVALID_WORK_DIMENSION) \
  X(INVALID_WORK_GROUP_SIZE) X(INVALID_WORK_ITEM_SIZE) X(INVALID_GLOBAL_OFFSET) X(INVALID_EVENT_WAIT_LIST) \
  X(INVALID_EVENT) X(INVALID_OPERATION) X(INVALID_BUFFER_SIZE) X(INVALID_GLOBAL_WORK_SIZE) X(INVALID_PROPERTY) \
  X(INVALID_IMAGE_DESCRIPTOR) X(INVALID_COMPILER_OPTIONS) X(INVALID_LINKER_OPTIONS) \
  X(INVALID_DEVICE_PARTITION_COUNT) X(INVALID_PIPE_SIZE) X(INVALID_DEVICE_QUEUE) X(INVALID_SPEC_ID) \
  X(MAX_SIZE_RESTRICTION_EXCEEDED)
// clang-format on

// Short names, as in the specification's tables.
#define X(name) constexpr cl_int name = CL_##name;
CODES(X)
#undef X

constexpr cl_int FAILED_DEPENDENCY = EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
constexpr cl_int NO_MEMORY = MEM_OBJECT_ALLOCATION_FAILURE;
constexpr cl_int MISALIGNED = MISALIGNED_SUB_BUFFER_OFFSET;
constexpr cl_int QUEUE = INVALID_COMMAND_QUEUE;
constexpr cl_int CONTEXT = INVALID_CONTEXT;
constexpr cl_int WAIT_LIST = INVALID_EVENT_WAIT_LIST;
constexpr cl_int MEM = INVALID_MEM_OBJECT;
constexpr cl_int VALUE = INVALID_VALUE;
constexpr cl_int OPERATION = INVALID_OPERATION;

using List = std::vector<cl_int>;

List operator+(List a, const List& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const List kTransfer{QUEUE, CONTEXT, MEM, VALUE, WAIT_LIST, MISALIGNED, FAILED_DEPENDENCY, NO_MEMORY, OPERATION};
const List kCopy{QUEUE, CONTEXT, MEM, VALUE, WAIT_LIST, MISALIGNED, MEM_COPY_OVERLAP, NO_MEMORY};
const List kImageCommand{QUEUE,    CONTEXT, MEM, VALUE, WAIT_LIST, INVALID_IMAGE_SIZE, IMAGE_FORMAT_NOT_SUPPORTED,
                         NO_MEMORY};
const List kCreateBuffer{CONTEXT, VALUE, INVALID_BUFFER_SIZE, INVALID_HOST_PTR, NO_MEMORY};
const List kCreateOldImage{CONTEXT,
                           VALUE,
                           INVALID_IMAGE_FORMAT_DESCRIPTOR,
                           INVALID_IMAGE_SIZE,
                           INVALID_HOST_PTR,
                           IMAGE_FORMAT_NOT_SUPPORTED,
                           NO_MEMORY,
                           OPERATION};
const List kCreateImage = kCreateOldImage + List{INVALID_IMAGE_DESCRIPTOR};
const List kCreateQueue{CONTEXT, INVALID_DEVICE, VALUE, INVALID_QUEUE_PROPERTIES};
const List kCreateContext{INVALID_PLATFORM, INVALID_PROPERTY, VALUE, DEVICE_NOT_AVAILABLE};
const List kSvm{QUEUE, CONTEXT, VALUE, OPERATION, WAIT_LIST};
const List kTask{INVALID_PROGRAM_EXECUTABLE,
                 QUEUE,
                 INVALID_KERNEL,
                 CONTEXT,
                 INVALID_KERNEL_ARGS,
                 INVALID_WORK_GROUP_SIZE,
                 MISALIGNED,
                 INVALID_IMAGE_SIZE,
                 IMAGE_FORMAT_NOT_SUPPORTED,
                 OUT_OF_RESOURCES,
                 NO_MEMORY,
                 WAIT_LIST};

struct Reason {
  const char* function;  // "*": every function that has the code
  cl_int code;
  const char* why;
};

constexpr const char* kNoSvm = "the device has no shared virtual memory: CL_INVALID_OPERATION comes first";
constexpr const char* kNoPipes = "the device has no pipes: CL_INVALID_OPERATION comes first";
constexpr const char* kNoIl = "the device takes no intermediate language: CL_INVALID_OPERATION comes first";
constexpr const char* kLate = "memory on devices is made when the command runs: its event ends with the code";
constexpr const char* kAlways = "the device is always available, with compiler and linker";

constexpr Reason kReasons[] = {
    {"clEnqueueSVMFree", CONTEXT, kNoSvm},
    {"clEnqueueSVMFree", VALUE, kNoSvm},
    {"clEnqueueSVMFree", WAIT_LIST, kNoSvm},
    {"clEnqueueSVMMemcpy", CONTEXT, kNoSvm},
    {"clEnqueueSVMMemcpy", VALUE, kNoSvm},
    {"clEnqueueSVMMemcpy", WAIT_LIST, kNoSvm},
    {"clEnqueueSVMMemcpy", MEM_COPY_OVERLAP, kNoSvm},
    {"clEnqueueSVMMemcpy", FAILED_DEPENDENCY, kNoSvm},
    {"clEnqueueSVMMemFill", CONTEXT, kNoSvm},
    {"clEnqueueSVMMemFill", VALUE, kNoSvm},
    {"clEnqueueSVMMemFill", WAIT_LIST, kNoSvm},
    {"clEnqueueSVMMap", CONTEXT, kNoSvm},
    {"clEnqueueSVMMap", VALUE, kNoSvm},
    {"clEnqueueSVMMap", WAIT_LIST, kNoSvm},
    {"clEnqueueSVMMap", FAILED_DEPENDENCY, kNoSvm},
    {"clEnqueueSVMUnmap", CONTEXT, kNoSvm},
    {"clEnqueueSVMUnmap", VALUE, kNoSvm},
    {"clEnqueueSVMUnmap", WAIT_LIST, kNoSvm},
    {"clEnqueueSVMMigrateMem", CONTEXT, kNoSvm},
    {"clEnqueueSVMMigrateMem", VALUE, kNoSvm},
    {"clEnqueueSVMMigrateMem", WAIT_LIST, kNoSvm},
    {"clSetKernelArgSVMPointer", INVALID_ARG_INDEX, kNoSvm},
    {"clSetKernelArgSVMPointer", INVALID_ARG_VALUE, kNoSvm},
    {"clSetKernelExecInfo", VALUE, kNoSvm},
    {"clEnqueueNDRangeKernel", OPERATION, "no pointer to shared virtual memory can be set"},
    {"clCreatePipe", VALUE, kNoPipes},
    {"clCreatePipe", INVALID_PIPE_SIZE, kNoPipes},
    {"clCreatePipe", NO_MEMORY, kNoPipes},
    {"clGetPipeInfo", VALUE, "there is no pipe to ask: CL_INVALID_MEM_OBJECT comes first"},
    {"clCreateProgramWithIL", VALUE, kNoIl},
    {"clSetProgramSpecializationConstant", INVALID_SPEC_ID, kNoIl},
    {"clSetProgramSpecializationConstant", VALUE, kNoIl},
    {"clSetProgramReleaseCallback", VALUE, "no program has destructors: CL_INVALID_OPERATION comes first"},
    {"clSetKernelArg", INVALID_DEVICE_QUEUE, "the device has no queues of its own: such kernels do not build"},
    {"clSetKernelArg", MAX_SIZE_RESTRICTION_EXCEEDED, "only kernels made from an intermediate language restrict sizes"},
    {"clGetKernelSubGroupInfo", INVALID_DEVICE, "no device has sub-groups: CL_INVALID_OPERATION comes first"},
    {"clGetKernelSubGroupInfo", VALUE, "no device has sub-groups: CL_INVALID_OPERATION comes first"},
    {"clCreateKernel", INVALID_KERNEL_DEFINITION, "one text is built for all devices: its kernels are the same"},
    {"clEnqueueNDRangeKernel", INVALID_PROGRAM_EXECUTABLE, "a kernel keeps the executable that it was made from"},
    {"clEnqueueTask", INVALID_PROGRAM_EXECUTABLE, "a kernel keeps the executable that it was made from"},
    {"clEnqueueNDRangeKernel", INVALID_GLOBAL_WORK_SIZE, "size_t is as wide on every device as on the host"},
    {"clCreateSubDevices", DEVICE_PARTITION_FAILED, "no partition scheme is listed: CL_INVALID_VALUE comes first"},
    {"clCreateSubDevices", INVALID_DEVICE_PARTITION_COUNT,
     "no partition scheme is listed: CL_INVALID_VALUE comes first"},
    {"clGetDeviceAndHostTimer", OPERATION, "both clocks are ours"},
    {"clGetHostTimer", OPERATION, "the clock is ours"},
    {"clSetDefaultDeviceCommandQueue", INVALID_DEVICE,
     "no device has queues of its own: CL_INVALID_OPERATION comes first"},
    {"clSetDefaultDeviceCommandQueue", QUEUE, "no device has queues of its own: CL_INVALID_OPERATION comes first"},
    {"clSetCommandQueueProperty", VALUE, "no property can be changed: CL_INVALID_OPERATION comes first"},
    {"clSetCommandQueueProperty", INVALID_QUEUE_PROPERTIES,
     "no property can be changed: CL_INVALID_OPERATION comes first"},
    {"clCreateCommandQueue", INVALID_QUEUE_PROPERTIES, "every property that the call has is supported"},
    {"clCreateSubBuffer", NO_MEMORY, "a view takes no memory"},
    {"clEnqueueNativeKernel", OPERATION, "native kernels are supported"},
    {"clEnqueueNativeKernel", OUT_OF_RESOURCES, "the function runs on a thread of the host"},
    {"*", DEVICE_NOT_AVAILABLE, kAlways},
    {"*", COMPILER_NOT_AVAILABLE, kAlways},
    {"*", LINKER_NOT_AVAILABLE, kAlways},
    {"*", MAP_FAILURE, "mapped memory is host memory that the object has from its creation"},
    {"*", MISALIGNED, "clCreateSubBuffer refuses what is not aligned for every device"},
    {"*", NO_MEMORY, kLate},
    {"*", INVALID_IMAGE_SIZE, "images are limited by what the anchor takes, when they are made"},
    {"*", IMAGE_FORMAT_NOT_SUPPORTED, "images have a format that the anchor takes, from their creation"},
    {"clBuildProgram", INVALID_BINARY, "clCreateProgramWithBinary refuses it"},
};

bool names(const Specified& entry, cl_int code) {
  return std::find(entry.codes.begin(), entry.codes.end(), code) != entry.codes.end();
}

std::vector<Specified> of_platforms_to_queues() {
  return {
      {"clGetPlatformIDs", {VALUE}},
      {"clGetPlatformInfo", {INVALID_PLATFORM, VALUE}},
      {"clGetDeviceIDs", {INVALID_PLATFORM, INVALID_DEVICE_TYPE, VALUE, DEVICE_NOT_FOUND}},
      {"clGetDeviceAndHostTimer", {INVALID_DEVICE, OPERATION, VALUE}},
      {"clGetHostTimer", {INVALID_DEVICE, OPERATION, VALUE}},
      {"clGetDeviceInfo", {INVALID_DEVICE, VALUE}},
      {"clCreateSubDevices", {INVALID_DEVICE, VALUE, DEVICE_PARTITION_FAILED, INVALID_DEVICE_PARTITION_COUNT}},
      {"clRetainDevice", {INVALID_DEVICE}},
      {"clReleaseDevice", {INVALID_DEVICE}},
      {"clCreateContext", kCreateContext + List{INVALID_DEVICE}},
      {"clCreateContextFromType", kCreateContext + List{INVALID_DEVICE_TYPE, DEVICE_NOT_FOUND}},
      {"clRetainContext", {CONTEXT}},
      {"clReleaseContext", {CONTEXT}},
      {"clGetContextInfo", {CONTEXT, VALUE}},
      {"clSetContextDestructorCallback", {CONTEXT, VALUE}},
      {"clCreateCommandQueueWithProperties", kCreateQueue},
      {"clCreateCommandQueue", kCreateQueue},
      {"clSetDefaultDeviceCommandQueue", {CONTEXT, INVALID_DEVICE, QUEUE, OPERATION}},
      {"clRetainCommandQueue", {QUEUE}},
      {"clReleaseCommandQueue", {QUEUE}},
      {"clGetCommandQueueInfo", {QUEUE, VALUE}},
      {"clSetCommandQueueProperty", {QUEUE, VALUE, INVALID_QUEUE_PROPERTIES, OPERATION}},
  };
}

std::vector<Specified> of_memory() {
  return {
      {"clCreateBuffer", kCreateBuffer},
      {"clCreateBufferWithProperties", kCreateBuffer + List{INVALID_PROPERTY}},
      {"clCreateSubBuffer", {MEM, VALUE, INVALID_BUFFER_SIZE, NO_MEMORY, MISALIGNED}},
      {"clEnqueueReadBuffer", kTransfer},
      {"clEnqueueWriteBuffer", kTransfer},
      {"clEnqueueReadBufferRect", kTransfer},
      {"clEnqueueWriteBufferRect", kTransfer},
      {"clEnqueueCopyBuffer", kCopy},
      {"clEnqueueCopyBufferRect", kCopy},
      {"clEnqueueFillBuffer", {QUEUE, CONTEXT, MEM, VALUE, WAIT_LIST, MISALIGNED, NO_MEMORY}},
      {"clEnqueueMapBuffer", kTransfer + List{MAP_FAILURE}},
      {"clCreateImage", kCreateImage},
      {"clCreateImageWithProperties", kCreateImage + List{INVALID_PROPERTY}},
      {"clCreateImage2D", kCreateOldImage},
      {"clCreateImage3D", kCreateOldImage},
      {"clGetSupportedImageFormats", {CONTEXT, VALUE}},
      {"clEnqueueReadImage", kImageCommand + List{OPERATION, FAILED_DEPENDENCY}},
      {"clEnqueueWriteImage", kImageCommand + List{OPERATION, FAILED_DEPENDENCY}},
      {"clEnqueueCopyImage", kImageCommand + List{IMAGE_FORMAT_MISMATCH, MEM_COPY_OVERLAP}},
      {"clEnqueueFillImage", kImageCommand},
      {"clEnqueueCopyImageToBuffer", kImageCommand + List{MISALIGNED}},
      {"clEnqueueCopyBufferToImage", kImageCommand + List{MISALIGNED}},
      {"clEnqueueMapImage", kImageCommand + List{MAP_FAILURE, FAILED_DEPENDENCY, OPERATION}},
      {"clGetImageInfo", {MEM, VALUE}},
      {"clCreatePipe", {CONTEXT, VALUE, INVALID_PIPE_SIZE, NO_MEMORY, OPERATION}},
      {"clGetPipeInfo", {MEM, VALUE}},
      {"clRetainMemObject", {MEM}},
      {"clReleaseMemObject", {MEM}},
      {"clSetMemObjectDestructorCallback", {MEM, VALUE}},
      {"clEnqueueUnmapMemObject", {QUEUE, MEM, VALUE, CONTEXT, WAIT_LIST}},
      {"clEnqueueMigrateMemObjects", {QUEUE, CONTEXT, MEM, VALUE, WAIT_LIST, NO_MEMORY}},
      {"clGetMemObjectInfo", {MEM, VALUE}},
      {"clEnqueueSVMFree", kSvm},
      {"clEnqueueSVMMemcpy", kSvm + List{MEM_COPY_OVERLAP, FAILED_DEPENDENCY}},
      {"clEnqueueSVMMemFill", kSvm},
      {"clEnqueueSVMMap", kSvm + List{FAILED_DEPENDENCY}},
      {"clEnqueueSVMUnmap", kSvm},
      {"clEnqueueSVMMigrateMem", kSvm},
      {"clCreateSamplerWithProperties", {CONTEXT, VALUE, OPERATION}},
      {"clCreateSampler", {CONTEXT, VALUE, OPERATION}},
      {"clRetainSampler", {INVALID_SAMPLER}},
      {"clReleaseSampler", {INVALID_SAMPLER}},
      {"clGetSamplerInfo", {INVALID_SAMPLER, VALUE}},
  };
}

std::vector<Specified> of_programs_and_kernels() {
  return {
      {"clCreateProgramWithSource", {CONTEXT, VALUE}},
      {"clCreateProgramWithIL", {CONTEXT, OPERATION, VALUE}},
      {"clCreateProgramWithBinary", {CONTEXT, VALUE, INVALID_DEVICE, INVALID_BINARY}},
      {"clCreateProgramWithBuiltInKernels", {CONTEXT, VALUE, INVALID_DEVICE}},
      {"clRetainProgram", {INVALID_PROGRAM}},
      {"clReleaseProgram", {INVALID_PROGRAM}},
      {"clSetProgramReleaseCallback", {INVALID_PROGRAM, VALUE, OPERATION}},
      {"clSetProgramSpecializationConstant", {INVALID_PROGRAM, OPERATION, INVALID_SPEC_ID, VALUE}},
      {"clBuildProgram",
       {INVALID_PROGRAM, VALUE, INVALID_DEVICE, INVALID_BINARY, INVALID_BUILD_OPTIONS, COMPILER_NOT_AVAILABLE,
        BUILD_PROGRAM_FAILURE, OPERATION}},
      {"clCompileProgram",
       {INVALID_PROGRAM, VALUE, INVALID_DEVICE, INVALID_COMPILER_OPTIONS, OPERATION, COMPILER_NOT_AVAILABLE,
        COMPILE_PROGRAM_FAILURE}},
      {"clLinkProgram",
       {CONTEXT, VALUE, INVALID_PROGRAM, INVALID_DEVICE, INVALID_LINKER_OPTIONS, OPERATION, LINKER_NOT_AVAILABLE,
        LINK_PROGRAM_FAILURE}},
      {"clUnloadPlatformCompiler", {INVALID_PLATFORM}},
      {"clGetProgramInfo", {VALUE, INVALID_PROGRAM, INVALID_PROGRAM_EXECUTABLE}},
      {"clGetProgramBuildInfo", {INVALID_DEVICE, VALUE, INVALID_PROGRAM}},
      {"clCreateKernel",
       {INVALID_PROGRAM, INVALID_PROGRAM_EXECUTABLE, INVALID_KERNEL_NAME, INVALID_KERNEL_DEFINITION, VALUE}},
      {"clCreateKernelsInProgram", {INVALID_PROGRAM, INVALID_PROGRAM_EXECUTABLE, VALUE}},
      {"clRetainKernel", {INVALID_KERNEL}},
      {"clReleaseKernel", {INVALID_KERNEL}},
      {"clCloneKernel", {INVALID_KERNEL}},
      {"clSetKernelArg",
       {INVALID_KERNEL, INVALID_ARG_INDEX, INVALID_ARG_VALUE, MEM, INVALID_SAMPLER, INVALID_DEVICE_QUEUE,
        INVALID_ARG_SIZE, MAX_SIZE_RESTRICTION_EXCEEDED}},
      {"clSetKernelArgSVMPointer", {INVALID_KERNEL, OPERATION, INVALID_ARG_INDEX, INVALID_ARG_VALUE}},
      {"clSetKernelExecInfo", {INVALID_KERNEL, OPERATION, VALUE}},
      {"clGetKernelInfo", {INVALID_KERNEL, VALUE}},
      {"clGetKernelWorkGroupInfo", {INVALID_DEVICE, VALUE, INVALID_KERNEL}},
      {"clGetKernelSubGroupInfo", {INVALID_DEVICE, VALUE, INVALID_KERNEL, OPERATION}},
      {"clGetKernelArgInfo", {INVALID_ARG_INDEX, VALUE, KERNEL_ARG_INFO_NOT_AVAILABLE, INVALID_KERNEL}},
  };
}

std::vector<Specified> of_commands_and_events() {
  return {
      {"clEnqueueNDRangeKernel", kTask + List{INVALID_WORK_DIMENSION, INVALID_GLOBAL_WORK_SIZE, INVALID_GLOBAL_OFFSET,
                                              INVALID_WORK_ITEM_SIZE, OPERATION}},
      {"clEnqueueTask", kTask},
      {"clEnqueueNativeKernel", {QUEUE, CONTEXT, VALUE, OPERATION, MEM, OUT_OF_RESOURCES, NO_MEMORY, WAIT_LIST}},
      {"clCreateUserEvent", {CONTEXT}},
      {"clSetUserEventStatus", {INVALID_EVENT, VALUE, OPERATION}},
      {"clWaitForEvents", {VALUE, CONTEXT, INVALID_EVENT, FAILED_DEPENDENCY}},
      {"clGetEventInfo", {VALUE, INVALID_EVENT}},
      {"clSetEventCallback", {INVALID_EVENT, VALUE}},
      {"clRetainEvent", {INVALID_EVENT}},
      {"clReleaseEvent", {INVALID_EVENT}},
      {"clEnqueueMarkerWithWaitList", {QUEUE, CONTEXT, WAIT_LIST}},
      {"clEnqueueBarrierWithWaitList", {QUEUE, CONTEXT, WAIT_LIST}},
      {"clEnqueueMarker", {QUEUE, VALUE}},
      {"clEnqueueBarrier", {QUEUE}},
      {"clEnqueueWaitForEvents", {QUEUE, CONTEXT, VALUE, INVALID_EVENT}},
      {"clGetEventProfilingInfo", {PROFILING_INFO_NOT_AVAILABLE, VALUE, INVALID_EVENT}},
      {"clFlush", {QUEUE}},
      {"clFinish", {QUEUE}},
  };
}

}  // namespace

const std::vector<Specified>& specification() {
  static const auto* const table = [] {
    auto* made = new std::vector<Specified>;
    for (const auto& part :
         {of_platforms_to_queues(), of_memory(), of_programs_and_kernels(), of_commands_and_events()})
      made->insert(made->end(), part.begin(), part.end());
    return made;
  }();
  return *table;
}

const char* cannot_occur(const std::string& function, cl_int code) {
  for (const Reason& reason : kReasons)
    if (function == reason.function && code == reason.code) return reason.why;
  // Objects are made by these, so the general reasons, which speak of objects that exist, do not hold.
  if (function.rfind("clCreate", 0) == 0 && code != DEVICE_NOT_AVAILABLE) return nullptr;
  for (const Reason& reason : kReasons)
    if (reason.function[0] == '*' && code == reason.code) return reason.why;
  return nullptr;
}

std::vector<std::pair<std::string, cl_int>> impossible() {
  std::vector<std::pair<std::string, cl_int>> pairs;
  for (const Reason& reason : kReasons) {
    if (reason.function[0] != '*') pairs.emplace_back(reason.function, reason.code);
  }
  for (const Specified& entry : specification())
    for (const Reason& reason : kReasons)
      if (reason.function[0] == '*' && names(entry, reason.code) &&
          cannot_occur(entry.function, reason.code) == reason.why)
        pairs.emplace_back(entry.function, reason.code);
  return pairs;
}

std::string code_name(cl_int code) {
#define X(name) \
  if (code == CL_##name) return "CL_" #name;
  CODES(X)
#undef X
  return std::to_string(code);
}

}  // namespace skmd::test
