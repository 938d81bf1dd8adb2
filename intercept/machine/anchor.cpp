// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <tuple>

#include "intercept/machine/device_info.h"
#include "intercept/machine/device_query.h"

namespace skmd::icd {
namespace {

/// The minima that a full-profile device with images must report.
bool meets_image_minima(const Device& device) {
  struct Minimum {
    cl_device_info name;
    size_t value;
  };
  constexpr Minimum kSizes[] = {{CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384},  {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384},
                                {CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048},   {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048},
                                {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048},   {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536},
                                {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048}};
  constexpr Minimum kCounts[] = {
      {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128}, {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64}, {CL_DEVICE_MAX_SAMPLERS, 16}};
  if (!has_images(device)) return false;
  for (const Minimum& minimum : kSizes)
    if (query<size_t>(device, minimum.name).value_or(0) < minimum.value) return false;
  for (const Minimum& minimum : kCounts)
    if (query<cl_uint>(device, minimum.name).value_or(0) < minimum.value) return false;
  return true;
}

auto merit(const Device& device) {
  const bool fp64 = query<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) != 0;
  const DeviceKind kind = device.description().kind;
  const int rank = kind == DeviceKind::gpu ? 2 : kind == DeviceKind::accelerator ? 1 : 0;
  return std::tuple(device.description().host.empty(), meets_image_minima(device), has_images(device), fp64, rank,
                    query<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).value_or(0),
                    query<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE).value_or(0),
                    query<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(0));
}

}  // namespace

bool has_images(const Device& device) {
  constexpr cl_device_info kSizes[] = {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                                       CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                                       CL_DEVICE_IMAGE3D_MAX_DEPTH};
  return query<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT) == cl_bool{CL_TRUE} &&
         std::all_of(std::begin(kSizes), std::end(kSizes),
                     [&](cl_device_info name) { return query<std::size_t>(device, name).value_or(0) != 0; });
}

std::uint32_t choose_anchor(const std::vector<std::shared_ptr<Device>>& devices) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < devices.size(); ++i)
    if (merit(*devices[i]) > merit(*devices[best])) best = i;
  return best;
}

std::string unfit(const Device& device) {
  const auto bits = query<cl_uint>(device, CL_DEVICE_ADDRESS_BITS);
  if (bits != cl_uint{64}) return "addresses of " + std::to_string(bits.value_or(0)) + " bits, not 64";
  if (query<cl_bool>(device, CL_DEVICE_ENDIAN_LITTLE) != cl_bool{CL_TRUE}) return "not little endian";
  if (query<cl_bool>(device, CL_DEVICE_AVAILABLE) != cl_bool{CL_TRUE}) return "not available";
  if (query<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) != cl_bool{CL_TRUE}) return "no compiler";
  // Without these it is not known what the device takes. Answers are cached for as long as the device lives.
  constexpr cl_device_info kSizes[] = {CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_GLOBAL_MEM_SIZE,
                                       CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                       CL_DEVICE_MAX_PARAMETER_SIZE};
  for (const cl_device_info name : kSizes)
    if (query<cl_ulong>(device, name).value_or(0) == 0) return "does not answer query " + std::to_string(name);
  constexpr cl_device_info kCounts[] = {CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MEM_BASE_ADDR_ALIGN};
  for (const cl_device_info name : kCounts)
    if (query<cl_uint>(device, name).value_or(0) == 0) return "does not answer query " + std::to_string(name);
  if (const auto sizes = device.info(CL_DEVICE_MAX_WORK_ITEM_SIZES); !sizes || sizes->size() < 3 * sizeof(std::size_t))
    return "does not answer query " + std::to_string(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  const std::string profile = query_text(device, CL_DEVICE_PROFILE);
  if (profile != "FULL_PROFILE") return "profile \"" + profile + "\", not FULL_PROFILE";
  return {};
}

}  // namespace skmd::icd
