// SPDX-License-Identifier: Apache-2.0
// The three symbols that a loader looks for, the table, and what the platform and its devices tell about themselves.
#include <CL/cl_ext.h>

#include <cstring>
#include <map>

#include "tests/stub-icd/overrides.h"
#include "tests/stub-icd/stub.h"

#define STUB_EXPORT extern "C" __attribute__((visibility("default")))

namespace stub {
namespace {

cl_icd_dispatch make_table() {
  cl_icd_dispatch table{};
  fill_info_table(table);
  fill_object_table(table);
  fill_program_table(table);
  fill_command_table(table);
  // Tags, as in drivers of cl_khr_icd 2.0: no function.
  const std::uintptr_t tag = 0x4f50454e434c3331;
  std::memcpy(&table.clGetPlatformIDs, &tag, sizeof tag);
  std::memcpy(&table.clUnloadCompiler, &tag, sizeof tag);
  return table;
}

_cl_platform_id platform;
_cl_device_id devices[4];

std::vector<cl_device_id> device_list() {
  static const bool once = [] {
    for (std::size_t i = 0; i < settings().devices.size(); ++i) {
      devices[i].index = static_cast<cl_uint>(i);
      devices[i].type = settings().devices[i];
      devices[i].left = settings().memory;
    }
    return true;
  }();
  static_cast<void>(once);
  std::vector<cl_device_id> list;
  for (std::size_t i = 0; i < settings().devices.size(); ++i) list.push_back(&devices[i]);
  return list;
}

std::string platform_text(cl_platform_info name) {
  switch (name) {
    case CL_PLATFORM_PROFILE:
      return "FULL_PROFILE";
    case CL_PLATFORM_VERSION:
      return "OpenCL 1.2 stub";
    case CL_PLATFORM_NAME:
      return platform_name();
    case CL_PLATFORM_VENDOR:
      return "Stub vendor";
    case CL_PLATFORM_EXTENSIONS:
      return "cl_khr_icd";
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return "STUB";
    default:
      return {};
  }
}

cl_int get_device_ids(cl_platform_id, cl_device_type type, cl_uint entries, cl_device_id* out, cl_uint* count) {
  if (const cl_int failed = record("clGetDeviceIDs"); failed != CL_SUCCESS) return failed;
  cl_uint found = 0;
  for (cl_device_id device : device_list()) {
    if (type != CL_DEVICE_TYPE_ALL && (type & device->type) == 0) continue;
    if (out != nullptr && found < entries) out[found] = device;
    ++found;
  }
  if (count != nullptr) *count = found;
  return found > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

std::string device_text(cl_device_id device, cl_device_info name) {
  const char* const kind = device->type == CL_DEVICE_TYPE_CPU   ? "CPU"
                           : device->type == CL_DEVICE_TYPE_GPU ? "GPU"
                                                                : "Accelerator";
  switch (name) {
    case CL_DEVICE_NAME:
      return std::string("Stub ") + kind + " " + std::to_string(device->index);
    case CL_DEVICE_VENDOR:
      return "Stub vendor";
    case CL_DRIVER_VERSION:
      return "1.0";
    case CL_DEVICE_PROFILE:
      return "FULL_PROFILE";
    case CL_DEVICE_VERSION:
      return "OpenCL 1.2 stub";
    case CL_DEVICE_OPENCL_C_VERSION:
      return "OpenCL C 1.2 stub";
    case CL_DEVICE_EXTENSIONS:
      return "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
             "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_fp64";
    default:
      return {};
  }
}

/// Numbers of 4 bytes. All at or above the minima of the full profile.
const std::map<cl_device_info, cl_uint>& small_numbers() {
  static const auto* const numbers = new std::map<cl_device_info, cl_uint>{
      {CL_DEVICE_VENDOR_ID, 0x10001},
      {CL_DEVICE_MAX_COMPUTE_UNITS, 8},
      {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3},
      {CL_DEVICE_MAX_CLOCK_FREQUENCY, 1000},
      {CL_DEVICE_ADDRESS_BITS, 64},
      {CL_DEVICE_ENDIAN_LITTLE, CL_TRUE},
      {CL_DEVICE_AVAILABLE, CL_TRUE},
      {CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE},
      {CL_DEVICE_LINKER_AVAILABLE, CL_TRUE},
      {CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE},
      {CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE},
      {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE},
      {CL_DEVICE_IMAGE_SUPPORT, CL_TRUE},
      {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128},
      {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64},
      {CL_DEVICE_MAX_SAMPLERS, 16},
      {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024},
      {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128},
      {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE},
      {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 64},
      {CL_DEVICE_MAX_CONSTANT_ARGS, 8},
      {CL_DEVICE_LOCAL_MEM_TYPE, CL_LOCAL},
      {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0},
      {CL_DEVICE_REFERENCE_COUNT, 1},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 1},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 0},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 1},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 1},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 1},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 1},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 0},
  };
  return *numbers;
}

