// SPDX-License-Identifier: Apache-2.0
// What a vendor's driver answers about a device before it is selected.
#pragma once

#include <string>

#include "intercept/backend/discovery/selectors.h"
#include "intercept/backend/vendor/vendor_driver.h"

namespace skmd::icd {

/// The answer to a query for text; "" where the driver has none.
std::string answer_text(const VendorPlatform& platform, cl_device_id id, cl_device_info name);

/// All but the indices, which follow from the order of platforms and devices. `unfit` is set for a device that the
/// virtual device cannot be made of.
Candidate candidate_of(const VendorPlatform& platform, cl_device_id id);

}  // namespace skmd::icd
