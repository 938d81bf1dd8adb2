// SPDX-License-Identifier: Apache-2.0
// The one platform and its one device, but for parts of it. Both live as long as the process.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "intercept/machine/device_info.h"
#include "intercept/machine/machine.h"
#include "intercept/object/handle.h"
#include "intercept/object/virtual_device.h"

namespace skmd::icd::api {

/// What the composition root gives: a machine with at least one device, and the virtual device's answers.
struct Composition {
  Machine* machine = nullptr;
  const DeviceInfo* info = nullptr;
  std::vector<std::string> left_out;  // devices that are no part, each with its reason
};

class Platform : public Object {
 public:
  explicit Platform(const Composition& composition) : Object(Kind::platform), composition_(composition) {}
  [[nodiscard]] Machine& machine() const { return *composition_.machine; }
  [[nodiscard]] const DeviceInfo& info() const { return *composition_.info; }
  [[nodiscard]] const Composition& composition() const { return composition_; }

 private:
  Composition composition_;
};

/// Set once, before anything else is called: composes the machine when the platform is first asked for.
void set_composer(Result<Composition> (*compose)());

/// Composed at the first call. Null: no usable device (the reason is in the log).
Platform* the_platform();
VirtualDevice* the_device();

/// Whether the virtual device answers for these CL_DEVICE_TYPE_… bits; CL_INVALID_DEVICE_TYPE or CL_DEVICE_NOT_FOUND if
/// not.
Status match_type(const DeviceInfo& info, cl_device_type type);

/// clIcdGetPlatformIDsKHR and the table's clGetPlatformIDs.
cl_int platform_ids(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms);

}  // namespace skmd::icd::api