/// Numbers of 8 bytes (size_t, cl_ulong and bit-fields).
const std::map<cl_device_info, cl_ulong>& large_numbers() {
  static const auto* const numbers = new std::map<cl_device_info, cl_ulong>{
      {CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024},
      {CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong{1} << 30},
      {CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong{1} << 32},
      {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 1 << 20},
      {CL_DEVICE_LOCAL_MEM_SIZE, 48 << 10},
      {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 64 << 10},
      {CL_DEVICE_MAX_PARAMETER_SIZE, 4096},
      {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1},
      {CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20},
      {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384},
      {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384},
      {CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048},
      {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048},
      {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048},
      {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536},
      {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048},
      {CL_DEVICE_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE},
      {CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL},
      {CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA},
      {CL_DEVICE_DOUBLE_FP_CONFIG,
       CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM},
      {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 32},
  };
  return *numbers;
}

cl_int usual_device_info(cl_device_id device, cl_device_info name, std::size_t size, void* out, std::size_t* size_out) {
  if (const auto found = small_numbers().find(name); found != small_numbers().end()) {
    return answer_value(found->second, size, out, size_out);
  }
  if (const auto found = large_numbers().find(name); found != large_numbers().end()) {
    return answer_value(found->second, size, out, size_out);
  }
  if (name == CL_DEVICE_TYPE) return answer_value(device->type, size, out, size_out);
  if (name == CL_DEVICE_PLATFORM) return answer_value(cl_platform_id{&platform}, size, out, size_out);
  if (name == CL_DEVICE_BUILT_IN_KERNELS) return answer_text("", size, out, size_out);
  if (name == CL_DEVICE_MAX_WORK_ITEM_SIZES) {
    const std::size_t sizes[3] = {1024, 1024, 64};
    return answer(sizes, sizeof sizes, size, out, size_out);
  }
  const std::string text = device_text(device, name);
  return text.empty() ? CL_INVALID_VALUE : answer_text(text, size, out, size_out);
}

cl_int get_device_info(cl_device_id device, cl_device_info name, std::size_t size, void* out, std::size_t* size_out) {
  if (const cl_int failed = record("clGetDeviceInfo"); failed != CL_SUCCESS) return failed;
  if (name == CL_DEVICE_AVAILABLE && silent(device->index)) return answer_value(cl_bool{CL_FALSE}, size, out, size_out);
  std::size_t usual = 0;
  if (usual_device_info(device, name, 0, nullptr, &usual) != CL_SUCCESS) usual = 0;
  const auto other = overridden(device->index, name, usual);
  if (!other) return usual_device_info(device, name, size, out, size_out);
  return other->known ? answer(other->bytes.data(), other->bytes.size(), size, out, size_out) : CL_INVALID_VALUE;
}

cl_int get_platform_info(cl_platform_id, cl_platform_info name, std::size_t size, void* out, std::size_t* size_out) {
  if (const cl_int failed = record("clGetPlatformInfo"); failed != CL_SUCCESS) return failed;
  const std::string text = platform_text(name);
  return text.empty() ? CL_INVALID_VALUE : answer_text(text, size, out, size_out);
}

cl_int get_platform_ids(cl_uint entries, cl_platform_id* out, cl_uint* count) {
  if (const cl_int failed = record("clIcdGetPlatformIDsKHR"); failed != CL_SUCCESS) return failed;
  if (out != nullptr && entries > 0) out[0] = &platform;
  if (count != nullptr) *count = 1;
  return CL_SUCCESS;
}

}  // namespace

const cl_icd_dispatch kTable = make_table();

void fill_info_table(cl_icd_dispatch& table) {
  table.clGetPlatformInfo = get_platform_info;
  table.clGetDeviceIDs = get_device_ids;
  table.clGetDeviceInfo = get_device_info;
}

cl_int answer(const void* value, std::size_t bytes, std::size_t size, void* out, std::size_t* size_out) {
  if (out != nullptr) {
    if (size < bytes) return CL_INVALID_VALUE;
    std::memcpy(out, value, bytes);
  }
  if (size_out != nullptr) *size_out = bytes;
  return CL_SUCCESS;
}

cl_int answer_text(const std::string& text, std::size_t size, void* out, std::size_t* size_out) {
  return answer(text.c_str(), text.size() + 1, size, out, size_out);
}

}  // namespace stub

STUB_EXPORT cl_int clGetPlatformInfo(cl_platform_id id, cl_platform_info name, std::size_t size, void* out,
                                     std::size_t* size_out) {
  return stub::get_platform_info(id, name, size, out, size_out);
}

STUB_EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* out, cl_uint* count) {
  return stub::get_platform_ids(entries, out, count);
}

STUB_EXPORT void* clGetExtensionFunctionAddress(const char* name) {
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return reinterpret_cast<void*>(&stub::get_platform_ids);
  return nullptr;
}
