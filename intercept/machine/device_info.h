// SPDX-License-Identifier: Apache-2.0
// What the virtual device reports: one real device (the anchor) can honour all of it at once.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "intercept/machine/machine.h"

namespace skmd::icd {

/// The numbers that checks of other entry points need, out of the answers below.
struct DeviceLimits {
  std::uint64_t max_alloc_bytes = 0;
  std::uint64_t base_align_bytes = 128;  // CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bytes
  std::uint64_t local_bytes = 0;
  std::uint64_t work_group_size = 0;
  std::uint64_t work_item_sizes[3] = {0, 0, 0};
  std::uint64_t parameter_bytes = 0;
  bool images = false;
  bool fp64 = false;
  bool svm = false;          // coarse-grained buffers
  bool sub_devices = false;  // its units are threads of ours
  std::uint64_t image2d_width = 0, image2d_height = 0, image3d_width = 0, image3d_height = 0, image3d_depth = 0;
  std::uint64_t image_buffer_texels = 0, image_array_size = 0;
};

/// Index of the device that can honour most. Devices of this machine come first, since another machine may be lost:
/// what only a device there can do is not promised. Then images (all minima met), fp64, GPU before accelerator before
/// CPU, the biggest allocation and memory, and most compute units. Precondition: not empty.
std::uint32_t choose_anchor(const std::vector<std::shared_ptr<Device>>& devices);

/// Whether the device says that it takes images, and of which sizes.
bool has_images(const Device& device);

/// Why a real device cannot be part of the virtual one ("" if it can): not 64-bit, not little endian, not available, no
/// compiler, not FULL_PROFILE.
std::string unfit(const Device& device);

class DeviceInfo {
 public:
  /// Combines the answers of machine.devices around machine.anchor.
  explicit DeviceInfo(const Machine& machine);

  /// Null for names that the device does not know, and for CL_DEVICE_PLATFORM and CL_DEVICE_PARENT_DEVICE, which are
  /// handles.
  [[nodiscard]] const std::vector<std::byte>* find(cl_device_info name) const;
  [[nodiscard]] const DeviceLimits& limits() const { return limits_; }
  [[nodiscard]] const compiler::Language& language() const { return language_; }
  /// Blank separated, the same for device and platform but for cl_khr_icd.
  [[nodiscard]] const std::string& extensions() const { return extensions_; }
  [[nodiscard]] const std::vector<cl_name_version>& extension_versions() const { return extension_versions_; }
  [[nodiscard]] const std::string& version() const { return version_; }  ///< "OpenCL 3.0 SKMD …"
  /// Answer as a number; 0 if it is none or shorter.
  template <class T>
  [[nodiscard]] T get(cl_device_info name) const {
    T value{};
    const std::vector<std::byte>* answer = find(name);
    if (answer != nullptr && answer->size() >= sizeof(T)) std::memcpy(&value, answer->data(), sizeof(T));
    return value;
  }

 private:
  friend class InfoComposer;
  std::unordered_map<cl_device_info, std::vector<std::byte>> answers_;
  DeviceLimits limits_;
  compiler::Language language_;
  std::string extensions_;
  std::vector<cl_name_version> extension_versions_;
  std::string version_;
};

}  // namespace skmd::icd
