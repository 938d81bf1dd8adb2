// SPDX-License-Identifier: Apache-2.0
// STUB_INFO: other answers to clGetDeviceInfo than the usual ones, for devices of odd shape.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stub {

/// An answer that replaces the usual one; `known` false: the driver does not know the query.
struct Override {
  bool known = true;
  std::vector<std::byte> bytes;
};

/// `usual` is the size of the answer that it replaces, 0 if there is none: numbers are of 4 or 8 bytes (8 if new).
std::optional<Override> overridden(cl_uint device, cl_device_info name, std::size_t usual);

/// A device whose vendor is NVIDIA: as its driver, it says 256 of every kernel and runs groups of 1024, and its
/// failures stay.
bool like_nvidia(cl_device_id device);

}  // namespace stub
