// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/host_answers.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace skmd::icd {
namespace {

using Answer = domain::Result<std::vector<std::byte>>;

constexpr std::uint64_t kMegabyte = 1u << 20;  // bytes
constexpr std::size_t kMaxItems = 4096;        // of a group
constexpr cl_ulong kLocalBytes = kMegabyte;
constexpr cl_uint kLargestTypeBytes = 128;  // long16 and double16
constexpr const char* kVersion = "OpenCL 3.0 SKMD";
// Of the last extensions, those whose builtins the code generator has.
constexpr const char* kExtensions =
    "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics "
    "cl_khr_int64_extended_atomics cl_khr_fp64 cl_khr_3d_image_writes";

template <class T>
Answer value(T answer) {
  std::vector<std::byte> bytes(sizeof answer);
  std::memcpy(bytes.data(), &answer, sizeof answer);
  return bytes;
}

Answer text(const std::string& answer) {
  const auto* begin = reinterpret_cast<const std::byte*>(answer.c_str());
  return std::vector<std::byte>(begin, begin + answer.size() + 1);
}

/// Programs fill what a device says it has: something stays for the program itself and for others.
cl_ulong memory_of(const cpu::HostFacts& facts) { return std::max(facts.memory_bytes / 4 * 3, 512 * kMegabyte); }
cl_ulong largest_buffer(const cpu::HostFacts& facts) { return std::max(memory_of(facts) / 2, 128 * kMegabyte); }

Answer images(cl_device_info name) {
  switch (name) {
    case CL_DEVICE_IMAGE_SUPPORT:
      return value<cl_bool>(CL_TRUE);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
      return value<cl_uint>(128);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
      return value<cl_uint>(64);
    case CL_DEVICE_MAX_SAMPLERS:
      return value<cl_uint>(16);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
      return value<std::size_t>(16384);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
      return value<std::size_t>(2048);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
      return value<std::size_t>(128 * kMegabyte);
    default:
      return domain::Error{CL_INVALID_VALUE, "query " + std::to_string(name) + " is none of the host's"};
  }
}

Answer sizes(const cpu::HostFacts& facts, cl_device_info name) {
  switch (name) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return value<cl_uint>(facts.processors);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
      return value<cl_uint>(facts.megahertz);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return value<std::size_t>(kMaxItems);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
      return value<cl_uint>(3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      return value(std::array<std::size_t, 3>{kMaxItems, kMaxItems, kMaxItems});
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return value<std::size_t>(facts.vector_bytes / sizeof(float));
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return value<cl_ulong>(memory_of(facts));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return value<cl_ulong>(largest_buffer(facts));
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
      return value<cl_ulong>(largest_buffer(facts));
    case CL_DEVICE_MAX_CONSTANT_ARGS:
      return value<cl_uint>(64);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
      return value<std::size_t>(4096);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
      return value<cl_device_mem_cache_type>(CL_READ_WRITE_CACHE);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
      return value<cl_ulong>(facts.cache_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
      return value<cl_uint>(facts.line_bytes);
    case CL_DEVICE_LOCAL_MEM_TYPE:
      return value<cl_device_local_mem_type>(CL_GLOBAL);
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return value<cl_ulong>(kLocalBytes);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
      return value<cl_uint>(kLargestTypeBytes * 8);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
      return value<cl_uint>(kLargestTypeBytes);
    case CL_DEVICE_ADDRESS_BITS:
      return value<cl_uint>(64);
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
      return value<std::size_t>(kMegabyte);
    default:
      return images(name);
  }
}

Answer vector_widths(const cpu::HostFacts& facts, cl_device_info name) {
  const auto lanes = [&](cl_uint bytes) { return value<cl_uint>(facts.vector_bytes / bytes); };
  switch (name) {
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
      return lanes(1);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
      return lanes(2);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
      return lanes(4);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
      return lanes(8);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
      return value<cl_uint>(0);
    default:
      return sizes(facts, name);
  }
}

}  // namespace

Answer host_answer(const cpu::HostFacts& facts, cl_device_info name) {
  constexpr cl_device_fp_config kRounding = CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF;
  constexpr cl_device_fp_config kFloats = kRounding | CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_FMA;
  constexpr cl_device_atomic_capabilities kOrders =
      CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
  constexpr cl_device_atomic_capabilities kScopes = CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  switch (name) {
    case CL_DEVICE_TYPE:
      return value<cl_device_type>(CL_DEVICE_TYPE_CPU);
    case CL_DEVICE_NAME:
      return text(facts.model);
    case CL_DEVICE_VENDOR:
      return text(facts.vendor);
    case CL_DEVICE_VERSION:
      return text(kVersion);
    case CL_DRIVER_VERSION:
      return text(SKMD_VERSION);
    case CL_DEVICE_PROFILE:
      return text("FULL_PROFILE");
    case CL_DEVICE_EXTENSIONS:
      return text(kExtensions);
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return value<cl_device_fp_config>(kFloats | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return value<cl_device_fp_config>(kFloats);
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
      return value<cl_bool>(CL_FALSE);
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      return value<cl_bool>(CL_TRUE);
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
      return value<cl_device_atomic_capabilities>(kOrders | kScopes);
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
      return value<cl_device_atomic_capabilities>(kOrders | kScopes | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM);
    default:
      return vector_widths(facts, name);
  }
}

std::vector<cl_image_format> host_image_formats() {
  constexpr cl_channel_type kTypes[] = {CL_UNORM_INT8,     CL_UNORM_INT16,    CL_SNORM_INT8,   CL_SNORM_INT16,
                                        CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                        CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
  std::vector<cl_image_format> formats;
  for (const cl_channel_order order : {CL_R, CL_RG, CL_RGBA})
    for (const cl_channel_type type : kTypes) formats.push_back({order, type});
  formats.push_back({CL_BGRA, CL_UNORM_INT8});
  return formats;
}

}  // namespace skmd::icd
